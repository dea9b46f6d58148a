import { beforeAll, describe, expect, test } from "vitest";
import type { Export } from "@rowmill/contract/exports";
import { expectStatus } from "../../testing/api.ts";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "../../testing/factories.ts";
import { startTestService } from "../../testing/service.ts";
import type { TestOrganization, TestService } from "../../testing/service.ts";
import { waitFor } from "../../testing/wait.ts";
import { insertRun, readCsvTable, readParquetTable } from "./exports-testing.ts";
import type { InsertedRun, Query, ResultToInsert, RunToInsert } from "./exports-testing.ts";

let service: TestService;
let owner: TestOrganization;
const query: Query = (text, values) => service.query(text, values);

const outputSchema = {
  type: "object",
  properties: { label: { type: "string" }, score: { type: "number" }, city: { type: "string" } },
  required: ["label"],
  additionalProperties: false,
};
const failure = { code: "provider_overloaded", message: "busy" };

let towns: InsertedRun;
beforeAll(async () => {
  service = await startTestService();
  owner = await service.newOrganization();
  towns = await makeRun({
    rows: [
      '{"city":"Ulm","phone":"+49 731 1","people":126000}',
      '{"city":"Köln","phone":"0221","people":1087000}',
      '{"city":"Hof","phone":null,"people":46000}',
    ],
    results: [
      { index: 0, output: { label: "a", score: 1, city: "ULM" } },
      { index: 1, failure },
    ],
    outputSchema,
  });
});

const makeRun = (run: RunToInsert): Promise<InsertedRun> => insertRun(query, owner.organizationId, run);

async function endedExport(runId: string, body: Record<string, unknown>): Promise<Export> {
  const created = await owner.api<Export>("POST", `/v1/runs/${runId}/exports`, {
    body: { type: "resolved_results", layout: "flat", ...body },
  });
  expectStatus(created, 201);
  return waitFor(
    async () => {
      const { body: found } = await owner.api<Export>("GET", `/v1/exports/${created.body.id}`);
      return found.finishedAt === null ? undefined : found;
    },
    { what: `the export ${created.body.id} has ended`, timeoutMs: 240_000 },
  );
}

async function fileOf(runId: string, body: Record<string, unknown>): Promise<{ ready: Export; bytes: Buffer }> {
  const ready = await endedExport(runId, body);
  expect(ready).toMatchObject({ status: "ready", error: null });
  const { bytes } = await owner.api("GET", `/v1/exports/${ready.id}/download`);
  return { ready, bytes };
}

const linesOf = async (run: InsertedRun, body: Record<string, unknown> = {}): Promise<string[]> =>
  (await fileOf(run.runId, { format: "csv", ...body })).bytes.toString().trimEnd().split("\n");

describe("a flat export", () => {
  test("as CSV is a table of the input, the output and the state of every row", async () => {
    const { ready, bytes } = await fileOf(towns.runId, { format: "csv" });
    expect(bytes.toString()).toBe(
      '"city","phone","people","label","score","output_city","row_state","failure_code"\n' +
        '"Ulm","+49 731 1",126000,"a",1,"ULM","succeeded",\n' +
        '"Köln","0221",1087000,,,,"failed","provider_overloaded"\n' +
        '"Hof",,46000,,,,"skipped",\n',
    );
    expect(ready).toMatchObject({ layout: "flat", includeInput: true, rowCount: 3, guardedCells: null });
    const table = await readCsvTable(bytes);
    expect(table.types).toMatchObject({ people: "BIGINT", label: "VARCHAR", row_state: "VARCHAR" });
    expect(table.rows.map((row) => row.slice(-2))).toEqual([
      ["succeeded", null],
      ["failed", "provider_overloaded"],
      ["skipped", null],
    ]);
  });

  test("as JSONL has all columns in each line, values as they were spelled", async () => {
    const { bytes } = await fileOf(towns.runId, { format: "jsonl" });
    expect(bytes.toString().split("\n")).toEqual([
      '{"city":"Ulm","phone":"+49 731 1","people":126000,"label":"a","score":1,"output_city":"ULM","row_state":"succeeded","failure_code":null}',
      '{"city":"Köln","phone":"0221","people":1087000,"label":null,"score":null,"output_city":null,"row_state":"failed","failure_code":"provider_overloaded"}',
      '{"city":"Hof","phone":null,"people":46000,"label":null,"score":null,"output_city":null,"row_state":"skipped","failure_code":null}',
      "",
    ]);
  });

  test("as Parquet has typed columns", async () => {
    const table = await readParquetTable((await fileOf(towns.runId, { format: "parquet" })).bytes);
    expect(table.types).toEqual({
      city: "VARCHAR",
      phone: "VARCHAR",
      people: "BIGINT",
      label: "VARCHAR",
      score: "DOUBLE",
      output_city: "VARCHAR",
      row_state: "VARCHAR",
      failure_code: "VARCHAR",
    });
    expect(table.rows).toEqual([
      ["Ulm", "+49 731 1", "126000", "a", 1, "ULM", "succeeded", null],
      ["Köln", "0221", "1087000", null, null, null, "failed", "provider_overloaded"],
      ["Hof", null, "46000", null, null, null, "skipped", null],
    ]);
  });

  test("has lines for pending and canceled rows, too", async () => {
    const run = await makeRun({ rows: ['{"n":1}', '{"n":2}'], results: [{ index: 0, output: { a: 1 } }] });
    await service.query("update runs set state = 'canceled' where id = $1", [run.runUuid]);
    expect((await linesOf(run)).slice(1)).toEqual(['1,1,"succeeded",', '2,,"canceled",']);
    await service.query("update runs set state = 'paused', finished_at = null, final_counts = null where id = $1", [
      run.runUuid,
    ]);
    expect((await linesOf(run)).slice(1)).toEqual(['1,1,"succeeded",', '2,,"pending",']);
  });

  test("has the columns asked for, in their order, and without the input where that is not wanted", async () => {
    expect(await linesOf(towns, { columns: ["failure_code", "output_city", "people"] })).toEqual([
      '"failure_code","output_city","people"',
      ',"ULM",126000',
      '"provider_overloaded",,1087000',
      ",,46000",
    ]);
    expect(await linesOf(towns, { includeInput: false })).toEqual([
      '"label","score","city","row_state","failure_code"',
      '"a",1,"ULM","succeeded",',
      ',,,"failed","provider_overloaded"',
      ',,,"skipped",',
    ]);
    const { bytes } = await fileOf(towns.runId, { format: "jsonl", columns: ["row_state", "label"] });
    expect(bytes.toString().split("\n")[0]).toBe('{"row_state":"succeeded","label":"a"}');
  });

  test("refuses a column that does not exist, at once where that is known, else when it reads the rows", async () => {
    const refused = await owner.api("POST", `/v1/runs/${towns.runId}/exports`, {
      body: { type: "resolved_results", layout: "flat", format: "csv", columns: ["city", "lable"] },
    });
    const message = "There is no column `lable`. Did you mean `label`?";
    expect(refused).toMatchObject({
      status: 400,
      body: {
        error: { code: "invalid_request", param: "columns", message, details: [{ path: "/columns/1", message }] },
      },
    });
    const open = await makeRun({ rows: ["{}"], results: [{ index: 0, output: { label: 1 } }] });
    expect(await endedExport(open.runId, { format: "csv", columns: ["lable"] })).toMatchObject({
      status: "failed",
      error: { code: "unknown_column", message },
    });
  });

  test("gives outputs that are not objects a column", async () => {
    const results = ["text", 5, [1, 2], { a: "x" }, null].map((output, index): ResultToInsert => ({ index, output }));
    const run = await makeRun({ rows: results.map(({ index }) => `{"n":${index}}`), results });
    expect(await linesOf(run)).toEqual([
      '"n","output","a","row_state","failure_code"',
      '0,"text",,"succeeded",',
      '1,5,,"succeeded",',
      '2,"[1,2]",,"succeeded",',
      '3,,"x","succeeded",',
      '4,,,"succeeded",',
    ]);
    const numbers = await makeRun({
      rows: ["{}"],
      results: [{ index: 0, output: 0.5 }],
      outputSchema: { type: "number" },
    });
    const table = await readParquetTable((await fileOf(numbers.runId, { format: "parquet" })).bytes);
    expect(table.types).toEqual({ output: "DOUBLE", row_state: "VARCHAR", failure_code: "VARCHAR" });
    expect(table.rows).toEqual([[0.5, "succeeded", null]]);
  });

  test("prefixes names that clash, in any case of letters", async () => {
    const run = await makeRun({
      rows: ['{"City":1,"row_state":2,"output_n":3,"n":4,"output":5}'],
      results: [{ index: 0, output: { city: 6, failure_code: 7, n: 8, output_city: 9 } }],
    });
    const lines = await linesOf(run);
    expect(lines[0]).toBe(
      '"City","input_row_state","output_n","n","output","output_output_city","output_failure_code","output_output_n","output_city","row_state","failure_code"',
    );
    expect(lines[1]).toBe('1,2,3,4,5,6,7,8,9,"succeeded",');
    const table = await readParquetTable((await fileOf(run.runId, { format: "parquet" })).bytes);
    expect(
      Object.keys(table.types)
        .map((name) => `"${name}"`)
        .join(","),
    ).toBe(lines[0]);
  });

  test("counts the cells that the formula guard changed", async () => {
    const { ready, bytes } = await fileOf(towns.runId, { format: "csv", spreadsheet: true });
    expect(ready).toMatchObject({ formulaGuard: true, guardedCells: 1 });
    expect(bytes.toString()).toContain(`"Ulm","'+49 731 1",`);
  });
});

test("of a retry run has the rows of the first run's scope, whose results come from both", async () => {
  const dataset = await newDataset(owner.api, numberedRows(700));
  const jobSpec = await newJobSpec(owner.api, { type: "mock", failEvery: 7, failUntilRetry: 1 });
  const scope = { type: "range", from: 100, to: 650 } as const;
  const created = await newRun(owner.api, { datasetId: dataset.id, jobSpecId: jobSpec.id, scope });
  const first = await finishedRun(owner.api, created.id);
  const before = await fileOf(first.id, { format: "csv", columns: ["row_state"] });
  expect(before.bytes.toString().match(/"failed"/g)).toHaveLength(first.rows.failed);
  const retry = await owner.api<{ id: string }>("POST", `/v1/runs/${first.id}/retry`);
  await finishedRun(owner.api, retry.body.id);
  const { ready, bytes } = await fileOf(retry.body.id, { format: "parquet" });
  expect(ready.rowCount).toBe(550);
  const table = await readParquetTable(bytes);
  expect(table.types).toMatchObject({ n: "BIGINT", row_state: "VARCHAR" });
  const names = Object.keys(table.types);
  expect(table.rows.map((row) => row[names.indexOf("n")])).toEqual(
    Array.from({ length: 550 }, (_, position) => String(100 + position)),
  );
  expect(new Set(table.rows.map((row) => row[names.indexOf("row_state")]))).toEqual(new Set(["succeeded"]));
  const again = await fileOf(retry.body.id, { format: "parquet" });
  expect(again.ready.sha256).toBe(ready.sha256);
});

describe("a nested export of resolved results", () => {
  test("opens outputs and failures as their own exports do, typed", async () => {
    const { bytes } = await fileOf(towns.runId, { format: "parquet", layout: "nested" });
    const table = await readParquetTable(bytes);
    expect(table.types).toMatchObject({
      resultState: "VARCHAR",
      "output.data.label": "VARCHAR",
      "output.data.score": "DOUBLE",
      "output.attempts": "INTEGER",
      "output.usage.inputTokens": "BIGINT",
      "output.producedAt": "TIMESTAMP WITH TIME ZONE",
      "failure.code": "VARCHAR",
      "failure.retryable": "BOOLEAN",
      "failure.details": "VARCHAR",
    });
    expect(table.types).not.toHaveProperty("output.data");
    const score = Object.keys(table.types).indexOf("output.data.score");
    expect(table.rows.map((row) => row[score])).toEqual([1, null, null]);
  });

  test("has a chosen field of the output, and refuses a misspelt one", async () => {
    const columns = ["index", "output.data.label", "failure.code"];
    expect(await linesOf(towns, { layout: "nested", columns })).toEqual([
      '"index","output.data.label","failure.code"',
      '0,"a",',
      '1,,"provider_overloaded"',
      "2,,",
    ]);
    for (const [column, nearest] of [
      ["output.data.lable", "output.data.label"],
      ["label", "output.data.label"],
      ["failure.kode", "failure.code"],
      ["resultstate", "resultState"],
    ]) {
      const refused = await owner.api("POST", `/v1/runs/${towns.runId}/exports`, {
        body: { type: "resolved_results", format: "csv", columns: [column] },
      });
      expect(refused).toMatchObject({
        status: 400,
        body: { error: { message: `There is no column \`${column}\`. Did you mean \`${nearest}\`?` } },
      });
    }
  });

  test("writes details of failures as text", async () => {
    const run = await makeRun({
      rows: ["{}"],
      results: [{ index: 0, failure: { ...failure, details: { status: 503 } } }],
    });
    const columns = ["failure.details"];
    expect(await linesOf(run, { layout: "nested", columns })).toEqual(['"failure.details"', '"{""status"":503}"']);
    const [header, line] = await linesOf(run, { layout: "nested" });
    expect(header).toContain('"failure.details"');
    expect(line).toContain('"{""status"":503}"');
  });
});
