import { gunzipSync, zstdDecompressSync } from "node:zlib";
import { Client } from "pg";
import { describe, expect, test } from "vitest";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "../../testing/factories.ts";
import { formatRowId, parseId } from "../../platform/ids.ts";
import { insertRun } from "./exports-testing.ts";
import type { InsertedRun } from "./exports-testing.ts";
import { waitFor } from "../../testing/wait.ts";
import { outputIndexes, rows, startExportService } from "./export-service-testing.ts";

const { service, owner, run, query, createExport, endedExport, readyExport, download, sha256, filesOf } =
  await startExportService();

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

  test("reports its end in the run's events, without contents", async () => {
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
    [{ type: "outputs", format: "jsonl", delimiter: ";" }, "delimiter"],
    [{ type: "outputs", format: "parquet", delimiter: "," }, "delimiter"],
    [{ type: "outputs", format: "parquet", byteOrderMark: true }, "byteOrderMark"],
    [{ type: "outputs", format: "csv", delimiter: '"' }, "delimiter"],
    [{ type: "outputs", format: "csv", delimiter: "\n" }, "delimiter"],
    [{ type: "outputs", format: "csv", delimiter: ";;" }, "delimiter"],
    [{ type: "outputs", format: "csv", delimiter: "" }, "delimiter"],
    [{ type: "outputs", format: "csv", delimiter: "§" }, "delimiter"],
    [{ type: "outputs", format: "csv", delimiter: ";", columns: ["index", "indx"] }, "columns"],
    [{ type: "outputs", format: "csv", spreadsheet: true, formulaGuard: false }, "formulaGuard"],
  ] as const)("refuses %j", async ([body, param]) => {
    const response = await owner.api("POST", `/v1/runs/${run.runId}/exports`, { body });
    expect(response.status).toBe(400);
    expect(response.body.error).toMatchObject({ code: "invalid_request", param });
  });

  test("for an unknown run is 404", async () => {
    const response = await owner.api("POST", "/v1/runs/run_01jd3v8m7qe6t9yb4c2xk5w0hz/exports", {
      body: { type: "outputs", format: "csv" },
    });
    expect(response.status).toBe(404);
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

test("an export of a run that is deleted before it is written fails with a reason, and says why", async () => {
  const results = [{ index: 0, output: { a: 1 } }];
  const doomed = await insertRun(query, owner.organizationId, { rows: ["{}"], results });
  const other = new Client({ connectionString: service.settings["ROWMILL_DATABASE_URL"] });
  await other.connect();
  // The worker waits for this lock when its file is whole and only the end is to be written.
  await other.query("begin");
  await other.query("select from runs where id = $1 for update", [doomed.runUuid]);
  const { id } = await createExport({ type: "outputs", format: "csv" }, doomed);
  await waitFor(() => filesOf(id).length === 1);
  await other.query("update runs set deleted_at = now() where id = $1", [doomed.runUuid]);
  await other.query("commit");
  await other.end();
  const failed = await endedExport(id);
  expect(failed).toMatchObject({ status: "failed", error: { code: "run_deleted" }, downloadUrl: null });
  // Its state comes first.
  await waitFor(() => filesOf(id).length === 0);
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
