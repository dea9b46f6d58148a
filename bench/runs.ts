/**
 * Runs through the API of one service process on the embedded database, side by side with what they are compared with, in
 * one go: COPY of the ready result rows, and pg-boss with one job per row.
 *
 *     node --conditions=@rowmill/source bench/runs.ts [throughput] [latency] [pages] [memory] [rows=200000] [rounds=3]
 */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Rowmill, Run } from "@rowmill/client";
import { startEmbeddedDatabase } from "@rowmill/server/platform/database/embedded/embedded-database";
import { mockProcessor } from "@rowmill/server/processors/mock/mock";
import { createTransformProcessor } from "@rowmill/server/processors/transform/transform";
import type { Processor, Step } from "@rowmill/server/processors/processor";
import { median, megabytes, quantile, thousands, verdict, watchMemory } from "./support/measure.ts";
import { copyResults, pgBossRows } from "./support/peers.ts";
import type { PeerRates } from "./support/peers.ts";
import { TRANSFORM_CODE, benchJsonl, benchRow } from "./support/rows.ts";
import { startBenchService } from "./support/service.ts";
import { makeGuardedFolder } from "./support/guarded-folder.ts";

const words = process.argv.slice(2);
const setting = (name: string, fallback: number): number =>
  Number(words.find((word) => word.startsWith(`${name}=`))?.split("=")[1] ?? fallback);
const wants = (part: string): boolean => words.every((word) => word.includes("=")) || words.includes(part);
const rowCount = setting("rows", 200_000);
const rounds = setting("rounds", 3);
/** pg-boss with its defaults takes a job at a time: fewer rows show its rate as well. */
const DEFAULT_PEER_ROWS = 10_000;
const LARGE_RUN_ROWS = 1_000_000;

const processors = {
  mock: { type: "mock" },
  transform: { type: "transform", language: "javascript", code: TRANSFORM_CODE },
} as const;
const targets = {
  mock: { copy: 0.4, jobsTogether: 5, single: 30 },
  transform: { copy: 0.25, jobsTogether: 3, single: undefined },
};

const folder = makeGuardedFolder("rowmill-bench-runs-");
const database = await startEmbeddedDatabase({ dataDirectory: join(folder, "postgres") });
const settings = { ROWMILL_DATA_DIR: join(folder, "data"), ROWMILL_DATABASE_URL: database.connectionString };
try {
  if (wants("throughput")) await measureThroughput();
  if (wants("pages")) await measurePages();
  if (wants("latency")) await measureLatency();
  if (wants("memory")) await measureMemory();
} catch (error) {
  // Said before the database stops under whatever is still connected.
  console.error(error);
  process.exitCode = 1;
} finally {
  await database.stop();
  await rm(folder, { recursive: true, force: true });
}

async function measureThroughput(): Promise<void> {
  const service = await startBenchService(settings);
  const { rowmill } = service;
  const dataset = await upload(rowmill, rowCount);
  const rows = Array.from({ length: rowCount }, (_unused, id) => JSON.stringify(benchRow(id)));
  const sandbox = createTransformProcessor();
  for (const [name, processor] of Object.entries(processors) as [
    keyof typeof processors,
    (typeof processors)["mock"],
  ][]) {
    const jobSpec = await rowmill.jobSpecs.create({ name, processor });
    await run(rowmill, dataset, jobSpec.id, 1_000); // warms the code up
    const step: Step = await ((name === "mock" ? mockProcessor : sandbox) as Processor<object>).prepare(processor, {
      organizationId: "bench",
      runId: "bench",
      rootRunId: "bench",
      retryNumber: 0,
    });
    const outputs: string[] = [];
    // The number of rows of a call changes with each of them.
    while (outputs.length < rows.length) {
      const from = outputs.length;
      const some = rows.slice(from, from + step.maxRowsPerCall).map((text, i) => ({ index: from + i, text }));
      for (const outcome of await step.processRows(some, new AbortController().signal))
        outputs.push(outcome.ok ? outcome.output : "");
    }
    const compute = (some: { index: number; text: string }[]) => step.processRows(some, new AbortController().signal);
    const rates = {
      run: [] as number[],
      copy: [] as number[],
      jobsTogether: [] as PeerRates[],
      single: [] as PeerRates[],
    };
    for (let round = 0; round < rounds; round++) {
      rates.copy.push(await copyResults(database.connectionString, outputs));
      rates.run.push(rateOf(await run(rowmill, dataset, jobSpec.id, rowCount)));
      rates.jobsTogether.push(await pgBossRows(database.connectionString, { rows, compute, batchSize: 500 }));
      const few = rows.slice(0, DEFAULT_PEER_ROWS);
      rates.single.push(await pgBossRows(database.connectionString, { rows: few, compute, batchSize: 1 }));
    }
    const ratio = (peer: number[]): number => median(rates.run.map((rate, i) => rate / (peer[i] ?? Number.NaN)));
    const target = targets[name];
    console.log(
      `${name}: ${thousands(median(rates.run))} rows/s over ${rowCount.toLocaleString("en")} rows (${rates.run.map(thousands).join(", ")})`,
    );
    const ofCopy = ratio(rates.copy);
    console.log(
      `  COPY ${thousands(median(rates.copy))}: ratio ${ofCopy.toFixed(2)}, ${verdict(ofCopy >= target.copy, `${target.copy}`)}`,
    );
    for (const [label, peer, least] of [
      ["500 jobs at once", rates.jobsTogether, target.jobsTogether],
      ["one at a time", rates.single, target.single],
    ] as const) {
      const whole = peer.map((rate) => rate.whole);
      const processing = peer.map((rate) => rate.processing);
      const checked = least === undefined ? "" : `, ${verdict(ratio(whole) >= least, `×${least}`)}`;
      console.log(
        `  pg-boss, a job a row, ${label}, ${thousands(median(whole))}: ×${ratio(whole).toFixed(1)}${checked}; ` +
          `without the insertion of its jobs ${thousands(median(processing))}: ×${ratio(processing).toFixed(1)}`,
      );
    }
  }
  await sandbox.close();
  await service.stop();
}

/** A page of 100 outputs at the beginning and far in. */
async function measurePages(): Promise<void> {
  const service = await startBenchService(settings);
  const { rowmill } = service;
  const dataset = await upload(rowmill, rowCount);
  const jobSpec = await rowmill.jobSpecs.create({ name: "mock", processor: processors.mock });
  const ended = await run(rowmill, dataset, jobSpec.id, rowCount);
  const depth = Math.round(rowCount * 0.75);
  for (const list of ["outputs", "rows", "resolvedResults"] as const) {
    let cursor: string | undefined;
    for (let at = 0; at < depth; at += 1_000) {
      const page = await rowmill.runs[list](ended.id, { limit: 1_000, ...(cursor === undefined ? {} : { cursor }) });
      cursor = page.nextCursor ?? undefined;
    }
    const first: number[] = [];
    const deep: number[] = [];
    for (let i = 0; i < 60; i++) {
      first.push(await timed(() => rowmill.runs[list](ended.id, { limit: 100 })));
      deep.push(
        await timed(() => rowmill.runs[list](ended.id, { limit: 100, ...(cursor === undefined ? {} : { cursor }) })),
      );
    }
    console.log(
      `page of 100 of ${list}: ${median(first).toFixed(1)} ms at row 0, ${median(deep).toFixed(1)} ms at row ${depth.toLocaleString("en")}, ×${(median(deep) / median(first)).toFixed(2)}`,
    );
  }
  await service.stop();
}

/** From the creation of a run of one row to its end, by the service's own times. */
async function measureLatency(): Promise<void> {
  const service = await startBenchService(settings);
  const { rowmill } = service;
  const small = await upload(rowmill, 1_000);
  const large = await upload(rowmill, LARGE_RUN_ROWS);
  for (const [name, processor] of Object.entries(processors)) {
    const jobSpec = await rowmill.jobSpecs.create({ name, processor });
    const one = async (): Promise<number> => durationMs(await run(rowmill, small, jobSpec.id, 1));
    await one();
    const idle: number[] = [];
    for (let i = 0; i < 50; i++) idle.push(await one());
    const big = await rowmill.runs.create({ datasetId: large, jobSpecId: jobSpec.id, scope: { type: "all" } });
    const beside: number[] = [];
    while ((await rowmill.runs.get(big.id)).finishedAt === null) beside.push(await one());
    console.log(
      `one row with ${name}: p50 ${median(idle)} ms, ${verdict(median(idle) <= 50, "50 ms")}, p95 ${quantile(idle, 0.95)} ms; beside a run of ` +
        `${LARGE_RUN_ROWS.toLocaleString("en")} rows: p50 ${median(beside)} ms, ${verdict(median(beside) <= 250, "250 ms")}, p95 ${quantile(beside, 0.95)} ms (${beside.length} runs)`,
    );
  }
  await service.stop();
}

/** Peak memory of the service over upload, run and export. */
async function measureMemory(): Promise<void> {
  const peaks: number[] = [];
  for (const count of [LARGE_RUN_ROWS / 10, LARGE_RUN_ROWS]) {
    const service = await startBenchService(settings);
    const { rowmill } = service;
    const memory = watchMemory(service.pid);
    const dataset = await upload(rowmill, count);
    const jobSpec = await rowmill.jobSpecs.create({ name: "transform", processor: processors.transform });
    const ended = await run(rowmill, dataset, jobSpec.id, count);
    const exported = await rowmill.exports.waitFor(
      (await rowmill.exports.create(ended.id, { type: "outputs", format: "csv" })).id,
    );
    if (exported.status !== "ready") throw new Error(`the export ended as ${exported.status}`);
    peaks.push(memory.stop());
    await service.stop();
  }
  const [few = 0, many = 0] = peaks;
  console.log(
    `peak memory of the service: ${megabytes(few)} for ${(LARGE_RUN_ROWS / 10).toLocaleString("en")} rows, ${megabytes(many)} for ` +
      `${LARGE_RUN_ROWS.toLocaleString("en")}, ×${(many / few).toFixed(2)}, ${verdict(many / few <= 1.3, "×1.3")}`,
  );
}

async function upload(rowmill: Rowmill, count: number): Promise<string> {
  return (await rowmill.datasets.upload({ name: `${count} rows`, format: "jsonl", content: benchJsonl(count) })).id;
}

async function run(rowmill: Rowmill, datasetId: string, jobSpecId: string, count: number): Promise<Run> {
  const created = await rowmill.runs.create({ datasetId, jobSpecId, scope: { type: "limit", count } });
  const ended = await rowmill.runs.waitFor(created.id);
  if (ended.state !== "succeeded" || ended.rows.succeeded !== count) throw new Error(`the run ended as ${ended.state}`);
  return ended;
}

function durationMs(run: Run): number {
  return Date.parse(run.finishedAt ?? "") - Date.parse(run.createdAt);
}
function rateOf(run: Run): number {
  return run.rows.total / (durationMs(run) / 1000);
}

async function timed(work: () => PromiseLike<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
