/**
 * Job queues that do the same work, a job for each row, and store the same outputs in the same kind of table. A rate is that of
 * the whole: from the insertion of the first job to the last stored output. `tuned` is what their manuals recommend for
 * throughput, with outputs of many jobs in one statement; `default` is a job at a time with one insert each.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { Queue, Worker } from "bullmq";
import { Logger, makeWorkerUtils, run } from "graphile-worker";
import { Redis } from "ioredis";
import { Pool } from "pg";
import { PgBoss } from "pg-boss";
import type { InputRow, RowOutcome } from "@rowmill/server/processors/processor";
import { outputTable } from "./plain-table.ts";
import { findFreePort } from "@rowmill/server/platform/free-port";
import { makeGuardedFolder } from "./guarded-folder.ts";

export interface QueueWork {
  connectionString: string;
  rows: readonly string[];
  /** The same work as the run's, in the same sandbox if it has one. */
  compute: (rows: InputRow[]) => Promise<RowOutcome[]>;
  mode: "tuned" | "default";
}

/** It would print a line for each job. */
const silent = new Logger(() => () => undefined);

type Job = { index: number; row: object };

const JOBS_PER_INSERT = 2_000;
const ROWS_PER_STATEMENT = 500;
const TABLE = "queue_outputs";
const SCHEMA = "queue_bench";
const JOBS_AT_ONCE = 500;

interface Store {
  /** Resolves when the row is computed and its output stored. */
  row(job: Job): Promise<void>;
  rows(jobs: readonly Job[]): Promise<void>;
  allDone: Promise<void>;
}

/** Seconds from the first job to the last output. */
async function measure(
  work: QueueWork,
  process: (store: Store, jobs: AsyncIterable<Job[]>) => Promise<() => Promise<void>>,
): Promise<number> {
  const pool = new Pool({ connectionString: work.connectionString, max: 8 });
  await pool.query(`drop table if exists ${TABLE}; drop schema if exists ${SCHEMA} cascade`);
  await pool.query(outputTable(TABLE));
  const startedAt = performance.now();
  const store = createStore(pool, work);
  const stop = await process(store, jobsOf(work.rows));
  await store.allDone;
  const elapsed = (performance.now() - startedAt) / 1000;
  await stop();
  await pool.query(`drop table ${TABLE}; drop schema if exists ${SCHEMA} cascade`);
  await pool.end();
  return elapsed;
}

async function* jobsOf(rows: readonly string[]): AsyncGenerator<Job[]> {
  for (let from = 0; from < rows.length; from += JOBS_PER_INSERT)
    yield rows
      .slice(from, from + JOBS_PER_INSERT)
      .map((text, i) => ({ index: from + i, row: JSON.parse(text) as object }));
}

function createStore(pool: Pool, { rows, compute, mode }: QueueWork): Store {
  const done = Promise.withResolvers<void>();
  let stored = 0;
  let waiting: { job: Job; end: PromiseWithResolvers<void> }[] = [];
  const storeRows = async (jobs: readonly Job[]): Promise<void> => {
    const outcomes = await compute(jobs.map(({ index, row }) => ({ index, text: JSON.stringify(row) })));
    const records = outcomes.map((outcome, i) => `{"i":${jobs[i]?.index},"o":${outcome.ok ? outcome.output : "null"}}`);
    await pool.query({
      name: "store",
      text: `insert into ${TABLE} select 1, (d->>'i')::int, 1, d->'o' from jsonb_array_elements($1::jsonb) d`,
      values: [`[${records.join(",")}]`],
    });
    stored += jobs.length;
    if (stored >= rows.length) done.resolve();
  };
  const flush = (): void => {
    const group = waiting.splice(0, ROWS_PER_STATEMENT);
    if (group.length === 0) return;
    const settle = (how: (end: PromiseWithResolvers<void>) => void): void => group.forEach(({ end }) => how(end));
    storeRows(group.map(({ job }) => job)).then(
      () => settle((end) => end.resolve()),
      (error: unknown) => settle((end) => end.reject(error)),
    );
    if (waiting.length > 0) setImmediate(flush);
  };
  return {
    rows: storeRows,
    row(job) {
      if (mode === "default") return storeRows([job]);
      const end = Promise.withResolvers<void>();
      waiting.push({ job, end });
      if (waiting.length === 1) setImmediate(flush);
      return end.promise;
    },
    allDone: done.promise,
  };
}

export const pgBossSeconds = (work: QueueWork): Promise<number> =>
  measure(work, async (store, jobs) => {
    const isTuned = work.mode === "tuned";
    const boss = new PgBoss({
      connectionString: work.connectionString,
      schema: SCHEMA,
      max: 8,
      // It fetches again at once while it knows of waiting jobs, and counts them this often.
      monitorIntervalSeconds: 1,
      superviseIntervalSeconds: 1,
      queueCacheIntervalSeconds: 1,
    });
    boss.on("error", (error) => console.error(error));
    await boss.start();
    await boss.createQueue("row");
    for await (const some of jobs)
      await boss.insert(
        "row",
        some.map((data) => ({ data })),
      );
    await boss.work<Job>(
      "row",
      {
        batchSize: isTuned ? ROWS_PER_STATEMENT : 1,
        localConcurrency: isTuned ? 4 : 1,
        pollingIntervalSeconds: 0.5,
        // Else it waits for its next poll after every fetch.
        burstWhenBatchFull: true,
        burstWhenReadyExceeds: 1,
      },
      (some) => store.rows(some.map(({ data }) => data)),
    );
    return () => boss.stop({ graceful: true });
  });

export const graphileWorkerSeconds = (work: QueueWork): Promise<number> =>
  measure(work, async (store, jobs) => {
    const isTuned = work.mode === "tuned";
    const { connectionString } = work;
    const utils = await makeWorkerUtils({ connectionString, schema: SCHEMA, logger: silent });
    await utils.migrate();
    for await (const some of jobs) await utils.addJobs(some.map((payload) => ({ identifier: "row", payload })));
    await utils.release();
    const runner = await run({
      taskList: { row: (payload) => store.row(payload as Job) }, // what was put in
      preset: {
        worker: {
          connectionString,
          schema: SCHEMA,
          logger: silent,
          maxPoolSize: 8,
          pollInterval: 500,
          concurrentJobs: isTuned ? JOBS_AT_ONCE : 1,
          ...(isTuned
            ? { localQueue: { size: JOBS_AT_ONCE + 1 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 }
            : {}),
        },
      },
    });
    return async () => {
      await untilNoneIsLeft(connectionString);
      await runner.stop();
    };
  });

/** Its workers report jobs that have ended to the database after the last output is stored, and their tables must be there for that. */
async function untilNoneIsLeft(connectionString: string): Promise<void> {
  const pool = new Pool({ connectionString, max: 1 });
  while ((await pool.query(`select from ${SCHEMA}.jobs limit 1`)).rowCount !== 0) await sleep(50);
  await pool.end();
}

/** Undefined where no Redis or Valkey is installed. */
export async function bullMqSeconds(work: QueueWork): Promise<number | undefined> {
  const redis = await startRedis();
  if (redis === undefined) return undefined;
  const connection = new Redis({ host: "127.0.0.1", port: redis.port, maxRetriesPerRequest: null });
  try {
    return await measure(work, async (store, jobs) => {
      const queue = new Queue<Job>("row", { connection });
      for await (const some of jobs)
        await queue.addBulk(some.map((data) => ({ name: "row", data, opts: { removeOnComplete: true } })));
      const worker = new Worker<Job>("row", ({ data }) => store.row(data), {
        connection,
        concurrency: work.mode === "tuned" ? JOBS_AT_ONCE : 1,
      });
      worker.on("error", (error) => console.error(error));
      return async () => {
        await worker.close();
        await queue.close();
      };
    });
  } finally {
    connection.disconnect();
    await redis.stop();
  }
}

/** With an append-only file that is synced every second: jobs survive the death of the process, as they do beside it. */
async function startRedis(): Promise<{ port: number; stop(): Promise<void> } | undefined> {
  const folder = makeGuardedFolder("rowmill-bench-redis-");
  const port = await findFreePort();
  for (const program of ["valkey-server", "redis-server"]) {
    const settings = ["--port", `${port}`, "--bind", "127.0.0.1", "--dir", folder, "--appendonly", "yes"];
    const child = spawn(program, settings, { stdio: ["ignore", "pipe", "ignore"] });
    const isReady = await new Promise<boolean>((resolve) => {
      child.once("error", () => resolve(false));
      child.once("exit", () => resolve(false));
      child.stdout.on("data", (text: Buffer) => {
        if (text.includes("eady to accept connections")) resolve(true);
      });
    });
    if (!isReady) continue;
    return {
      port,
      async stop() {
        child.kill("SIGTERM");
        await once(child, "exit");
        await rm(folder, { recursive: true, force: true });
      },
    };
  }
  await rm(folder, { recursive: true, force: true });
  return undefined;
}
