/** A dataset's whole way through the service, step by step, and what it leaves when it is deleted. */
import { createReadStream } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { DuckDBInstance } from "@duckdb/node-api";
import type { Rowmill } from "@rowmill/client";
import type { Client } from "pg";
import { withClient } from "../support/plain-table.ts";
import { rowFormats, writeRowFiles } from "../support/row-files.ts";
import { measureStep, sizesOf } from "./place.ts";
import type { Place, Step } from "./place.ts";

export interface Way {
  rows: number;
  steps: Step[];
  deletion: string[];
}

/** Of a hundred rows one fails in the first run, and none in the retry run. */
const FAIL_EVERY = 100;
const LONG = { timeoutMs: 7_200_000 };
const TABLES = ["run_segments", "run_chunks", "run_failures", "runs", "dataset_chunks"];

export async function goTheWay(place: Place, rows: number): Promise<Way> {
  const { rowmill } = place.service;
  const pathOf = await writeRowFiles(place.folder, rows);
  return await withClient(place.connectionString, async (client) => {
    const empty = await sizesOf(place, client);
    const steps: Step[] = [];
    const step = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
      let result: { value: T } | undefined;
      steps.push(await measureStep(place, client, what, async () => (result = { value: await work() })));
      if (result === undefined) throw new Error(`${what} has no result`);
      return result.value;
    };

    const datasets: string[] = [];
    for (const format of rowFormats) {
      const dataset = await step(`upload, ${format}`, () =>
        rowmill.datasets.upload({ name: format, format, content: createReadStream(pathOf(format)) }),
      );
      check(dataset.rowCount === rows, `the dataset has ${dataset.rowCount} rows`);
      datasets.push(dataset.id);
      await rm(pathOf(format));
    }
    const [datasetId = ""] = datasets;
    const jobSpec = await rowmill.jobSpecs.create({
      name: "full size",
      processor: { type: "mock", failEvery: FAIL_EVERY, failUntilRetry: 1 },
    });
    const failed = rows / FAIL_EVERY;
    const run = await step("run", async () => {
      const created = await rowmill.runs.create({ datasetId, jobSpecId: jobSpec.id, scope: { type: "all" } });
      return await rowmill.runs.waitFor(created.id, LONG);
    });
    check(
      run.rows.failed === failed && run.rows.succeeded === rows - failed,
      `the run has ${JSON.stringify(run.rows)}`,
    );
    const retry = await step("retry run of 1 %", async () => {
      const created = await rowmill.runs.retry(run.id, { selection: { type: "failures" } });
      return await rowmill.runs.waitFor(created.id, LONG);
    });
    check(retry.rows.succeeded === failed, `the retry run has ${JSON.stringify(retry.rows)}`);
    const exported = await step("export of the resolved results, Parquet", async () => {
      const created = await rowmill.exports.create(retry.id, {
        type: "resolved_results",
        format: "parquet",
        layout: "flat",
      });
      return await rowmill.exports.waitFor(created.id, LONG);
    });
    check(exported.status === "ready", `the export ended as ${exported.status}`);
    await checkFile(place, rowmill, exported.id, rows);
    const full = await sizesOf(place, client);
    const deletion = [`stored before the deletion: ${gigabytes(full.database - empty.database)} in the database`];
    deletion.push(...(await deleteAll(place, client, { runs: [retry.id, run.id], datasets })));
    return { rows, steps, deletion };
  });
}

/** Every row is in the exported file once, and succeeded. */
async function checkFile(place: Place, rowmill: Rowmill, exportId: string, rows: number): Promise<void> {
  const path = join(place.folder, "resolved.parquet");
  await rowmill.exports.downloadToFile(exportId, path);
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  const reader = await connection.runAndReadAll(
    `select count(*)::int as rows, count(distinct id)::int as ids, count(*) filter (row_state = 'succeeded')::int as succeeded from '${path}'`,
  );
  const found = reader.getRowObjectsJson()[0];
  connection.closeSync();
  await rm(path);
  check(
    found?.["rows"] === rows && found["ids"] === rows && found["succeeded"] === rows,
    `the file has ${JSON.stringify(found)}`,
  );
}

/** While a transaction that has read before stays open, so that nothing that it could still see may be removed. */
async function deleteAll(
  place: Place,
  client: Client,
  { runs, datasets }: { runs: string[]; datasets: string[] },
): Promise<string[]> {
  const { rowmill } = place.service;
  const lines: string[] = [];
  await withClient(place.connectionString, async (other) => {
    await other.query("begin isolation level repeatable read");
    await other.query("select count(*) from runs");
    const startedAt = performance.now();
    for (const id of runs) await rowmill.runs.delete(id);
    for (const id of datasets) await rowmill.datasets.delete(id);
    const responded = performance.now();
    while ((await liveRows(client)) > 0) await pause(200);
    lines.push(
      `${runs.length} runs and ${datasets.length} datasets deleted: responses after ${seconds(responded - startedAt)}, all rows gone after ${seconds(performance.now() - startedAt)}, a transaction from before still open`,
    );
    lines.push(`sizes then: ${await describeTables(client)}`);
    await other.query("rollback");
  });
  const startedAt = performance.now();
  await client.query(`vacuum (truncate) ${TABLES.join(", ")}`);
  lines.push(
    `after the transaction's end and a vacuum of ${seconds(performance.now() - startedAt)}: ${await describeTables(client)}`,
  );
  return lines;
}

async function liveRows(client: Client): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    `select ${["run_segments", "run_chunks", "run_failures", "dataset_chunks"].map((name) => `(select count(*) from ${name})::int`).join(" + ")} as count`,
  );
  return rows[0]?.count ?? 0;
}

async function describeTables(client: Client): Promise<string> {
  const { rows } = await client.query<{ name: string; bytes: number; dead: number }>(
    `select c::text as name, pg_total_relation_size(c)::float8 as bytes, pg_stat_get_dead_tuples(c)::int as dead
     from unnest($1::regclass[]) c`,
    [TABLES],
  );
  return rows.map(({ name, bytes, dead }) => `${name} ${megabytes(bytes)} (${dead} dead)`).join(", ");
}

export function describeWays(ways: readonly Way[]): string[] {
  const [few, many] = ways;
  if (few === undefined || many === undefined) throw new Error("two sizes are compared");
  const count = (rows: number): string => rows.toLocaleString("en");
  const perRow = ({ rows }: Way, step: Step): number => (step.seconds / rows) * 1e6;
  const lines = [
    "",
    `| step | ${count(few.rows)} rows | ${count(many.rows)} rows | µs a row | ÷ few rows | memory: service, database | left in the database, store |`,
    "|---|---|---|---|---|---|---|",
  ];
  for (const [i, step] of many.steps.entries()) {
    const small = few.steps[i];
    if (small === undefined) throw new Error(`${step.what} was not done with few rows`);
    lines.push(
      `| ${step.what} | ${small.seconds.toFixed(1)} s | ${step.seconds.toFixed(1)} s | ${perRow(few, small).toFixed(1)} → ${perRow(many, step).toFixed(1)} | ${(perRow(many, step) / perRow(few, small)).toFixed(2)} | ${megabytes(step.peakServiceBytes)}, ${megabytes(step.peakDatabaseBytes)} (few: ${megabytes(small.peakServiceBytes)}, ${megabytes(small.peakDatabaseBytes)}) | ${gigabytes(step.databaseBytes)}, ${gigabytes(step.storeBytes)} |`,
    );
  }
  for (const { rows, deletion } of ways)
    lines.push("", `Deletion of ${count(rows)} rows:`, ...deletion.map((line) => `- ${line}`));
  return lines;
}

const megabytes = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MiB`;
const gigabytes = (bytes: number): string => `${(bytes / 2 ** 30).toFixed(2)} GiB`;
const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

function check(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise);
}
