/** Runs of several sizes, in turns with `COPY` of the same outputs and with job queues that store them. */
import { join } from "node:path";
import { mockProcessor } from "@rowmill/server/processors/mock/mock";
import type { Processor, Step } from "@rowmill/server/processors/processor";
import { createTransformProcessor } from "@rowmill/server/processors/transform/transform";
import { bullMqSeconds, graphileWorkerSeconds, pgBossSeconds } from "../support/job-queues.ts";
import type { QueueWork } from "../support/job-queues.ts";
import { copyIn, withClient, writeCopyFile } from "../support/plain-table.ts";
import { cpuSecondsOfTree } from "../support/processes.ts";
import { TRANSFORM_CODE, benchRow } from "../support/rows.ts";
import { microseconds, perSecond, times } from "./table.ts";
import type { Table } from "./table.ts";
import { finishedRun, secondsOf, uploadRows } from "./world.ts";
import type { World } from "./world.ts";

export const processors = {
  mock: { type: "mock" },
  transform: { type: "transform", language: "javascript", code: TRANSFORM_CODE },
} as const;

const goals = {
  mock: { ofCopy: 0.8, ofQueue: 8 },
  transform: { ofCopy: 0.45, ofQueue: 5 },
};

/** From here on, runs are compared with `COPY` alone, in fewer rounds. */
const LARGE_RUN_ROWS = 1_000_000;

/** A run that other parts read from. */
export interface RunToRead {
  id: string;
  rows: number;
}

export async function makeRunToRead({ service: { rowmill } }: World, rows: number): Promise<RunToRead> {
  const jobSpec = await rowmill.jobSpecs.create({ name: "transform", processor: processors.transform });
  return { id: (await finishedRun(rowmill, await uploadRows(rowmill, rows), jobSpec.id, rows)).id, rows };
}

export async function measureRuns(world: World, table: Table): Promise<void> {
  const { service, sizes, folder } = world;
  const { rowmill } = service;
  const sandbox = createTransformProcessor();
  const steps: Record<keyof typeof processors, Step> = {
    mock: await prepare(mockProcessor, processors.mock),
    transform: await prepare(sandbox, processors.transform),
  };
  for (const rows of sizes.runs) {
    const dataset = await uploadRows(rowmill, rows);
    for (const name of ["mock", "transform"] as const) {
      const step = steps[name];
      const compute: QueueWork["compute"] = (some) => step.processRows(some, new AbortController().signal);
      const copyFile = join(folder, "outputs");
      await writeCopyFile(copyFile, rows, (from) => computeOutputs(step, from, rows));
      const jobSpec = await rowmill.jobSpecs.create({ name, processor: processors[name] });
      await finishedRun(rowmill, dataset, jobSpec.id, Math.min(rows, 2_000)); // warms the code up
      const isLarge = rows >= LARGE_RUN_ROWS;
      const hasPeers = rows === sizes.peerRows && sizes.peersOf.includes(name);
      const samples: Record<string, number[]> = {};
      const note = (what: string, value: number): void => void (samples[what] ??= []).push(value);
      const run = async (): Promise<number> => {
        const cpu = cpuOf(world);
        const ended = await finishedRun(rowmill, dataset, jobSpec.id, rows);
        note("service", ((cpuOf(world).service - cpu.service) / rows) * 1e6);
        note("database", ((cpuOf(world).database - cpu.database) / rows) * 1e6);
        return rows / secondsOf(ended);
      };
      const copy = async (): Promise<number> => rows / (await copyIn(world.connectionString, "copied", copyFile));
      for (let round = 0; round < (isLarge ? sizes.largeRounds : sizes.rounds); round++) {
        await settle(world.connectionString);
        // Alternating, and each first as often as the other.
        const [rate, copied] = round % 2 === 0 ? [await run(), await copy()] : (await inOrder(copy, run)).toReversed();
        if (rate === undefined || copied === undefined) throw new Error("a rate is missing");
        note("rate", rate);
        note("ofCopy", rate / copied);
        note("copied", copied);
        if (!hasPeers) continue;
        const texts = Array.from({ length: rows }, (_unused, id) => JSON.stringify(benchRow(id)));
        for (const [queue, seconds] of Object.entries(queues))
          for (const mode of ["tuned", "default"] as const) {
            const some = mode === "tuned" ? texts : texts.slice(0, sizes.singleRows);
            const took = await seconds({ connectionString: world.connectionString, rows: some, compute, mode });
            if (took !== undefined) note(`${queue} ${mode}`, rate / (some.length / took));
          }
      }
      const { ofCopy: least, ofQueue } = goals[name];
      table.section(`A run of ${rows.toLocaleString("en")} rows, \`${name}\``);
      const add = (what: string, key: string, show: (value: number) => string, goal?: { least: number }): void =>
        table.add({ what, samples: samples[key] ?? [], show, ...(goal === undefined ? {} : { goal }) });
      add("run, API to API", "rate", perSecond);
      add("`COPY` of its outputs into a table with a primary key", "copied", perSecond);
      add("run ÷ `COPY`", "ofCopy", times, { least });
      add("processor time of the service for a row", "service", microseconds);
      if (world.postgresPid !== undefined) add("processor time of PostgreSQL for a row", "database", microseconds);
      if (!hasPeers) continue;
      for (const queue of Object.keys(queues))
        for (const mode of ["tuned", "default"]) {
          const what = `run ÷ ${queue}, ${mode}`;
          if (samples[`${queue} ${mode}`] === undefined) table.skip(what, "neither Valkey nor Redis is installed");
          else add(what, `${queue} ${mode}`, times, mode === "tuned" ? { least: ofQueue } : undefined);
        }
    }
  }
  await withClient(world.connectionString, (client) => client.query("drop table if exists copied"));
  await sandbox.close();
}

const queues = { "graphile-worker": graphileWorkerSeconds, "pg-boss": pgBossSeconds, BullMQ: bullMqSeconds };

/** Looks in a row, a tenth of a second apart, that see no vacuum. */
const QUIET_LOOKS = 5;

/** What was measured before, job queues above all, leaves tables to vacuum and pages to write: neither is a cost of what follows. */
async function settle(connectionString: string): Promise<void> {
  await withClient(connectionString, async (client) => {
    await client.query("checkpoint");
    for (let quiet = 0; quiet < QUIET_LOOKS;) {
      const vacuums = await client.query("select from pg_stat_activity where backend_type = 'autovacuum worker'");
      quiet = vacuums.rowCount === 0 ? quiet + 1 : 0;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  });
}

async function inOrder<T>(...works: (() => Promise<T>)[]): Promise<T[]> {
  const results: T[] = [];
  for (const work of works) results.push(await work());
  return results;
}

const prepare = (processor: Processor<object>, config: object): Promise<Step> =>
  processor.prepare(config, { organizationId: "bench", runId: "bench", rootRunId: "bench", retryNumber: 0 });

async function computeOutputs(step: Step, from: number, rows: number): Promise<string[]> {
  const some = Array.from({ length: Math.min(step.maxRowsPerCall, rows - from) }, (_unused, i) => ({
    index: from + i,
    text: JSON.stringify(benchRow(from + i)),
  }));
  const outcomes = await step.processRows(some, new AbortController().signal);
  return outcomes.map((outcome) => (outcome.ok ? outcome.output : "null"));
}

const cpuOf = ({ service, postgresPid }: World): { service: number; database: number } => ({
  service: cpuSecondsOfTree(service.pid),
  database: postgresPid === undefined ? 0 : cpuSecondsOfTree(postgresPid),
});
