import { createHash } from "node:crypto";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { request as httpRequest } from "node:http";
import type { ClientRequest, IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { mkdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import type { DatasetUpload } from "@rowmill/contract/dataset-uploads";
import { expectStatus } from "../testing/api.ts";
import { startTestService } from "../testing/service.ts";
import {
  datasetOf,
  endedUpload,
  keptFiles,
  newUploadSession,
  putContent,
  rowsOf,
  uploadFile,
} from "../testing/uploads.ts";
import { waitFor } from "../testing/wait.ts";

const MEBIBYTE = 1 << 20;
const service = await startTestService({ ROWMILL_MAX_DATASET_BYTES: String(2 * MEBIBYTE) });
const { api, apiKey } = await service.newOrganization();

const sha256 = (text: string | Buffer): string => createHash("sha256").update(text).digest("hex");
const getUpload = async (id: string): Promise<DatasetUpload> =>
  (await api<DatasetUpload>("GET", `/v1/dataset-uploads/${id}`)).body;

/** A PUT whose body the test sends piece by piece. */
function openPut(upload: DatasetUpload, headers: Record<string, string | number> = {}): ClientRequest {
  return httpRequest(`${service.url}/v1/dataset-uploads/${upload.id}/content`, {
    method: "PUT",
    headers: { authorization: `Bearer ${apiKey}`, ...headers },
    agent: false,
  });
}

async function responseOf(put: ClientRequest): Promise<{ status: number; body: string }> {
  const [response] = (await once(put, "response")) as [IncomingMessage];
  let body = "";
  for await (const part of response.setEncoding("utf8")) body += String(part);
  return { status: response.statusCode ?? 0, body };
}

test("content whose size and checksum were announced is taken, and nothing of it is kept but the dataset", async () => {
  const content = "a,b\n1,x\n2,y\n";
  const source = { filename: "rows.csv", sizeBytes: content.length, sha256: sha256(content) };
  const upload = await uploadFile(api, content, {}, source);
  expect(upload).toMatchObject({ state: "completed", bytesReceived: content.length, errors: [] });
  await waitFor(async () => (await keptFiles(service.settings)).length === 0, { what: "the content is deleted" });
});

test("content that stops to come gets an error, and its upload waits for it again", async () => {
  const shorten = (message: unknown): void => {
    const { request, socket } = message as { request: IncomingMessage; socket: Socket }; // what Node documents
    if (request.method === "PUT") socket.setTimeout(100);
  };
  subscribe("http.server.request.start", shorten);
  onTestFinished(() => void unsubscribe("http.server.request.start", shorten));
  const upload = await newUploadSession(api);
  const put = openPut(upload);
  put.write("a,b\n");
  const { status, body } = await responseOf(put);
  expect([status, body]).toEqual([408, expect.stringContaining("Nothing of the body came for 40 seconds")]);
  unsubscribe("http.server.request.start", shorten);
  await once(put, "close");
  const retry = { body: "a,b\n1,x\n", headers: { "Content-Type": "application/octet-stream" } };
  await waitFor(async () => (await api("PUT", `/v1/dataset-uploads/${upload.id}/content`, retry)).status === 200, {
    what: "the upload has noticed the end of the first request",
  });
  expect(await endedUpload(api, upload.id)).toMatchObject({ state: "completed", rowsAccepted: 1 });
});

test.each([
  ["another size", { sizeBytes: 5 }, /^5 bytes were announced, and 12 arrived\.$/],
  ["another checksum", { sha256: sha256("other") }, /SHA-256/],
])("content of %s than was announced fails the upload", async (_what, source, message) => {
  const upload = await newUploadSession(api, {}, source);
  const responded = await putContent(api, upload, "a,b\n1,x\n2,y\n");
  const error = { line: null, code: "checksum_mismatch", message: expect.stringMatching(message) as string };
  expect(responded).toMatchObject({ state: "failed", bytesReceived: 12, errors: [error] });
  expect(await getUpload(upload.id)).toEqual(responded);
  expect(await datasetOf(api, responded)).toMatchObject({ state: "failed", rowCount: 0 });
  const rows = await api("GET", `/v1/datasets/${responded.datasetId}/rows`);
  expect([rows.status, rows.body.error.code]).toEqual([409, "dataset_not_ready"]);
  expect(await keptFiles(service.settings)).toEqual([]);
});

test.each([
  ["multipart/form-data; boundary=x", "curl -F"],
  ["application/x-www-form-urlencoded", "curl -d"],
])("content as %s is refused with what to send instead, and can be sent after that", async (type, named) => {
  const upload = await newUploadSession(api);
  const path = `/v1/dataset-uploads/${upload.id}/content`;
  const refused = await api("PUT", path, { body: "a,b\n1,x\n", headers: { "Content-Type": type } });
  expect([refused.status, refused.body.error.code]).toEqual([415, "unsupported_media_type"]);
  expect(refused.body.error.message).toContain(named);
  expect(refused.body.error.message).toContain("curl -T");
  await putContent(api, upload, "a,b\n1,x\n");
  expect(await endedUpload(api, upload.id)).toMatchObject({ state: "completed", rowsAccepted: 1 });
});

test("a transfer that breaks leaves the session as it was, and the content can be sent again", async () => {
  const upload = await newUploadSession(api);
  const put = openPut(upload, { "content-length": 1000 });
  const broken = once(put, "error");
  put.write("a,b\n1,x\n");
  await waitFor(async () => (await keptFiles(service.settings)).length > 0, { what: "the transfer has begun" });
  put.destroy(new Error("the line is cut"));
  await broken;
  await waitFor(async () => (await keptFiles(service.settings)).length === 0, { what: "the half content is gone" });
  const { updatedAt: _updatedAt, ...before } = upload;
  expect(await getUpload(upload.id)).toMatchObject(before);
  await putContent(api, upload, "a,b\n1,x\n");
  expect(await endedUpload(api, upload.id)).toMatchObject({ state: "completed", rowsAccepted: 1 });
});

test("of two transfers at once the first to finish wins, and nothing of the other is left", async () => {
  const upload = await newUploadSession(api);
  const slow = openPut(upload);
  slow.write("n\n1\n");
  await waitFor(async () => (await keptFiles(service.settings)).length > 0, { what: "the slow transfer has begun" });
  await putContent(api, upload, "n\n2\n");
  slow.end("3\n");
  const response = await responseOf(slow);
  expect(response.status).toBe(409);
  expect(response.body).toContain('"invalid_state"');
  const ended = await endedUpload(api, upload.id);
  expect(await rowsOf(api, ended)).toEqual([{ n: 2 }]);
  await waitFor(async () => (await keptFiles(service.settings)).length === 0, { what: "both contents are gone" });
});

test("content that comes a second time is refused, and the dataset stays", async () => {
  const upload = await uploadFile(api, "n\n1\n");
  const again = await api("PUT", `/v1/dataset-uploads/${upload.id}/content`, { body: "n\n2\n" });
  expect([again.status, again.body.error.code]).toEqual([409, "invalid_state"]);
  expect(await rowsOf(api, upload)).toEqual([{ n: 1 }]);
});

test("a client that waits for 100 Continue gets a response, and one with chunked encoding and no type as well", async () => {
  const waiting = await newUploadSession(api);
  const put = openPut(waiting, { expect: "100-continue", "content-length": 4 });
  put.flushHeaders();
  await once(put, "continue");
  put.end("n\n1\n");
  expect((await responseOf(put)).status).toBe(200);
  const chunked = await newUploadSession(api);
  const open = openPut(chunked);
  open.write("n\n");
  open.end("1\n");
  expect((await responseOf(open)).status).toBe(200);
  for (const { id } of [waiting, chunked])
    expect(await endedUpload(api, id)).toMatchObject({ state: "completed", rowsAccepted: 1 });
});

test("JSON content is content, whatever its type says", async () => {
  const upload = await newUploadSession(api);
  const put = await api<DatasetUpload>("PUT", `/v1/dataset-uploads/${upload.id}/content`, {
    body: '[{"a":1}]',
    headers: { "Content-Type": "application/json" },
  });
  expectStatus(put, 200);
  expect(await endedUpload(api, upload.id)).toMatchObject({ state: "completed", format: "json", rowsAccepted: 1 });
});

test("Content-Encoding says no more than the content itself; others than gzip and zstd are refused", async () => {
  const upload = await newUploadSession(api);
  const path = `/v1/dataset-uploads/${upload.id}/content`;
  const refused = await api("PUT", path, { body: "n\n1\n", headers: { "Content-Encoding": "br" } });
  expect([refused.status, refused.body.error.code]).toEqual([415, "unsupported_media_type"]);
  const packed = await api("PUT", path, { body: gzipSync("n\n1\n"), headers: { "Content-Encoding": "gzip" } });
  expectStatus(packed, 200);
  expect(await endedUpload(api, upload.id)).toMatchObject({ state: "completed", rowsAccepted: 1 });
});

test("content beyond the limit is refused, announced or not, and the session stays", async () => {
  const created = await api("POST", "/v1/dataset-uploads", {
    body: { name: "Large", source: { type: "upload", sizeBytes: 2 * MEBIBYTE + 1 } },
  });
  expect([created.status, created.body.error.code]).toEqual([413, "payload_too_large"]);
  const upload = await newUploadSession(api);
  const announced = openPut(upload, { "content-length": 3 * MEBIBYTE });
  announced.flushHeaders();
  expect(await responseOf(announced)).toMatchObject({
    status: 413,
    body: expect.stringContaining("payload_too_large") as string,
  });
  announced.destroy();
  const path = `/v1/dataset-uploads/${upload.id}/content`;
  const unannounced = await api("PUT", path, { body: Readable.from([Buffer.alloc(3 * MEBIBYTE, "x")]) });
  expect([unannounced.status, unannounced.body.error.code]).toEqual([413, "payload_too_large"]);
  expect((await getUpload(upload.id)).state).toBe("awaiting_content");
  expect(await keptFiles(service.settings)).toEqual([]);
});

test("without a key, or for another's upload, not a byte is kept", async () => {
  const upload = await newUploadSession(api);
  const stranger = await service.newOrganization();
  const content = Buffer.alloc(MEBIBYTE, "x");
  const path = `/v1/dataset-uploads/${upload.id}/content`;
  expect((await api("PUT", path, { body: content, key: null })).status).toBe(401);
  expect((await stranger.api("PUT", path, { body: content })).status).toBe(404);
  expect(await keptFiles(service.settings)).toEqual([]);
  expect((await getUpload(upload.id)).state).toBe("awaiting_content");
});

test("contents that no upload names are swept, those that one names stay", async () => {
  const other = await startTestService();
  const { organizationId, api: otherApi } = await other.newOrganization();
  const upload = await newUploadSession(otherApi);
  const folder = join(other.settings["ROWMILL_DATA_DIR"] ?? "", "files", "dataset-uploads", organizationId, upload.id);
  // Before there is a file: the first sweep of this service may still be under way.
  await other.query("update dataset_uploads set storage_key = $1", [
    `dataset-uploads/${organizationId}/${upload.id}/named`,
  ]);
  await mkdir(folder, { recursive: true });
  const named = join(folder, "named");
  const unnamed = join(folder, "unnamed");
  const young = join(folder, "young");
  for (const path of [named, unnamed, young]) await writeFile(path, "n\n1\n");
  const anHourAgo = new Date(Date.now() - 3_700_000);
  for (const path of [named, unnamed]) await utimes(path, anHourAgo, anHourAgo);
  await other.stop();
  // Workers sweep when they start.
  const next = await startTestService(other.settings);
  await waitFor(async () => !(await keptFiles(next.settings)).includes(unnamed), { what: "the sweep" });
  expect((await keptFiles(next.settings)).toSorted()).toEqual([named, young]);
});
