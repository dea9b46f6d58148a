/**
 * Twice the requests that a service can serve, while it has more rows than it can process: what is accepted is fast, the rest gets
 * a 503 or 429 with `Retry-After` at once, memory stays bounded, runs go on, and nothing that was acknowledged is lost.
 *
 *     node --conditions=@rowmill/source bench/overload.ts [seconds=600]
 */
import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import type { Rowmill } from "@rowmill/client";
import { Pool } from "undici";
import { megabytes, quantile, verdict, watchMemory } from "./support/measure.ts";
import { startBenchService } from "./support/service.ts";
import type { BenchService } from "./support/service.ts";
import { makeGuardedFolder } from "./support/guarded-folder.ts";

const OVERLOAD = 2;
const CAPACITY_SECONDS = 5;
const CAPACITY_LOOPS = 48;
const RUNS = 20;
const ROWS = 10_000;
/** A write for each nine reads. */
const WRITE_EVERY = 10;
/** Between two bursts of the open loop. */
const TICK_MS = 10;
/** What this program has under way at most: above it, it would measure itself. */
const MOST_OPEN = 1_000;
const TARGET_P99_MS = 5_000;
const TARGET_RECOVERY_MS = 30_000;
const CALM_MS = 200;

const seconds = Number(process.argv.find((word) => word.startsWith("seconds="))?.split("=")[1] ?? 600);

interface Sample {
  status: number;
  ms: number;
  hasRetryAfter: boolean;
}

const acknowledged: string[] = [];
let asked = 0;
/** Requests without a response. */
const problems = new Set<string>();

const folder = makeGuardedFolder("rowmill-bench-overload-");
try {
  const service = await startBenchService({
    ROWMILL_DATA_DIR: folder,
    // The limit of the organization would refuse most of it before the service has much to do.
    ROWMILL_RATE_LIMIT_PER_MINUTE: "0",
  });
  await measure(service);
  await service.stop();
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function measure(service: BenchService): Promise<void> {
  const pool = new Pool(service.url, { connections: MOST_OPEN });
  const runIds = await startRuns(service);
  const capacity = await findCapacity(service, pool);
  const rate = Math.round(capacity * OVERLOAD);
  const before = await finishedRows(service, runIds);
  const memory = watchMemory(service.pid);
  const samples = await offer(service, pool, rate);
  const peak = memory.stop();
  const recoveryMs = await recover(service, pool);
  const after = await finishedRows(service, runIds);

  const served = samples.filter(({ status }) => status < 300);
  const shed = samples.filter(({ status }) => status === 503 || status === 429);
  const others = samples.length - served.length - shed.length;
  const p99 = quantile(
    served.map(({ ms }) => ms),
    0.99,
  );
  console.log(
    `capacity ${Math.round(capacity)} requests/s; offered ${rate}/s for ${seconds} s: ${samples.length} requests`,
  );
  console.log(
    `served ${served.length}: p50 ${Math.round(
      quantile(
        served.map(({ ms }) => ms),
        0.5,
      ),
    )} ms, p99 ${Math.round(p99)} ms ${verdict(p99 <= TARGET_P99_MS, `at most ${TARGET_P99_MS} ms`)}`,
  );
  const withRetryAfter = shed.filter(({ hasRetryAfter }) => hasRetryAfter).length;
  console.log(
    `shed ${shed.length}, ${withRetryAfter} with Retry-After, p99 ${
      shed.length === 0
        ? 0
        : Math.round(
            quantile(
              shed.map(({ ms }) => ms),
              0.99,
            ),
          )
    } ms; other ends ${others} ${verdict(others === 0 && withRetryAfter === shed.length, "none without Retry-After")}`,
  );
  console.log(
    `memory of the service at most ${megabytes(peak)}; rows processed meanwhile ${after - before} ${verdict(after > before || after === RUNS * ROWS, "runs go on")}`,
  );
  console.log(
    `recovered after ${Math.round(recoveryMs)} ms ${verdict(recoveryMs <= TARGET_RECOVERY_MS, `at most ${TARGET_RECOVERY_MS} ms`)}`,
  );
  for (const problem of problems) console.log(`no response: ${problem}`);
  const lost = await countLost(service);
  console.log(`acknowledged writes ${acknowledged.length}, lost ${lost} ${verdict(lost === 0, "none")}`);
  await pool.close();
}

async function startRuns({ rowmill }: BenchService): Promise<string[]> {
  const rows = Array.from({ length: ROWS }, (_unused, n) => ({ n }));
  const upload = await rowmill.datasetUploads.create({ name: "Overload", source: { type: "inline", rows } });
  const { datasetId } = await endedUpload(rowmill, upload.id);
  if (datasetId === null) throw new Error("the rows were not taken");
  const jobSpec = await rowmill.jobSpecs.create({ name: "Overload", processor: { type: "mock", delayMs: 100 } });
  const ids: string[] = [];
  for (let i = 0; i < RUNS; i++)
    ids.push((await rowmill.runs.create({ datasetId, jobSpecId: jobSpec.id, scope: { type: "all" } })).id);
  return ids;
}

async function endedUpload(rowmill: Rowmill, id: string): ReturnType<Rowmill["datasetUploads"]["get"]> {
  for (;;) {
    const upload = await rowmill.datasetUploads.get(id);
    if (upload.finishedAt !== null) return upload;
    await pause(CALM_MS);
  }
}

async function finishedRows({ rowmill }: BenchService, runIds: readonly string[]): Promise<number> {
  let sum = 0;
  for (const id of runIds) sum += (await rowmill.runs.get(id)).rows.succeeded;
  return sum;
}

async function ask({ apiKey }: BenchService, pool: Pool): Promise<Sample> {
  asked += 1;
  const isWrite = asked % WRITE_EVERY === 0;
  const startedAt = performance.now();
  const headers = { authorization: `Bearer ${apiKey}` };
  const response = await (isWrite
    ? pool.request({
        method: "POST",
        path: "/v1/job-specs",
        headers: { ...headers, "content-type": "application/json", "idempotency-key": randomUUID() },
        body: JSON.stringify({ name: "Overload", processor: { type: "mock" } }),
      })
    : pool.request({ method: "GET", path: "/v1/runs?limit=5", headers }));
  const text = await response.body.text();
  if (isWrite && response.statusCode === 201) acknowledged.push((JSON.parse(text) as { id: string }).id); // as the contract says
  return {
    status: response.statusCode,
    ms: performance.now() - startedAt,
    hasRetryAfter: response.headers["retry-after"] !== undefined,
  };
}

/** Served requests a second of so many clients, each of which waits for its response. */
async function findCapacity(service: BenchService, pool: Pool): Promise<number> {
  const until = performance.now() + CAPACITY_SECONDS * 1_000;
  let served = 0;
  const loop = async (): Promise<void> => {
    while (performance.now() < until) if ((await ask(service, pool)).status < 300) served += 1;
  };
  await Promise.all(Array.from({ length: CAPACITY_LOOPS }, loop));
  return served / CAPACITY_SECONDS;
}

/** So many a second, whatever becomes of those before. */
async function offer(service: BenchService, pool: Pool, rate: number): Promise<Sample[]> {
  const samples: Sample[] = [];
  const open = new Set<Promise<void>>();
  const startedAt = performance.now();
  for (let sent = 0; performance.now() - startedAt < seconds * 1_000;) {
    const due = Math.floor(((performance.now() - startedAt) / 1_000) * rate);
    for (; sent < due; sent++) {
      if (open.size >= MOST_OPEN) continue;
      const one = ask(service, pool)
        .catch((error: unknown): Sample => {
          problems.add(String(error));
          return { status: 0, ms: 0, hasRetryAfter: false };
        })
        .then((sample) => void samples.push(sample))
        .finally(() => void open.delete(one));
      open.add(one);
    }
    await pause(TICK_MS);
  }
  await Promise.all(open);
  return samples;
}

/** Until ten requests after each other are served, and quickly. */
async function recover(service: BenchService, pool: Pool): Promise<number> {
  const startedAt = performance.now();
  for (let calm = 0; calm < 10;) {
    const { status, ms } = await ask(service, pool);
    calm = status < 300 && ms <= CALM_MS ? calm + 1 : 0;
    if (performance.now() - startedAt > TARGET_RECOVERY_MS * 2) break;
  }
  return performance.now() - startedAt;
}

async function countLost({ rowmill }: BenchService): Promise<number> {
  const found = new Set<string>();
  for await (const { id } of rowmill.jobSpecs.list()) found.add(id);
  return acknowledged.filter((id) => !found.has(id)).length;
}
