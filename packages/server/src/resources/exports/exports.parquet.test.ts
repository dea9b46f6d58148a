import { beforeAll, expect, test } from "vitest";
import type { Export } from "@rowmill/contract/exports";
import type { ApiResponse } from "../../testing/api.ts";
import { startTestService } from "../../testing/service.ts";
import type { TestOrganization, TestService } from "../../testing/service.ts";
import { waitFor } from "../../testing/wait.ts";
import { insertManyOutputs, insertRun, readParquetTable } from "./exports-testing.ts";
import type { InsertedRun, ParquetTable, Query, ResultToInsert } from "./exports-testing.ts";

let service: TestService;
let owner: TestOrganization;
const query: Query = (text, values) => service.query(text, values);

beforeAll(async () => {
  service = await startTestService();
  owner = await service.newOrganization();
});

async function newRun(
  outputs: readonly unknown[],
  options: { rows?: string[]; outputSchema?: object } = {},
): Promise<InsertedRun> {
  const results = outputs.map((output, index): ResultToInsert => ({ index, output }));
  return insertRun(query, owner.organizationId, { rows: outputs.map(() => "{}"), ...options, results });
}

async function createExport(run: InsertedRun, body: Record<string, unknown> = {}): Promise<Export> {
  const created = await owner.api<Export>("POST", `/v1/runs/${run.runId}/exports`, {
    body: { type: "outputs", format: "parquet", ...body },
  });
  expect(created).toMatchObject({ status: 201, body: { format: "parquet" } });
  return created.body;
}

async function endedExport(run: InsertedRun, body: Record<string, unknown> = {}): Promise<Export> {
  const { id } = await createExport(run, body);
  return waitFor(
    async () => {
      const response = await owner.api<Export>("GET", `/v1/exports/${id}`);
      return response.body.finishedAt === null ? undefined : response.body;
    },
    { what: `the export ${id} has ended`, timeoutMs: 240_000 },
  );
}

async function readyExport(run: InsertedRun, body: Record<string, unknown> = {}): Promise<Export> {
  const ended = await endedExport(run, body);
  expect(ended).toMatchObject({ status: "ready", error: null });
  return ended;
}

const download = (id: string): Promise<ApiResponse<unknown>> => owner.api("GET", `/v1/exports/${id}/download`);

async function tableOf(run: InsertedRun, body: Record<string, unknown> = {}): Promise<ParquetTable> {
  const ready = await readyExport(run, body);
  const table = await readParquetTable((await download(ready.id)).bytes);
  expect(table.rows).toHaveLength(ready.rowCount ?? -1);
  return table;
}

/** The values of one column of the given type. */
function valuesOf(table: ParquetTable, name: string, type: string): unknown[] {
  expect({ [name]: table.types[name] }).toEqual({ [name]: type });
  const position = Object.keys(table.types).indexOf(name);
  return table.rows.map((row) => row[position]);
}

test("a Parquet export has the columns of CSV, each of the type that all its values have", async () => {
  const run = await newRun([
    { whole: 1, share: 0.5, ok: true, label: "a", tags: ["x", 1], more: { deep: null }, none: null },
    { whole: -9007199254740991, share: 2, ok: false, label: 'ü"\\\n😀\u0001', tags: [], late: "only here" },
    { whole: null, share: 1e300, label: "" },
  ]);
  const ready = await readyExport(run);
  const response = await download(ready.id);
  expect(response.headers).toMatchObject({
    "content-type": "application/vnd.apache.parquet",
    "content-disposition": `attachment; filename="rows-outputs-${ready.id.slice(-6)}.parquet"`,
  });
  expect(ready).toMatchObject({ rowCount: 3, compression: "zstd", sizeBytes: response.bytes.length });
  const table = await readParquetTable(response.bytes);
  expect(table.types).toEqual({
    datasetRowId: "VARCHAR",
    index: "BIGINT",
    "data.whole": "BIGINT",
    "data.share": "DOUBLE",
    "data.ok": "BOOLEAN",
    "data.label": "VARCHAR",
    "data.tags": "VARCHAR",
    "data.more": "VARCHAR",
    "data.none": "VARCHAR",
    "data.late": "VARCHAR",
    attempts: "INTEGER",
    "usage.inputTokens": "BIGINT",
    "usage.outputTokens": "BIGINT",
    "usage.requests": "BIGINT",
    "usage.unpricedRequests": "BIGINT",
    "usage.cached": "BOOLEAN",
    "usage.calls": "VARCHAR",
    "usage.costUsd": "VARCHAR",
    "usage.assumedCostUsd": "VARCHAR",
    producedAt: "TIMESTAMP WITH TIME ZONE",
  });
  expect(table.rows.map((row) => row.slice(1, 10))).toEqual([
    ["0", "1", 0.5, true, "a", '["x",1]', '{"deep":null}', null, null],
    ["1", "-9007199254740991", 2, false, 'ü"\\\n😀\u0001', "[]", null, null, "only here"],
    ["2", null, 1e300, null, "", null, null, null, null],
  ]);
  expect(table.rows[0]?.slice(10)).toEqual([1, ...Array.from({ length: 8 }, () => null), "2026-11-20 09:30:00+00"]);
});

test("no number loses a digit: what BIGINT and DOUBLE cannot keep is text, as it was spelled", async () => {
  const rows = [
    '{"big":9007199254740993,"exact":1.10,"long":0.12345678901234567890,"huge":1e400,"kinds":1}',
    '{"big":1,"exact":-0,"long":1.50,"huge":2,"kinds":"1"}',
    '{"big":-12345678901234567890,"exact":5e-324,"long":7,"huge":3,"kinds":{"a": [1.10]}}',
    '{"big":null,"exact":1.7976931348623157e308,"long":null,"huge":4,"kinds":true}',
  ];
  const table = await tableOf(await newRun([0, 0, 0, 0], { rows }), { includeInput: true });
  expect(valuesOf(table, "input.big", "VARCHAR")).toEqual(["9007199254740993", "1", "-12345678901234567890", null]);
  expect(valuesOf(table, "input.exact", "DOUBLE")).toEqual([1.1, -0, 5e-324, 1.7976931348623157e308]);
  expect(valuesOf(table, "input.long", "VARCHAR")).toEqual(["0.12345678901234567890", "1.50", "7", null]);
  expect(valuesOf(table, "input.huge", "VARCHAR")).toEqual(["1e400", "2", "3", "4"]);
  expect(valuesOf(table, "input.kinds", "VARCHAR")).toEqual(["1", "1", '{"a": [1.10]}', "true"]);
});

test("doubles come back to the bit", async () => {
  let seed = 11;
  const random = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
  // Those from 2^53 up to 10^21 are spelled as integers, and would be texts.
  const exponents = [-308, -100, -30, -7, -1, 0, 1, 5, 15, 23, 100, 307];
  const values = Array.from({ length: 6_000 }, (_, n) => (random() + 0.1) * 10 ** (exponents[n % 12] ?? 0));
  const table = await tableOf(await newRun(values), { columns: ["data"] });
  expect(valuesOf(table, "data", "DOUBLE")).toEqual(values);
});

test("the output schema decides where values would leave it open, and gives way where they do not fit", async () => {
  const outputSchema = {
    type: "object",
    properties: {
      score: { type: "number" },
      never: { type: ["boolean", "null"] },
      text: { type: "string" },
      wrong: { type: "integer" },
    },
  };
  const table = await tableOf(await newRun([{ score: 1, text: "5", wrong: 1.5 }], { outputSchema }));
  expect(valuesOf(table, "data.score", "DOUBLE")).toEqual([1]);
  expect(valuesOf(table, "data.never", "BOOLEAN")).toEqual([null]);
  expect(valuesOf(table, "data.text", "VARCHAR")).toEqual(["5"]);
  expect(valuesOf(table, "data.wrong", "DOUBLE")).toEqual([1.5]);
});

test("an export of nothing is a table with the known columns and no row", async () => {
  const outputSchema = { type: "object", properties: { score: { type: "number" }, label: {} } };
  const run = await insertRun(query, owner.organizationId, { rows: ['{"city":"Ulm"}'], results: [], outputSchema });
  const table = await tableOf(run, { includeInput: true });
  expect(table.rows).toEqual([]);
  expect(table.types).toMatchObject({
    index: "BIGINT",
    "data.score": "DOUBLE",
    "data.label": "VARCHAR",
    attempts: "INTEGER",
    producedAt: "TIMESTAMP WITH TIME ZONE",
    "input.city": "VARCHAR",
  });
  const failures = await tableOf(run, { type: "failures" });
  expect(failures.rows).toEqual([]);
  expect(failures.types["retryable"]).toBe("BOOLEAN");
});

test("chosen columns stand in the order asked for, and names that are no plain names are kept", async () => {
  const names = ["data.a\"b'c", "index", "data.Name", "data.name", "data.", "input.n", "data"];
  const output = { "a\"b'c": 1, name: "small", Name: "large", "": "empty" };
  const run = await newRun([output], { rows: ['{"n":3}'] });
  const table = await tableOf(run, { columns: names, includeInput: true });
  const expected = names.map((name) => (name === "data.name" ? "data.name_2" : name));
  expect(Object.keys(table.types)).toEqual(expected);
  expect(table.rows).toEqual([["1", "0", "large", "small", "empty", "3", JSON.stringify(output)]]);
});

test("texts and names with what no file can spell are written with a sign in its place", async () => {
  const rows = ['{"half":"a\\ud800b","nul":"a\\u0000b","deep":["\\ud800"]}'];
  const table = await tableOf(await newRun([{ "n\ud800": 1 }], { rows }), { includeInput: true });
  expect(valuesOf(table, "input.half", "VARCHAR")).toEqual(["a\ufffdb"]);
  expect(valuesOf(table, "input.nul", "VARCHAR")).toEqual(["a\0b"]);
  expect(valuesOf(table, "input.deep", "VARCHAR")).toEqual(['["\\ud800"]']);
  expect(valuesOf(table, "data.n\ufffd", "BIGINT")).toEqual(["1"]);
});

test("rows stand in dataset order over several row groups, and the same content gives the same bytes", async () => {
  const ROWS = 20_000;
  const run = await newRun([]);
  // A row group has 32 MB.
  await insertManyOutputs(query, run.runUuid, ROWS, 1_920);
  const [first, second] = [await readyExport(run), await readyExport(run)];
  expect(first).toMatchObject({ rowCount: ROWS, sha256: second.sha256 });
  const table = await readParquetTable((await download(first.id)).bytes);
  expect(table.metadata.filter(([column]) => column === "index").length).toBeGreaterThan(1);
  const indexes = valuesOf(table, "index", "BIGINT");
  expect(indexes).toEqual(Array.from({ length: ROWS }, (_, n) => String(500 + n)));
});

test("compression is that of the pages: the file is plain Parquet", async () => {
  const run = await newRun([{ a: "x".repeat(500) }, { a: "y".repeat(500) }]);
  const codecs = { none: "UNCOMPRESSED", gzip: "GZIP", zstd: "ZSTD" };
  for (const [compression, codec] of Object.entries(codecs)) {
    const ready = await readyExport(run, { compression });
    const { bytes, headers } = await download(ready.id);
    expect((await readParquetTable(bytes)).codecs).toEqual([codec]);
    expect(headers).toMatchObject({
      "content-type": "application/vnd.apache.parquet",
      "content-disposition": `attachment; filename="rows-outputs-${ready.id.slice(-6)}.parquet"`,
    });
  }
});

test("rows of megabytes are written", async () => {
  const run = await newRun(
    Array.from({ length: 12 }, (_, n) => ({ text: String.fromCharCode(97 + (n % 26)).repeat(4 << 20) })),
  );
  const table = await tableOf(run, { columns: ["data.text"] });
  const texts = valuesOf(table, "data.text", "VARCHAR");
  expect(texts.map((text) => [String(text).length, String(text)[0]])).toEqual(
    Array.from({ length: 12 }, (_, n) => [4 << 20, String.fromCharCode(97 + (n % 26))]),
  );
});

test("rows with too many columns end the export with a reason", async () => {
  const run = await newRun([Object.fromEntries(Array.from({ length: 2_001 }, (_, i) => [`c${i}`, i]))]);
  expect(await endedExport(run)).toMatchObject({ status: "failed", error: { code: "too_many_columns" } });
});
