/** Contents that are read while they arrive: whatever becomes of the transfer, of the reader or of the service. */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { request as httpRequest } from "node:http";
import type { ClientRequest, IncomingMessage } from "node:http";
import { expect, test } from "vitest";
import type { DatasetUpload } from "@rowmill/contract/dataset-uploads";
import { startTestService } from "../testing/service.ts";
import type { TestService } from "../testing/service.ts";
import { datasetOf, endedUpload, keptFiles, newUploadSession, putContent } from "../testing/uploads.ts";
import { waitFor } from "../testing/wait.ts";
import { findReaders, findSpareReaders } from "./readers/readers-testing.ts";

const ROWS = 60_000;
const lines = Array.from({ length: ROWS }, (_, n) => `{"n":${n},"text":"${(n * 2_654_435_761) % 4_294_967_296}"}\n`);
const content = lines.join("");
const contentSha256 = createHash("sha256").update(content).digest("hex");
const half = content.indexOf("\n", content.length / 2) + 1;

const service = await startTestService();
const { api, apiKey } = await service.newOrganization();

/** A PUT of which half has come, and is being read. */
async function beginPut(
  upload: DatasetUpload,
  first = content.slice(0, half),
  to: { service: TestService; apiKey: string } = { service, apiKey },
): Promise<ClientRequest> {
  const put = httpRequest(`${to.service.url}/v1/dataset-uploads/${upload.id}/content`, {
    method: "PUT",
    headers: { authorization: `Bearer ${to.apiKey}` },
    agent: false,
  });
  put.write(first);
  await waitFor(async () => (await findReaders()).length === 1, { what: "the content is being read" });
  return put;
}

async function endPut(put: ClientRequest, rest: string): Promise<number | undefined> {
  put.end(rest);
  const [response] = (await once(put, "response")) as [IncomingMessage];
  response.resume();
  return response.statusCode;
}

const noReaderLives = () => waitFor(async () => (await findReaders()).length === 0, { what: "no reader lives" });

async function expectWhole(upload: DatasetUpload): Promise<void> {
  const ended = await endedUpload(api, upload.id);
  expect(ended).toMatchObject({ state: "completed", rowsAccepted: ROWS, errors: [] });
  expect(await datasetOf(api, ended)).toMatchObject({ state: "ready", rowCount: ROWS, contentSha256 });
  await noReaderLives();
  await waitFor(async () => (await keptFiles(service.settings)).length === 0, { what: "nothing is kept in files" });
}

test("the reader that has begun with the content is the one that reads it to its end", async () => {
  const upload = await newUploadSession(api, { format: "jsonl" });
  const put = await beginPut(upload);
  const [reader] = await findReaders();
  const seen = new Set([reader]);
  const over = new AbortController();
  const watching = (async () => {
    while (!over.signal.aborted) for (const pid of await findReaders()) seen.add(pid);
  })();
  expect(await endPut(put, content.slice(half))).toBe(200);
  await expectWhole(upload);
  over.abort();
  await watching;
  expect([...seen]).toEqual([reader]);
});

test("a transfer that breaks ends the reading, and the content can be sent again", async () => {
  const upload = await newUploadSession(api, { format: "jsonl" });
  const put = await beginPut(upload);
  const broken = once(put, "error");
  put.destroy(new Error("the line is cut"));
  await broken;
  await noReaderLives();
  await putContent(api, upload, content);
  await expectWhole(upload);
});

test("of content that is not the announced one nothing is stored, though it was read", async () => {
  const sha256 = createHash("sha256").update("other").digest("hex");
  const upload = await newUploadSession(api, { format: "jsonl" }, { sha256 });
  expect(await endPut(await beginPut(upload), content.slice(half))).toBe(200);
  const ended = await endedUpload(api, upload.id);
  expect(ended).toMatchObject({ state: "failed", errors: [{ code: "checksum_mismatch" }], rowsAccepted: 0 });
  const stored = await service.query(
    "select 1 from dataset_chunks c join datasets d on d.id = c.dataset_id where d.state = 'failed'",
  );
  expect(stored).toEqual([]);
  await noReaderLives();
});

test("what is wrong with the first rows is reported when the content has come", async () => {
  const upload = await newUploadSession(api, { format: "jsonl" });
  const put = await beginPut(upload, `not json\n${content.slice(0, half)}`);
  expect((await api<DatasetUpload>("GET", `/v1/dataset-uploads/${upload.id}`)).body.state).toBe("awaiting_content");
  expect(await endPut(put, content.slice(half))).toBe(200);
  expect(await endedUpload(api, upload.id)).toMatchObject({
    state: "failed",
    errors: [{ line: 1, code: "invalid_json_line" }],
  });
  await noReaderLives();
});

test("when the reader dies before its time, the content is read from its beginning", async () => {
  const upload = await newUploadSession(api, { format: "jsonl" });
  const put = await beginPut(upload);
  for (const pid of await findReaders()) process.kill(pid, "SIGKILL");
  await waitFor(() => service.logs().some((line) => line.includes("could not be read ahead")), {
    what: "it is noticed",
  });
  expect(await endPut(put, content.slice(half))).toBe(200);
  await expectWhole(upload);
  expect(service.logs().filter((line) => line.includes("an intake failed"))).toEqual([]);
});

test("two uploads are read as they arrive, and those beyond when they have come", async () => {
  const uploads = await Promise.all([1, 2, 3, 4].map(() => newUploadSession(api, { format: "jsonl" })));
  const puts = uploads.map((upload) => {
    const put = httpRequest(`${service.url}/v1/dataset-uploads/${upload.id}/content`, {
      method: "PUT",
      headers: { authorization: `Bearer ${apiKey}` },
      agent: false,
    });
    put.write(content.slice(0, half));
    return put;
  });
  await waitFor(async () => (await keptFiles(service.settings)).length === 4, { what: "all have begun" });
  await waitFor(async () => (await findReaders()).length === 2, { what: "two are being read" });
  const statuses = await Promise.all(puts.map((put) => endPut(put, content.slice(half))));
  expect(statuses).toEqual([200, 200, 200, 200]);
  for (const upload of uploads) await expectWhole(upload);
});

test("a content is read by a process that was started when its upload was created", async () => {
  const upload = await newUploadSession(api, { format: "jsonl" });
  await waitFor(async () => (await findSpareReaders()).length === 1, { what: "a reader waits for the content" });
  const spares = await findSpareReaders();
  const put = await beginPut(upload);
  expect(await findReaders()).toEqual(spares);
  expect(await endPut(put, content.slice(half))).toBe(200);
  await expectWhole(upload);
});

test("a service that stops while content arrives leaves no reader", async () => {
  const other = await startTestService();
  const organization = await other.newOrganization();
  const upload = await newUploadSession(organization.api, { format: "jsonl" });
  const put = await beginPut(upload, content.slice(0, half), { service: other, apiKey: organization.apiKey });
  put.on("error", () => {}); // The service closes the connection.
  const spares = await findSpareReaders();
  await other.stop();
  expect(await findReaders()).toEqual([]);
  // Those of the other service of this file stay.
  expect(spares).toEqual(expect.arrayContaining(await findSpareReaders()));
});

test("a process that only serves the API reads nothing", async () => {
  const front = await startTestService({ ROWMILL_ROLE: "api" });
  const organization = await front.newOrganization();
  const upload = await newUploadSession(organization.api, { format: "jsonl" });
  await putContent(organization.api, upload, content);
  expect(await findReaders()).toEqual([]);
});
