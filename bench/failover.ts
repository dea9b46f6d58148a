/**
 * How long a service does not write when its primary database is lost: from the promotion of the standby to the first
 * acknowledged request that changes something. The primary is killed (SIGKILL), or falls silent (SIGSTOP), in the middle of a
 * run, while a client writes without a pause. Replication is synchronous; fails where something that was acknowledged is missing.
 *
 *     npm run bench failover -- --rounds 5
 */
import { randomBytes, randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { parseArgs } from "node:util";
import { setTimeout as pause } from "node:timers/promises";
import { cleanUpAfterFile } from "@rowmill/server/testing/cleanup";
import { findPostgresql15 } from "../scripts/checks/postgresql-15.ts";
import { startPair } from "../tests/support/replication.ts";
import { startBenchService } from "./support/service.ts";
import { makeGuardedFolder } from "./support/guarded-folder.ts";

const ROWS = 2_000;
/** So slow that the run is in its middle when the primary is lost. */
const ROW_DELAY_MS = 100;
/** Before the primary is lost. */
const WRITES_BEFORE = 20;
const WRITE_PAUSE_MS = 20;
/** A request to a primary that is silent gets no response: the next one is sent beside it. */
const RESPONSE_MS = 500;
/** More than the promise of 10 s, so that a broken promise is a number and not an end. */
const LIMIT_MS = 60_000;

const { values: options } = parseArgs({ options: { rounds: { type: "string", default: "5" } } });
const rounds = Number(options.rounds);
if (!Number.isInteger(rounds) || rounds < 1) throw new Error("--rounds must be a number from 1 on");
const binaries = findPostgresql15();
if (binaries === undefined) throw new Error("needs PostgreSQL 15 (on Debian: apt-get install postgresql-15)");

interface Round {
  followedMs: number;
  acknowledged: number;
  lost: number;
}

async function measure(folder: string, signal: "SIGKILL" | "SIGSTOP"): Promise<Round> {
  const pair = await startPair(folder, { isSynchronous: true });
  const data = makeGuardedFolder("rowmill-failover-bench-");
  const service = await startBenchService({
    ROWMILL_DATABASE_URL: `postgres://postgres@127.0.0.1:${pair.primary.port},127.0.0.1:${pair.standby.port}/postgres`,
    ROWMILL_DATA_DIR: data,
    ROWMILL_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
    ROWMILL_RATE_LIMIT_PER_MINUTE: "0",
    // What this is about: connections break, and each is reported.
    ROWMILL_LOG_LEVEL: "fatal",
  });
  const { rowmill, url, apiKey } = service;
  const acknowledged: string[] = [];
  let refusal: string | undefined;
  /** Without the client's own retries, which wait longer and longer. */
  async function write(): Promise<boolean> {
    try {
      const response = await fetch(`${url}/v1/job-specs`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${apiKey}`,
          "content-type": "application/json",
          "idempotency-key": randomUUID(),
        },
        body: JSON.stringify({ name: "x", processor: { type: "mock" } }),
        signal: AbortSignal.timeout(RESPONSE_MS),
      });
      const { id } = (await response.json()) as { id?: string }; // of a job spec, or an error without it
      if (response.status === 201 && id !== undefined) acknowledged.push(id);
      if (response.status < 500 && response.status !== 201) refusal = `a write had the response ${response.status}`;
      return response.status === 201;
    } catch {
      // No response in time: not acknowledged.
      return false;
    }
  }
  async function writeOrFail(): Promise<boolean> {
    const isDone = await write();
    if (refusal !== undefined) throw new Error(refusal);
    return isDone;
  }
  try {
    const content = Array.from({ length: ROWS }, (_unused, n) => `{"n":${n}}\n`).join("");
    const dataset = await rowmill.datasets.upload({ name: "Rows", format: "jsonl", content });
    const spec = await rowmill.jobSpecs.create({ name: "slow", processor: { type: "mock", delayMs: ROW_DELAY_MS } });
    const run = await rowmill.runs.create({ datasetId: dataset.id, jobSpecId: spec.id, scope: { type: "all" } });
    while (acknowledged.length < WRITES_BEFORE) await writeOrFail();
    pair.primary.process.kill(signal);
    pair.promote();
    const promotedAt = performance.now();
    while (!(await writeOrFail()) && performance.now() - promotedAt < LIMIT_MS) await pause(WRITE_PAUSE_MS);
    const followedMs = performance.now() - promotedAt;
    if (signal === "SIGSTOP") pair.primary.process.kill("SIGCONT");
    const finished = await rowmill.runs.waitFor(run.id);
    let lost = finished.rows.succeeded === ROWS ? 0 : 1;
    for (const id of acknowledged) {
      const found = await rowmill.jobSpecs.get(id).catch(() => undefined); // counted
      if (found === undefined) lost++;
    }
    return { followedMs, acknowledged: acknowledged.length, lost };
  } finally {
    await service.stop();
    rmSync(data, { recursive: true, force: true });
    await cleanUpAfterFile();
  }
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
let lost = 0;
console.log("| primary | rounds | followed: median | slowest | acknowledged | lost |\n|---|---|---|---|---|---|");
for (const signal of ["SIGKILL", "SIGSTOP"] as const) {
  const all: Round[] = [];
  for (let round = 0; round < rounds; round++) all.push(await measure(binaries, signal));
  const times = all.map(({ followedMs }) => followedMs).toSorted((a, b) => a - b);
  const sum = (pick: (round: Round) => number): number => all.reduce((total, round) => total + pick(round), 0);
  lost += sum((round) => round.lost);
  const what = signal === "SIGKILL" ? "killed" : "silent (SIGSTOP), later back";
  console.log(
    `| ${what} | ${rounds} | ${seconds(times[times.length >> 1] ?? 0)} | ${seconds(times.at(-1) ?? 0)} | ${sum((round) => round.acknowledged)} | ${sum((round) => round.lost)} |`,
  );
}
process.exitCode = lost === 0 ? 0 : 1;
