import { createHash } from "node:crypto";
import { Client } from "pg";
import { expect, onTestFinished, test, vi } from "vitest";
import type { DatasetUpload } from "@rowmill/contract/dataset-uploads";
import type { DatasetRow } from "@rowmill/contract/datasets";
import { expectStatus } from "../../testing/api.ts";
import { numberedRows } from "../../testing/factories.ts";
import { startTestService } from "../../testing/service.ts";
import { datasetOf, endedUpload, newUploadSession, putContent, rowsOf, uploadFile } from "../../testing/uploads.ts";
import { waitFor } from "../../testing/wait.ts";

const service = await startTestService({ ROWMILL_CHUNK_ROWS: "100", ROWMILL_MAX_ROW_BYTES: "1024" });
const { api } = await service.newOrganization();

const createInline = (rows: readonly object[], more: object = {}) =>
  api<DatasetUpload>("POST", "/v1/dataset-uploads", {
    body: { name: "Inline", source: { type: "inline", rows }, ...more },
  });

const eventsOf = async (datasetId: string | null): Promise<string[]> => {
  const events = await service.query<{ payload: string }>("select payload from events order by id");
  return events
    .map(({ payload }) => JSON.parse(payload) as { type: string; data: { id: string; state: string; url: string } })
    .filter(({ data }) => data.id === datasetId)
    .map(({ type, data }) => `${type} ${data.state} ${data.url.replace(service.url, "")}`);
};

test("inline rows are a dataset as soon as the create responds", async () => {
  const rows = numberedRows(250);
  const created = await createInline(rows, { metadata: { team: "blue" } });
  expectStatus(created, 201);
  expect(created.headers["location"]).toBe(`/v1/dataset-uploads/${created.body.id}`);
  expect(created.body).toMatchObject({
    state: "completed",
    sourceType: "inline",
    rowsAccepted: 250,
    rowsRejected: 0,
    errors: [],
    progress: { percent: 100 },
    metadata: { team: "blue" },
  });
  expect(created.body.upload).toBeUndefined();
  const lines = rows.map((row) => `${JSON.stringify(row)}\n`).join("");
  expect(await datasetOf(api, created.body)).toMatchObject({
    name: "Inline",
    state: "ready",
    rowCount: 250,
    sizeBytes: lines.length,
    contentSha256: createHash("sha256").update(lines).digest("hex"),
    columns: [{ name: "n", type: "integer", nullCount: 0, min: 0, max: 249 }],
    uploadId: created.body.id,
    metadata: { team: "blue" },
  });
  expect(await rowsOf(api, created.body)).toEqual(rows);
  expect(await eventsOf(created.body.datasetId)).toEqual([
    `dataset.ready ready /v1/datasets/${created.body.datasetId}`,
  ]);
});

test("the same rows inline and as a file are the same dataset", async () => {
  const rows = [{ a: 1, b: "ü" }, { a: 2.5 }, { a: null, c: [1, { d: true }] }];
  const inline = await datasetOf(api, (await createInline(rows)).body);
  const file = await datasetOf(api, await uploadFile(api, rows.map((row) => JSON.stringify(row)).join("\n")));
  const { columns, contentSha256, rowCount, sizeBytes } = inline;
  expect(file).toMatchObject({ columns, contentSha256, rowCount, sizeBytes });
});

test("inline rows keep every digit of their numbers, as those of a file do", async () => {
  const rows = ['{"id":12345678901234567890,"price":1.10,"zero":-0.0}', '{"id":7,"price":2E3,"zero":0}'];
  const body = `{"name":"Digits","source":{"type":"inline","rows":[${rows.join(", ")}]}}`;
  const inline = await datasetOf(api, (await api<DatasetUpload>("POST", "/v1/dataset-uploads", { body })).body);
  expect((await api("GET", `/v1/datasets/${inline.id}/rows`)).text).toContain(rows[0]);
  const file = await datasetOf(api, await uploadFile(api, rows.join("\n")));
  expect(inline).toMatchObject({ columns: file.columns, contentSha256: file.contentSha256 });
});

test("ten thousand inline rows of every JSON type come back as they were", async () => {
  const rows = Array.from({ length: 10_000 }, (_, n) => ({
    n,
    text: `é"\\\n${n}`,
    nested: { list: [n, null, true, 1.5] },
  }));
  const created = await createInline(rows);
  expect(created.body).toMatchObject({ state: "completed", rowsAccepted: 10_000 });
  const seen: unknown[] = [];
  for (let cursor = ""; ;) {
    const page = await api<{ data: DatasetRow[]; nextCursor: string | null }>(
      "GET",
      `/v1/datasets/${created.body.datasetId}/rows?limit=1000${cursor}`,
    );
    seen.push(...page.body.data.map((row) => row.data));
    if (page.body.nextCursor === null) break;
    cursor = `&cursor=${page.body.nextCursor}`;
  }
  expect(seen).toEqual(rows);
});

test.each([
  ["no rows", []],
  ["a row that is no object", [{ a: 1 }, 2]],
  ["more than ten thousand rows", numberedRows(10_001)],
])("inline %s are refused", async (_what, rows) => {
  const created = await api("POST", "/v1/dataset-uploads", { body: { name: "Bad", source: { type: "inline", rows } } });
  expectStatus(created, 400);
  expect(created.body.error.code).toBe("invalid_request");
});

test("an inline row beyond the limit fails the upload, or is left out on request", async () => {
  const rows = [{ a: 1 }, { a: "x".repeat(1100) }, { a: 3 }];
  const rejected = await createInline(rows);
  expect(rejected.body).toMatchObject({
    state: "failed",
    rowsAccepted: 0,
    errors: [{ line: 2, code: "row_too_large" }],
  });
  expect(await datasetOf(api, rejected.body)).toMatchObject({ state: "failed", rowCount: 0 });
  expect(await eventsOf(rejected.body.datasetId)).toEqual([
    `dataset.failed failed /v1/datasets/${rejected.body.datasetId}`,
  ]);
  const skipped = await createInline(rows, { onInvalidRow: "skip" });
  expect(skipped.body).toMatchObject({
    state: "completed",
    rowsAccepted: 2,
    rowsRejected: 1,
    errors: [{ line: 2, code: "row_too_large" }],
  });
  expect(await rowsOf(api, skipped.body)).toEqual([{ a: 1 }, { a: 3 }]);
});

test("a rejected line is in the upload, is left out on request, and goes with the dataset", async () => {
  const content = "id,amount\n1,20\n2,30,extra\n3,40\n";
  const file = { filename: "amounts.csv" };
  const rejected = await uploadFile(api, content, {}, file);
  const error = { line: 3, code: "invalid_csv", text: "2,30,extra" };
  expect(rejected).toMatchObject({ state: "failed", skippable: true, errors: [error] });
  expect(rejected.nextSteps[0]?.description).toContain("`onInvalidRow: skip`");
  const skipped = await uploadFile(api, content, { onInvalidRow: "skip" }, file);
  expect(skipped).toMatchObject({ state: "completed", skippable: false, errors: [error] });
  expectStatus(await api("DELETE", `/v1/datasets/${skipped.datasetId}`), 204);
  const { body } = await api<DatasetUpload>("GET", `/v1/dataset-uploads/${skipped.id}`);
  expect(body.errors).toMatchObject([{ ...error, text: null }]);
  const unusable = await uploadFile(api, "id,id\n1,20\n", {}, file);
  expect(unusable).toMatchObject({ state: "failed", skippable: false, errors: [{ line: 1, text: "id,id" }] });
});

test("a create is made once per Idempotency-Key", async () => {
  const body = { name: "Once", source: { type: "inline", rows: [{ a: 1 }] } };
  const first = await api<DatasetUpload>("POST", "/v1/dataset-uploads", { body, idempotencyKey: "once" });
  const second = await api<DatasetUpload>("POST", "/v1/dataset-uploads", { body, idempotencyKey: "once" });
  expect(second.body).toEqual(first.body);
  expect(second.headers["idempotent-replayed"]).toBe("true");
});

test("a session says where to send the content, and goes through its states", async () => {
  const upload = await newUploadSession(api, {}, { filename: "rows.csv" });
  expect(upload).toMatchObject({ state: "awaiting_content", datasetId: null, format: null, progress: { percent: 0 } });
  expect(upload.upload).toMatchObject({ method: "PUT", url: `${service.url}/v1/dataset-uploads/${upload.id}/content` });
  const hours = (Date.parse(upload.upload?.expiresAt ?? "") - Date.parse(upload.createdAt)) / 3_600_000;
  expect(hours).toBeCloseTo(24, 1);
  const sent = await putContent(api, upload, "a\n1\n");
  expect(sent).toMatchObject({ state: "processing", bytesReceived: 4 });
  expect(sent.upload).toBeUndefined();
  const ended = await endedUpload(api, upload.id);
  expect(ended).toMatchObject({ state: "completed", datasetId: sent.datasetId, format: "csv", rowsAccepted: 1 });
  expect(await eventsOf(ended.datasetId)).toEqual([`dataset.ready ready /v1/datasets/${ended.datasetId}`]);
});

test("an upload can be waited for, by many at once", async () => {
  const upload = await newUploadSession(api, {}, { filename: "rows.csv" });
  const waiting = Array.from({ length: 5 }, () =>
    api<DatasetUpload>("GET", `/v1/dataset-uploads/${upload.id}?waitSeconds=30`),
  );
  const canceled = await newUploadSession(api);
  const ofCanceled = api<DatasetUpload>("GET", `/v1/dataset-uploads/${canceled.id}?waitSeconds=30`);
  await putContent(api, upload, "a\n1\n2\n");
  expectStatus(await api("POST", `/v1/dataset-uploads/${canceled.id}/cancel`), 200);
  for (const { body } of await Promise.all(waiting))
    expect(body).toMatchObject({ state: "completed", rowsAccepted: 2 });
  expect((await ofCanceled).body.state).toBe("canceled");
});

test("an upload is not waited for longer than asked", async () => {
  const upload = await newUploadSession(api);
  const before = performance.now();
  const response = await api<DatasetUpload>("GET", `/v1/dataset-uploads/${upload.id}?waitSeconds=1`);
  expect(performance.now() - before).toBeGreaterThanOrEqual(950);
  expect(response.body.state).toBe("awaiting_content");
  const tooLong = await api("GET", `/v1/dataset-uploads/${upload.id}?waitSeconds=31`);
  expect([tooLong.status, tooLong.body.error.code]).toEqual([400, "invalid_parameter"]);
});

test("a request that waits for an upload ends when the service stops", async () => {
  const second = await startTestService(service.settings);
  const own = await second.newOrganization();
  const upload = await newUploadSession(own.api);
  const statements = vi.spyOn(Client.prototype, "query");
  onTestFinished(() => statements.mockRestore());
  const waiting = own.api<DatasetUpload>("GET", `/v1/dataset-uploads/${upload.id}?waitSeconds=30`);
  // The look at what is waited for.
  await waitFor(() =>
    statements.mock.calls.some(([query]) =>
      JSON.stringify(query).includes('\\"finished_at\\" from \\"dataset_uploads\\"'),
    ),
  );
  await second.stop();
  expect((await waiting).body.state).toBe("awaiting_content");
});

test("a session is canceled while it awaits content, and only then", async () => {
  const upload = await newUploadSession(api);
  const canceled = await api<DatasetUpload>("POST", `/v1/dataset-uploads/${upload.id}/cancel`);
  expectStatus(canceled, 200);
  expect(canceled.body).toMatchObject({ state: "canceled", datasetId: null });
  expect(canceled.body.finishedAt).not.toBeNull();
  const again = await api("POST", `/v1/dataset-uploads/${upload.id}/cancel`);
  expect([again.status, again.body.error.code]).toEqual([409, "invalid_state"]);
  const late = await api("PUT", `/v1/dataset-uploads/${upload.id}/content`, { body: "a\n1\n" });
  expect([late.status, late.body.error.code]).toEqual([409, "invalid_state"]);
});

test("a session whose time is over takes no content and expires", async () => {
  const upload = await newUploadSession(api);
  const later = await newUploadSession(api);
  await service.query("update dataset_uploads set expires_at = now() - interval '1 second' where expires_at < $1", [
    later.upload?.expiresAt,
  ]);
  const put = await api("PUT", `/v1/dataset-uploads/${upload.id}/content`, { body: "a\n1\n" });
  expect([put.status, put.body.error.code]).toEqual([409, "invalid_state"]);
  // Workers look for such sessions when they start.
  const second = await startTestService(service.settings);
  const ended = await endedUpload(api, upload.id);
  expect(ended).toMatchObject({ state: "expired", datasetId: null });
  expect((await api("GET", `/v1/dataset-uploads/${later.id}`)).body["state"]).toBe("awaiting_content");
  await second.stop();
});

test.each([
  ["http://example.com/a.csv", "scheme"],
  ["https://127.0.0.1/a.csv", "address"],
  ["https://user@example.com/a.csv", "credentials"],
  ["https://localhost/a.csv", "local_name"],
])("the URL %s is refused at once: %s", async (url, reason) => {
  const created = await api("POST", "/v1/dataset-uploads", { body: { name: "By URL", source: { type: "url", url } } });
  expect(created.status).toBe(422);
  expect(created.body.error).toMatchObject({ code: "source_url_not_allowed", param: "source.url", reason });
});

test.each([
  ["two characters", "ab"],
  ["a quote", '"'],
  ["a line end", "\n"],
  ["no ASCII", "é"],
  ["nothing", ""],
])("a delimiter of %s is refused", async (_what, delimiter) => {
  const created = await api("POST", "/v1/dataset-uploads", {
    body: { name: "CSV", source: { type: "upload" }, csv: { delimiter } },
  });
  expect([created.status, created.body.error.param]).toEqual([400, "csv.delimiter"]);
});

test("uploads are listed newest first, page by page", async () => {
  const { api } = await service.newOrganization();
  const ids: string[] = [];
  for (let i = 0; i < 5; i++) ids.unshift((await newUploadSession(api)).id);
  const first = await api("GET", "/v1/dataset-uploads?limit=3");
  const rest = await api("GET", `/v1/dataset-uploads?limit=3&cursor=${first.body.nextCursor}`);
  expect([...first.body.data, ...rest.body.data].map(({ id }) => id)).toEqual(ids);
  expect(rest.body.nextCursor).toBeNull();
});

test("another organization sees, fills and cancels nothing", async () => {
  const stranger = await service.newOrganization();
  const upload = await newUploadSession(api);
  for (const [method, path] of [
    ["GET", ""],
    ["PUT", "/content"],
    ["POST", "/cancel"],
  ] as const) {
    const response = await stranger.api(
      method,
      `/v1/dataset-uploads/${upload.id}${path}`,
      method === "PUT" ? { body: "a\n1\n" } : {},
    );
    expect([response.status, response.body.error.code]).toEqual([404, "not_found"]);
  }
  expect((await stranger.api("GET", "/v1/dataset-uploads")).body.data).toEqual([]);
  expect((await api("GET", `/v1/dataset-uploads/${upload.id}`)).body["state"]).toBe("awaiting_content");
});

test("every change leaves an audit event", async () => {
  const upload = await uploadFile(api, "a\n1\n");
  const canceled = await newUploadSession(api);
  await api("POST", `/v1/dataset-uploads/${canceled.id}/cancel`);
  const audit = await waitFor(() =>
    service.query<{ type: string; target_id: string }>(
      "select type, target_id from audit_events where target_id = any($1) order by id",
      [[upload.id, canceled.id]],
    ),
  );
  expect(audit.map(({ type, target_id }) => `${type} ${target_id}`)).toEqual([
    `dataset_upload.created ${upload.id}`,
    `dataset_upload.content_received ${upload.id}`,
    `dataset_upload.created ${canceled.id}`,
    `dataset_upload.canceled ${canceled.id}`,
  ]);
});
