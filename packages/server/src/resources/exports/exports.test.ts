import { createHash } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, zstdDecompressSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "vitest";
import type { Export } from "@rowmill/contract/exports";
import type { ApiAnswer } from "../../testing/api.ts";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "../../testing/factories.ts";
import { startTestService } from "../../testing/service.ts";
import type { TestOrganization, TestService } from "../../testing/service.ts";
import { waitFor } from "../../testing/wait.ts";
import { formatRowId, parseId } from "../../platform/ids.ts";
import { insertManyOutputs, insertRun } from "./exports-testing.ts";
import type { InsertedRun, Query } from "./exports-testing.ts";

let service: TestService;
let owner: TestOrganization;
let run: InsertedRun;
const query: Query = (text, values) => service.query(text, values);

const rows = Array.from(
  { length: 1_203 },
  (_, n) => `{"n":${n},"city":"Ulm ${n}","exact":1.${"0".repeat(1 + (n % 5))}}`,
);

beforeAll(async () => {
  service = await startTestService();
  owner = await service.newOrganization();
  run = await insertRun(query, owner.organizationId, {
    rows,
    results: rows.map((_, index) =>
      index % 100 === 99
        ? { index, failure: { code: "provider_overloaded", message: "busy", details: { status: 503 } } }
        : { index, output: { label: `=${index}`, tags: [index] } },
    ),
  });
});

const outputIndexes = rows.map((_, index) => index).filter((index) => index % 100 !== 99);

async function createExport(body: Record<string, unknown>, from = run, of = owner): Promise<Export> {
  const created = await of.api<Export>("POST", `/v1/runs/${from.runId}/exports`, { body });
  expect(created).toMatchObject({ status: 201 });
  expect(created.headers["location"]).toBe(`/v1/exports/${created.body.id}`);
  expect(created.body).toMatchObject({ status: "queued", rowCount: null, downloadUrl: null, expiresAt: null });
  return created.body;
}

async function endedExport(id: string, of = owner): Promise<Export> {
  return waitFor(
    async () => {
      const { body } = await of.api<Export>("GET", `/v1/exports/${id}`);
      return body.finishedAt === null ? undefined : body;
    },
    { what: `the export ${id} has ended`, timeoutMs: 150_000 },
  );
}

async function readyExport(body: Record<string, unknown>, from = run): Promise<Export> {
  const ended = await endedExport((await createExport(body, from)).id);
  expect(ended).toMatchObject({ status: "ready", error: null });
  return ended;
}

const download = (id: string, headers: Record<string, string> = {}, method = "GET"): Promise<ApiAnswer<unknown>> =>
  owner.api(method, `/v1/exports/${id}/download`, { headers });

const sha256 = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");

/** Files in the store below the exports of one organization. */
function filesOf(exportId: string, of = owner): string[] {
  const folder = join(service.settings["ROWMILL_DATA_DIR"] ?? "", "files", "exports", of.organizationId, exportId);
  return existsSync(folder) ? readdirSync(folder) : [];
}

describe("an export", () => {
  test("of outputs is the list of outputs, line by line, in row order", async () => {
    const ready = await readyExport({ type: "outputs", format: "jsonl" });
    const { bytes, headers, status } = await download(ready.id);
    expect(status).toBe(200);
    expect(ready).toMatchObject({ rowCount: outputIndexes.length, sizeBytes: bytes.length, sha256: sha256(bytes) });
    expect(ready.downloadUrl).toBe(`${service.url}/v1/exports/${ready.id}/download`);
    const lines = bytes.toString().trimEnd().split("\n");
    const items = lines.map((line) => JSON.parse(line) as { index: number; datasetRowId: string; data: unknown });
    expect(items.map(({ index }) => index)).toEqual(outputIndexes);
    const dataset = parseId("dataset", run.datasetId) ?? "";
    expect(items[1]).toMatchObject({ datasetRowId: formatRowId(dataset, 1), data: { label: "=1", tags: [1] } });
    expect(headers).toMatchObject({
      etag: `"${ready.sha256}"`,
      "content-length": String(ready.sizeBytes),
      "content-type": "application/x-ndjson; charset=utf-8",
      "content-disposition": `attachment; filename="rows-outputs-${ready.id.slice(-6)}.jsonl"`,
      "x-content-type-options": "nosniff",
      "accept-ranges": "bytes",
    });
  });

  test("keeps its file for the time that is set", async () => {
    const ready = await readyExport({ type: "failures", format: "jsonl" });
    expect(Date.parse(ready.expiresAt ?? "") - Date.parse(ready.finishedAt ?? "")).toBe(168 * 3_600_000);
  });

  test("tells of its end in the run's events, without contents", async () => {
    const ready = await readyExport({ type: "failures", format: "csv" });
    const events = await service.query<{ type: string; payload: string; sequence: number }>(
      "select type, payload, sequence from events where run_id = $1 order by sequence",
      [run.runUuid],
    );
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, i) => i + 1));
    const payloads = events.map(({ payload }) => JSON.parse(payload) as { data: { id: string } });
    expect(payloads.find(({ data }) => data.id === ready.id)).toMatchObject({
      type: "export.ready",
      data: {
        object: "export",
        runId: run.runId,
        type: "failures",
        format: "csv",
        status: "ready",
        url: `/v1/exports/${ready.id}`,
      },
    });
  });

  test("with the rows' input has it byte for byte as it was stored, in both formats", async () => {
    const jsonl = await readyExport({ type: "failures", format: "jsonl", includeInput: true });
    const lines = (await download(jsonl.id)).text.trimEnd().split("\n");
    expect(lines).toHaveLength(12);
    for (const [i, line] of lines.entries()) expect(line.endsWith(`,"input":${rows[i * 100 + 99]}}`)).toBe(true);
    const csv = await readyExport({
      type: "outputs",
      format: "csv",
      includeInput: true,
      columns: ["index", "input.exact", "data.label", "input.city"],
      spreadsheet: true,
    });
    expect(csv).toMatchObject({ formulaGuard: true, guardedCells: outputIndexes.length });
    const [header, ...cells] = (await download(csv.id)).text.trimEnd().split("\n");
    expect(header).toBe('"index","input.exact","data.label","input.city"');
    expect(cells).toEqual(
      outputIndexes.map((index) => `${index},1.${"0".repeat(1 + (index % 5))},"'=${index}","Ulm ${index}"`),
    );
  });

  test("as CSV finds its columns, and guards against formulas only on request", async () => {
    const guard = await readyExport({ type: "outputs", format: "csv", formulaGuard: true });
    expect(guard).toMatchObject({ formulaGuard: true, guardedCells: outputIndexes.length });
    const guarded = await download(guard.id);
    expect(guarded.headers["content-type"]).toBe("text/csv; charset=utf-8");
    expect(guarded.text.split("\n")[0]).toContain('"index","data.label","data.tags","attempts"');
    expect(guarded.text.split("\n")[6]).toContain(`,5,"'=5","[5]",1,`);
    const plain = await readyExport({ type: "outputs", format: "csv" });
    expect(plain).toMatchObject({ formulaGuard: false, guardedCells: null });
    const bare = await download(plain.id);
    expect(bare.text.split("\n")[6]).toContain(`,5,"=5","[5]",1,`);
  });

  test("is the same to the byte when it is made again, compressed or not", async () => {
    for (const compression of ["none", "gzip", "zstd"]) {
      const body = { type: "outputs", format: "jsonl", includeInput: true, compression };
      const [first, second] = [await readyExport(body), await readyExport(body)];
      expect(second.sha256).toBe(first.sha256);
    }
  });

  test("is compressed with gzip or zstd as a file, not on the way", async () => {
    const plain = (await download((await readyExport({ type: "outputs", format: "csv" })).id)).text;
    const gzip = await readyExport({ type: "outputs", format: "csv", compression: "gzip" });
    const zstd = await readyExport({ type: "outputs", format: "csv", compression: "zstd" });
    const [gzipped, zstandard] = [await download(gzip.id), await download(zstd.id)];
    expect(gunzipSync(gzipped.bytes).toString()).toBe(plain);
    expect(zstdDecompressSync(zstandard.bytes).toString()).toBe(plain);
    expect(gzipped.headers).toMatchObject({
      "content-type": "application/gzip",
      "content-disposition": `attachment; filename="rows-outputs-${gzip.id.slice(-6)}.csv.gz"`,
    });
    expect(gzipped.headers["content-encoding"]).toBeUndefined();
    expect(zstandard.headers["content-disposition"]).toMatch(/-outputs-\w{6}\.csv\.zst"$/);
  });

  test("of nothing is an empty file, or a header alone", async () => {
    const empty = await insertRun(query, owner.organizationId, {
      rows: ['{"city":"Ulm"}'],
      results: [],
      outputSchema: { type: "object", properties: { label: {} } },
    });
    const jsonl = await readyExport({ type: "outputs", format: "jsonl" }, empty);
    expect(jsonl).toMatchObject({ rowCount: 0, sizeBytes: 0 });
    expect((await download(jsonl.id)).bytes).toHaveLength(0);
    expect((await download(jsonl.id, { Range: "bytes=0-" })).status).toBe(416);
    const gzip = await readyExport({ type: "outputs", format: "jsonl", compression: "gzip" }, empty);
    expect(gunzipSync((await download(gzip.id)).bytes)).toHaveLength(0);
    const csv = await readyExport({ type: "outputs", format: "csv", includeInput: true }, empty);
    expect((await download(csv.id)).text).toMatch(/^"datasetRowId","index","data.label".*,"input.city"\n$/);
    expect(csv.rowCount).toBe(0);
  });
});

test("of a real run and its retry, every type is its list line by line, and as CSV has a line for each item", async () => {
  const dataset = await newDataset(owner.api, numberedRows(700));
  const jobSpec = await newJobSpec(owner.api, { type: "mock", failEvery: 7, failUntilRetry: 1 });
  const created = await newRun(owner.api, { datasetId: dataset.id, jobSpecId: jobSpec.id });
  const first = await finishedRun(owner.api, created.id);
  expect(first.rows).toMatchObject({ total: 700, succeeded: 600, failed: 100 });
  const retry = await owner.api<{ id: string }>("POST", `/v1/runs/${first.id}/retry`);
  await finishedRun(owner.api, retry.body.id);
  const counts = [
    [first.id, "outputs", 600],
    [first.id, "failures", 100],
    [first.id, "rows", 700],
    [retry.body.id, "outputs", 100],
    [retry.body.id, "resolved_results", 700],
  ] as const;
  for (const [runId, type, count] of counts) {
    const of = { ...run, runId };
    const path = `/v1/runs/${runId}/${type.replace("_", "-")}`;
    const list = await owner.api("GET", path, { headers: { Accept: "application/x-ndjson" } });
    const jsonl = await readyExport({ type, format: "jsonl" }, of);
    expect(jsonl.rowCount).toBe(count);
    expect((await download(jsonl.id)).text).toBe(list.text);
    const csv = await readyExport({ type, format: "csv", includeInput: true }, of);
    const lines = (await download(csv.id)).text.trimEnd().split("\n");
    expect(lines).toHaveLength(1 + count);
    expect(lines[0]).toMatch(/^"datasetRowId","index",.*"input\.n"$/);
  }
});

describe("a download", () => {
  let ready: Export;
  let whole: Buffer;
  beforeAll(async () => {
    ready = await readyExport({ type: "outputs", format: "jsonl" });
    whole = (await download(ready.id)).bytes;
  });

  test("gives one range", async () => {
    const answer = await download(ready.id, { Range: "bytes=100-199" });
    expect(answer.status).toBe(206);
    expect(answer.bytes.equals(whole.subarray(100, 200))).toBe(true);
    expect(answer.headers).toMatchObject({
      "content-range": `bytes 100-199/${whole.length}`,
      "content-length": "100",
      etag: `"${ready.sha256}"`,
    });
    expect((await download(ready.id, { Range: "bytes=-50" })).bytes.equals(whole.subarray(-50))).toBe(true);
    expect((await download(ready.id, { Range: `bytes=${whole.length - 1}-` })).bytes).toHaveLength(1);
  });

  test("of a range behind the end says how long the file is", async () => {
    const answer = await download(ready.id, { Range: `bytes=${whole.length}-` });
    expect(answer.status).toBe(416);
    expect(answer.body).toMatchObject({ error: { code: "range_not_satisfiable" } });
    expect(answer.headers["content-range"]).toBe(`bytes */${whole.length}`);
  });

  test("with If-Range gives the range of this file only", async () => {
    const range = { Range: "bytes=0-9" };
    expect((await download(ready.id, { ...range, "If-Range": `"${ready.sha256}"` })).status).toBe(206);
    for (const other of ['"another"', `W/"${ready.sha256}"`, "Fri, 20 Nov 2026 09:30:00 GMT"]) {
      const answer = await download(ready.id, { ...range, "If-Range": other });
      expect(answer.status).toBe(200);
      expect(answer.bytes).toHaveLength(whole.length);
    }
  });

  test("of several ranges at once gives the whole file", async () => {
    const answer = await download(ready.id, { Range: "bytes=0-1,4-5" });
    expect([answer.status, answer.bytes.length]).toEqual([200, whole.length]);
  });

  test("of a file the client has is 304", async () => {
    const answer = await download(ready.id, { "If-None-Match": `"x", W/"${ready.sha256}"` });
    expect([answer.status, answer.bytes.length]).toEqual([304, 0]);
  });

  test("by HEAD has the headers alone", async () => {
    const answer = await download(ready.id, { Range: "bytes=0-9" }, "HEAD");
    expect(answer.status).toBe(200);
    expect(answer.bytes).toHaveLength(0);
    expect(answer.headers).toMatchObject({ "content-length": String(whole.length), etag: `"${ready.sha256}"` });
  });

  test("needs results:read beside exports:read", async () => {
    const { body: key } = await owner.api<{ key: string }>(
      "POST",
      `/v1/organizations/${owner.organizationId}/api-keys`,
      {
        body: { name: "No contents", scopes: ["exports:read"] },
      },
    );
    expect((await owner.api("GET", `/v1/exports/${ready.id}`, { key: key.key })).status).toBe(200);
    const refused = await owner.api("GET", `/v1/exports/${ready.id}/download`, { key: key.key });
    expect(refused.status).toBe(403);
    expect(refused.body.error.code).toBe("insufficient_scope");
  });
});

describe("creating", () => {
  test("with the same Idempotency-Key gives the first export and makes no other", async () => {
    const request = { body: { type: "rows", format: "jsonl" }, idempotencyKey: "the-same" };
    const path = `/v1/runs/${run.runId}/exports`;
    const [first, second] = await Promise.all([owner.api("POST", path, request), owner.api("POST", path, request)]);
    expect(second.body).toEqual(first.body);
    const { body } = await owner.api("GET", `${path}?type=rows`);
    expect(body.data.map(({ id }) => id)).toEqual([first.body.id]);
  });

  test.for([
    [{ type: "outputs", format: "jsonl", columns: ["index"] }, "columns"],
    [{ type: "outputs", format: "csv", columns: ["input.city"] }, "columns"],
    [{ type: "outputs", format: "csv", columns: ["input.town"], includeInput: true }, "columns"],
    [{ type: "outputs", format: "csv", columns: ["index", "indx"] }, "columns"],
    [{ type: "outputs", format: "csv", columns: ["usage.tokens"] }, "columns"],
    [{ type: "outputs", format: "parquet", columns: ["output.data.label"] }, "columns"],
    [{ type: "resolved_results", format: "csv", columns: ["data.label"] }, "columns"],
    [{ type: "outputs", format: "csv", layout: "flat" }, "layout"],
    [{ type: "outputs", format: "jsonl", formulaGuard: true }, "formulaGuard"],
    [{ type: "outputs", format: "parquet", spreadsheet: true }, "spreadsheet"],
    [{ type: "outputs", format: "csv", spreadsheet: true, formulaGuard: false }, "formulaGuard"],
  ] as const)("refuses %j", async ([body, param]) => {
    const answer = await owner.api("POST", `/v1/runs/${run.runId}/exports`, { body });
    expect(answer.status).toBe(400);
    expect(answer.body.error).toMatchObject({ code: "invalid_request", param });
  });

  test("for an unknown run is 404", async () => {
    const answer = await owner.api("POST", "/v1/runs/run_01jd3v8m7qe6t9yb4c2xk5w0hz/exports", {
      body: { type: "outputs", format: "csv" },
    });
    expect(answer.status).toBe(404);
  });
});

test("another organization sees, cancels and downloads nothing", async () => {
  const stranger = await service.newOrganization();
  const ready = await readyExport({ type: "failures", format: "jsonl" });
  const paths = [
    ["GET", `/v1/exports/${ready.id}`],
    ["GET", `/v1/exports/${ready.id}/download`],
    ["HEAD", `/v1/exports/${ready.id}/download`],
    ["POST", `/v1/exports/${ready.id}/cancel`],
    ["GET", `/v1/runs/${run.runId}/exports`],
  ] as const;
  for (const [method, path] of paths)
    expect({ path, status: (await stranger.api(method, path)).status }).toEqual({ path, status: 404 });
  const create = await stranger.api("POST", `/v1/runs/${run.runId}/exports`, { body: { type: "rows", format: "csv" } });
  expect(create.status).toBe(404);
  expect((await stranger.api("GET", `/v1/exports?runId=${run.runId}`)).body.data).toEqual([]);
});

test("lists are newest first, filtered, and go on by cursor", async () => {
  const other = await service.newOrganization();
  const [one, two] = await Promise.all(
    [1, 2].map(() => insertRun(query, other.organizationId, { rows: ["{}"], results: [] })),
  );
  const make = async (of: InsertedRun | undefined, type: string, format: string): Promise<string> =>
    (await createExport({ type, format }, of, other)).id;
  const ids = [
    await make(one, "outputs", "jsonl"),
    await make(one, "failures", "csv"),
    await make(two, "outputs", "csv"),
    await make(two, "rows", "jsonl"),
  ];
  await Promise.all(ids.map((id) => endedExport(id, other)));
  const list = async (path: string): Promise<number[]> =>
    (await other.api("GET", path)).body.data.map(({ id }) => ids.indexOf(id));
  expect(await list("/v1/exports")).toEqual([3, 2, 1, 0]);
  expect(await list(`/v1/exports?runId=${one?.runId}`)).toEqual([1, 0]);
  expect(await list("/v1/exports?type=outputs,rows&format=jsonl")).toEqual([3, 0]);
  expect(await list("/v1/exports?status=ready&type=failures")).toEqual([1]);
  expect(await list("/v1/exports?status=queued,failed")).toEqual([]);
  expect(await list(`/v1/runs/${two?.runId}/exports?format=csv&status=ready&type=outputs`)).toEqual([2]);
  const first = await other.api("GET", "/v1/exports?limit=3&status=ready");
  expect(await list(`/v1/exports?limit=3&status=ready&cursor=${first.body.nextCursor}`)).toEqual([0]);
  expect((await other.api("GET", "/v1/exports?status=done")).status).toBe(400);
});

describe("the end of a file", () => {
  test("an export in hand that is canceled stops, and leaves no file", async () => {
    const large = await insertRun(query, owner.organizationId, { rows: ["{}"], results: [] });
    await insertManyOutputs(query, large.runUuid, 300_000);
    const { id } = await createExport({ type: "outputs", format: "csv", compression: "gzip" }, large);
    await waitFor(async () => (await owner.api("GET", `/v1/exports/${id}`)).body["status"] === "running");
    expect((await download(id)).status).toBe(409);
    const canceled = await owner.api<Export>("POST", `/v1/exports/${id}/cancel`);
    expect(canceled.body).toMatchObject({ status: "canceled", downloadUrl: null, rowCount: null });
    // The worker has seen it: its claim leaves the row when the files are gone.
    await waitFor(async () => {
      const [row] = await service.query<{ storage_key: string | null }>(
        "select storage_key from exports where id = $1",
        [parseId("export", id)],
      );
      return row?.storage_key === null;
    });
    expect(filesOf(id)).toEqual([]);
    expect((await owner.api<Export>("POST", `/v1/exports/${id}/cancel`)).body).toEqual(canceled.body);
    expect((await owner.api<Export>("GET", `/v1/exports/${id}`)).body).toEqual(canceled.body);
    const gone = await download(id);
    expect(gone.status).toBe(409);
  });

  test("an export that is ready cannot be canceled", async () => {
    const ready = await readyExport({ type: "failures", format: "jsonl" });
    const answer = await owner.api("POST", `/v1/exports/${ready.id}/cancel`);
    expect([answer.status, answer.body.error.code]).toEqual([409, "invalid_state"]);
    expect((await download(ready.id)).status).toBe(200);
  });

  test("past its time, or with its run deleted, the file is gone", async () => {
    const doomed = await insertRun(query, owner.organizationId, {
      rows: ["{}"],
      results: [{ index: 0, output: 1 }],
    });
    const kept = await readyExport({ type: "outputs", format: "jsonl" });
    const old = await readyExport({ type: "outputs", format: "jsonl" });
    const orphan = await readyExport({ type: "outputs", format: "jsonl" }, doomed);
    expect([kept, old, orphan].map(({ id }) => filesOf(id).length)).toEqual([1, 1, 1]);
    await service.query("update exports set expires_at = now() where id = $1", [parseId("export", old.id)]);
    await service.query("update runs set deleted_at = now() where id = $1", [doomed.runUuid]);
    for (const { id } of [old, orphan]) {
      const answer = await download(id);
      expect([answer.status, (answer.body as { error: { code: string } }).error.code]).toEqual([410, "export_expired"]);
    }
    // A process that starts runs its periodic tasks at once.
    const second = await startTestService(service.settings);
    const expired = await waitFor(async () => {
      const { body } = await owner.api("GET", `/v1/exports?status=expired`);
      return filesOf(old.id).length + filesOf(orphan.id).length === 0 && body.data.length === 2 ? body.data : undefined;
    });
    expect(expired.map(({ id }) => id).toSorted()).toEqual([old.id, orphan.id].toSorted());
    expect(expired[1]).toMatchObject({ downloadUrl: null, sha256: old.sha256 });
    expect(filesOf(kept.id)).toHaveLength(1);
    expect((await download(old.id)).status).toBe(410);
    expect((await download(kept.id)).status).toBe(200);
    await second.stop();
  });
});

test("an export of a run that is deleted before it is written fails with a reason, and tells so", async () => {
  const doomed = await insertRun(query, owner.organizationId, { rows: ["{}"], results: [] });
  await insertManyOutputs(query, doomed.runUuid, 100_000);
  const { id } = await createExport({ type: "outputs", format: "csv" }, doomed);
  await service.query("update runs set deleted_at = now() where id = $1", [doomed.runUuid]);
  const failed = await endedExport(id);
  expect(failed).toMatchObject({ status: "failed", error: { code: "run_deleted" }, downloadUrl: null });
  expect(filesOf(id)).toEqual([]);
  const events = await service.query<{ type: string }>("select type from events where payload like $1", [`%${id}%`]);
  expect(events).toEqual([{ type: "export.failed" }]);
});

test("rows with too many columns end a CSV export with a reason", async () => {
  const output = Object.fromEntries(Array.from({ length: 2_001 }, (_, i) => [`c${i}`, i]));
  const wide = await insertRun(query, owner.organizationId, { rows: ["{}"], results: [{ index: 0, output }] });
  const failed = await endedExport((await createExport({ type: "outputs", format: "csv" }, wide)).id);
  expect(failed).toMatchObject({ status: "failed", error: { code: "too_many_columns" }, rowCount: null });
  await readyExport({ type: "outputs", format: "csv", columns: ["data.c2000"] }, wide);
  await readyExport({ type: "outputs", format: "jsonl" }, wide);
});
