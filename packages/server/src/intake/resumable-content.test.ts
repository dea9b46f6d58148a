import { once } from "node:events";
import { describe, expect, test } from "vitest";
import type { DatasetUpload } from "@rowmill/contract/dataset-uploads";
import { expectStatus } from "../testing/api.ts";
import type { Api } from "../testing/api.ts";
import { startTestService } from "../testing/service.ts";
import { startServiceProcess } from "../testing/service-process.ts";
import { endedUpload, keptFiles, newUploadSession, putContent, rowsOf } from "../testing/uploads.ts";
import { waitFor } from "../testing/wait.ts";
import { codeOf, openPatch, partFiles, partHeaders, pathOf, sha256, tus } from "./resumable-testing.ts";

const MEBIBYTE = 1 << 20;
const service = await startTestService({ ROWMILL_MAX_DATASET_BYTES: String(2 * MEBIBYTE) });
const { api, apiKey } = await service.newOrganization();

const content = Buffer.from(`n\n${Array.from({ length: 20_000 }, (_, n) => `${n}\n`).join("")}`);

const sendPart = (upload: DatasetUpload, offset: number, body: Buffer, more: Record<string, string | number> = {}) =>
  api("PATCH", pathOf(upload), { body, headers: partHeaders(offset, more) });

async function offsetOf(upload: DatasetUpload, of: Api = api): Promise<number> {
  const head = await of("HEAD", pathOf(upload), { headers: tus() });
  expectStatus(head, 200);
  expect(head.headers["cache-control"]).toBe("no-store");
  return Number(head.headers["upload-offset"]);
}
const openPart = (upload: DatasetUpload, offset: number) => openPatch(service.url + pathOf(upload), apiKey, offset);

test("the session says where, and OPTIONS what is supported", async () => {
  const upload = await newUploadSession(api);
  expect(upload.upload?.resumableUrl).toBe(service.url + pathOf(upload));
  const options = await api("OPTIONS", pathOf(upload), { key: null });
  expectStatus(options, 204);
  expect(options.headers).toMatchObject({
    "tus-version": "1.0.0",
    "tus-extension": "creation,creation-defer-length,expiration",
    "tus-max-size": String(2 * MEBIBYTE),
  });
  expect(await codeOf(api("OPTIONS", "/v1/dataset-uploads/x/content/resumable", { key: null }))).toEqual([
    404,
    "not_found",
  ]);
});

test("content in pieces makes the same dataset as in one, and leaves no file", async () => {
  const source = { filename: "n.csv", sizeBytes: content.length, sha256: sha256(content) };
  const upload = await newUploadSession(api, {}, source);
  expect(await offsetOf(upload)).toBe(0);
  let offset = 0;
  for (const end of [1, 1000, 1000, 50_000, content.length]) {
    const part = await sendPart(upload, offset, content.subarray(offset, end));
    expectStatus(part, 204);
    expect(part.headers["upload-offset"]).toBe(String(end));
    expect(Date.parse(part.headers["upload-expires"] ?? "")).toBeGreaterThan(Date.now());
    offset = end;
  }
  expect(await offsetOf(upload)).toBe(content.length);
  const ended = await endedUpload(api, upload.id);
  expect(ended).toMatchObject({ state: "completed", bytesReceived: content.length, rowsAccepted: 20_000 });
  await waitFor(async () => (await keptFiles(service.settings)).length === 0, { what: "the content is deleted" });
  expect((await rowsOf(api, ended))[999]).toEqual({ n: 999 });
});

test("a connection that is cut keeps what arrived, and the rest is sent from there", async () => {
  const upload = await newUploadSession(api, {}, { sizeBytes: content.length, sha256: sha256(content) });
  const cutAt = 1 + Math.floor(Math.random() * (content.length - 2));
  const patch = openPart(upload, 0);
  patch.write(content.subarray(0, cutAt));
  await waitFor(async () => (await offsetOf(upload)) === cutAt, { what: `${cutAt} bytes have arrived` });
  patch.destroy();
  const response = await waitFor(
    async () => {
      const part = await sendPart(upload, cutAt, content.subarray(cutAt));
      return part.status !== 423 && part;
    },
    { what: "the service has noticed the cut" },
  );
  expectStatus(response, 204);
  expect(await endedUpload(api, upload.id)).toMatchObject({ state: "completed", rowsAccepted: 20_000 });
});

test("the length may be said at first, later, or not until the last piece", async () => {
  const begun = await newUploadSession(api);
  const created = await api("POST", pathOf(begun), { headers: tus({ "Upload-Length": 4 }) });
  expectStatus(created, 201);
  expect(created.headers["location"]).toBe(pathOf(begun));
  expectStatus(await sendPart(begun, 0, Buffer.from("n\n1\n")), 204);
  expect(await endedUpload(api, begun.id)).toMatchObject({ state: "completed", rowsAccepted: 1 });

  const deferred = await newUploadSession(api);
  expectStatus(await api("POST", pathOf(deferred), { headers: tus({ "Upload-Defer-Length": 1 }) }), 201);
  const first = await sendPart(deferred, 0, Buffer.from("n\n1\n"));
  expect(first.headers["upload-defer-length"]).toBe("1");
  expect((await api("GET", pathOf(deferred))).body).toEqual({ offsetBytes: 4, sizeBytes: null });
  expectStatus(await sendPart(deferred, 4, Buffer.from("2\n"), { "Upload-Length": 6 }), 204);
  expect(await endedUpload(api, deferred.id)).toMatchObject({ state: "completed", rowsAccepted: 2 });
});

test("creating again begins again, and an empty file is complete at once", async () => {
  const upload = await newUploadSession(api);
  const headers = tus({ "Upload-Length": 6 });
  expectStatus(await api("POST", pathOf(upload), { headers }), 201);
  expectStatus(await sendPart(upload, 0, Buffer.from("n\n")), 204);
  expectStatus(await api("POST", pathOf(upload), { headers }), 201);
  expect(await offsetOf(upload)).toBe(0);
  const empty = await newUploadSession(api);
  expectStatus(await api("POST", pathOf(empty), { headers: tus({ "Upload-Length": 0 }) }), 201);
  expect(await endedUpload(api, empty.id)).toMatchObject({ state: "failed", errors: [{ code: "empty_file" }] });
});

test("of two at once one writes and the other gets an error", async () => {
  // Started before: a connection through which nothing comes for 40 seconds is closed.
  const beside = await startTestService(service.settings);
  const upload = await newUploadSession(api, {}, { sizeBytes: content.length });
  const first = openPart(upload, 0);
  const responded = once(first, "response");
  first.write(content.subarray(0, 10));
  await waitFor(async () => (await offsetOf(upload)) === 10, { what: "the first is at it" });
  const second = await sendPart(upload, 10, content.subarray(10));
  expect([second.status, second.body.error.code]).toEqual([423, "upload_in_progress"]);
  expect(second.headers["retry-after"]).toBeDefined();
  expect(await codeOf(api("POST", pathOf(upload), { headers: tus({ "Upload-Length": content.length }) }))).toEqual([
    423,
    "upload_in_progress",
  ]);
  // Another process that shares the database and the files sees the lock as well.
  const there = await beside.api("PATCH", pathOf(upload), {
    key: apiKey,
    body: content.subarray(10),
    headers: partHeaders(10),
  });
  expect(there.status).toBe(423);
  await beside.stop();
  first.end(content.subarray(10));
  expect(((await responded) as [{ statusCode: number }])[0].statusCode).toBe(204);
  expect(await endedUpload(api, upload.id)).toMatchObject({ state: "completed", rowsAccepted: 20_000 });
});

test("who comes back need not wait for a connection through which nothing comes any more", async () => {
  const upload = await newUploadSession(api, {}, { sizeBytes: content.length });
  const silent = openPart(upload, 0);
  silent.write(content.subarray(0, 10));
  await waitFor(async () => (await offsetOf(upload)) === 10, { what: "the first is at it" });
  const response = await waitFor(
    async () => {
      const part = await sendPart(upload, 10, content.subarray(10));
      return part.status !== 423 && part;
    },
    { timeoutMs: 240_000, what: "the silent connection is closed" },
  );
  expectStatus(response, 204);
  expect(await endedUpload(api, upload.id)).toMatchObject({ state: "completed", rowsAccepted: 20_000 });
});

test("a PUT that is done first wins, and the pieces are refused", async () => {
  const upload = await newUploadSession(api, {}, { sizeBytes: 4 });
  const patch = openPart(upload, 0);
  const responded = once(patch, "response");
  patch.write("n\n");
  await waitFor(async () => (await offsetOf(upload)) === 2, { what: "the PATCH has begun" });
  await putContent(api, upload, "n\n7\n");
  patch.end("1\n");
  expect(((await responded) as [{ statusCode: number }])[0].statusCode).toBe(409);
  expect(await rowsOf(api, await endedUpload(api, upload.id))).toEqual([{ n: 7 }]);
});

test("content of another checksum than was announced fails the upload", async () => {
  const upload = await newUploadSession(api, {}, { sizeBytes: 4, sha256: sha256(Buffer.from("n\n2\n")) });
  expectStatus(await sendPart(upload, 0, Buffer.from("n\n1\n")), 204);
  expect(await endedUpload(api, upload.id)).toMatchObject({ state: "failed", errors: [{ code: "checksum_mismatch" }] });
  expect(await offsetOf(upload)).toBe(4);
  expect(await codeOf(sendPart(upload, 4, Buffer.from("")))).toEqual([409, "invalid_state"]);
});

test("what does not follow the protocol is refused and changes nothing", async () => {
  const upload = await newUploadSession(api, {}, { sizeBytes: 4 });
  const part = Buffer.from("n\n");
  expectStatus(await sendPart(upload, 0, part), 204);
  const wrongOffset = await sendPart(upload, 1, part);
  expect([wrongOffset.status, wrongOffset.body.error.code]).toEqual([409, "upload_offset_mismatch"]);
  expect(wrongOffset.headers["upload-offset"]).toBe("2");
  expect(await codeOf(sendPart(upload, 3, part))).toEqual([409, "upload_offset_mismatch"]);
  for (const headers of [{ "Tus-Resumable": "0.2.2" }, { "Tus-Resumable": "" }]) {
    const response = await sendPart(upload, 2, part, headers);
    expect([response.status, response.body.error.code]).toEqual([412, "precondition_failed"]);
    expect(response.headers["tus-version"]).toBe("1.0.0");
    const head = await api("HEAD", pathOf(upload), { headers });
    expect(head.status).toBe(412);
  }
  expect(await codeOf(api("POST", pathOf(upload), { headers: { "Upload-Length": "4" } }))).toEqual([
    412,
    "precondition_failed",
  ]);
  for (const offset of ["x", "-1", "1.5", "0x2", "9".repeat(17), "9".repeat(16)])
    expect([offset, ...(await codeOf(sendPart(upload, 0, part, { "Upload-Offset": offset })))]).toEqual([
      offset,
      400,
      "invalid_request",
    ]);
  const headers = tus({ "Content-Type": "application/offset+octet-stream" });
  expect(await codeOf(api("PATCH", pathOf(upload), { body: part, headers }))).toEqual([400, "invalid_request"]);
  expect(await codeOf(sendPart(upload, 2, part, { "Content-Type": "text/csv" }))).toEqual([
    415,
    "unsupported_media_type",
  ]);
  expect(await codeOf(sendPart(upload, 2, part, { "Content-Encoding": "gzip" }))).toEqual([
    415,
    "unsupported_media_type",
  ]);
  expect(await codeOf(sendPart(upload, 2, part, { "Upload-Length": 5 }))).toEqual([400, "invalid_request"]);
  const wrongLengths: Record<string, number>[] = [
    {},
    { "Upload-Length": 5 },
    { "Upload-Length": 4, "Upload-Defer-Length": 1 },
  ];
  for (const length of wrongLengths)
    expect(await codeOf(api("POST", pathOf(upload), { headers: tus(length) }))).toEqual([400, "invalid_request"]);
  expect(await offsetOf(upload)).toBe(2);
});

test("more than the length or the limit is refused, announced or not", async () => {
  const upload = await newUploadSession(api, {}, { sizeBytes: 4 });
  expect(await codeOf(sendPart(upload, 0, Buffer.from("n\n1\n2\n")))).toEqual([413, "payload_too_large"]);
  const patch = openPart(upload, 0);
  const responded = once(patch, "response");
  patch.end("n\n1\n2\n");
  expect(((await responded) as [{ statusCode: number }])[0].statusCode).toBe(413);
  const unknown = await newUploadSession(api);
  const tooMuch = tus({ "Upload-Length": 2 * MEBIBYTE + 1 });
  expect(await codeOf(api("POST", pathOf(unknown), { headers: tooMuch }))).toEqual([413, "payload_too_large"]);
  expect(await codeOf(sendPart(unknown, 0, Buffer.alloc(2 * MEBIBYTE + 1)))).toEqual([413, "payload_too_large"]);
  expect((await api<DatasetUpload>("GET", `/v1/dataset-uploads/${unknown.id}`)).body.state).toBe("awaiting_content");
});

test("a stranger finds nothing, and sessions that await nothing take nothing", async () => {
  const upload = await newUploadSession(api, {}, { sizeBytes: 4 });
  const stranger = await service.newOrganization();
  for (const method of ["HEAD", "PATCH", "POST"])
    expect((await stranger.api(method, pathOf(upload), { headers: partHeaders(0) })).status).toBe(404);
  expectStatus(await api("POST", `/v1/dataset-uploads/${upload.id}/cancel`), 200);
  expect(await codeOf(sendPart(upload, 0, Buffer.from("n\n1\n")))).toEqual([409, "invalid_state"]);
  expect(await codeOf(api("GET", pathOf(upload), { headers: tus() }))).toEqual([409, "invalid_state"]);
  expect(await codeOf(api("POST", pathOf(upload), { headers: tus({ "Upload-Length": 4 }) }))).toEqual([
    409,
    "invalid_state",
  ]);
});

test("what sessions that expired or were canceled had received is deleted, and nothing else", async () => {
  const other = await startTestService();
  const tenant = await other.newOrganization();
  const sessions: DatasetUpload[] = [];
  for (let i = 0; i < 3; i += 1) {
    const upload = await newUploadSession(tenant.api, {}, { sizeBytes: 4 });
    const part = { body: Buffer.from("n\n"), headers: partHeaders(0) };
    expectStatus(await tenant.api("PATCH", pathOf(upload), part), 204);
    sessions.push(upload);
  }
  const [expired, canceled, kept] = sessions.map(({ id }) => id);
  expect((await partFiles(other.settings)).toSorted()).toEqual(sessions.map(({ id }) => id).toSorted());
  expectStatus(await tenant.api("POST", `/v1/dataset-uploads/${canceled}/cancel`), 200);
  await other.query(
    "update dataset_uploads set expires_at = now() where created_at = (select min(created_at) from dataset_uploads)",
  );
  await other.stop();
  // Workers sweep when they start.
  const next = await startTestService(other.settings);
  await waitFor(async () => (await partFiles(next.settings)).length === 1, { what: "the sweep" });
  expect(await partFiles(next.settings)).toEqual([kept]);
  expect(
    await codeOf(next.api("GET", `/v1/dataset-uploads/${expired}/content/resumable`, { key: tenant.apiKey })),
  ).toEqual([409, "invalid_state"]);
});

test("kill -9 keeps what arrived, and the last step is done by whoever asks next", async () => {
  const first = await startServiceProcess();
  const tenant = await first.newOrganization();
  const upload = await newUploadSession(tenant.api, {}, { sizeBytes: content.length, sha256: sha256(content) });
  const patch = openPatch(first.url + pathOf(upload), tenant.apiKey, 0);
  patch.write(content.subarray(0, 70_000));
  await waitFor(async () => (await offsetOf(upload, tenant.api)) === 70_000, { what: "70 000 bytes have arrived" });
  first.kill("SIGKILL");
  await first.exited;
  const second = await startServiceProcess(first.settings);
  const api = second.api;
  const asTenant: Api = (method, path, request) => api(method, path, { key: tenant.apiKey, ...request });
  expect(await offsetOf(upload, asTenant)).toBe(70_000);
  const rest = { body: content.subarray(70_000), headers: partHeaders(70_000) };
  expectStatus(await asTenant("PATCH", pathOf(upload), rest), 204);
  expect(await endedUpload(asTenant, upload.id)).toMatchObject({ state: "completed", rowsAccepted: 20_000 });
});

describe("all bytes are there and nobody has taken them", () => {
  /** Without a known length nothing completes it; as a process leaves it that dies before its last transaction. */
  const sayLength = () =>
    service.query(
      `update dataset_uploads set source = source || '{"uploadLength": 4}'
        where created_at = (select max(created_at) from dataset_uploads)`,
    );

  test("since the process died: asking for the offset completes the upload", async () => {
    const upload = await newUploadSession(api);
    expectStatus(await sendPart(upload, 0, Buffer.from("n\n1\n")), 204);
    await sayLength();
    expect(await offsetOf(upload)).toBe(4);
    expect(await endedUpload(api, upload.id)).toMatchObject({ state: "completed", rowsAccepted: 1 });
  });

  test("yet: a request for the offset is asked to come again", async () => {
    const upload = await newUploadSession(api);
    const patch = openPart(upload, 0);
    patch.write("n\n1\n");
    await waitFor(async () => (await offsetOf(upload)) === 4, { what: "all has arrived" });
    await sayLength();
    expect(await codeOf(api("GET", pathOf(upload)))).toEqual([423, "upload_in_progress"]);
    patch.destroy();
    await waitFor(async () => (await api("HEAD", pathOf(upload))).status === 200, { what: "the cut is noticed" });
    expect(await endedUpload(api, upload.id)).toMatchObject({ state: "completed", rowsAccepted: 1 });
  });
});
