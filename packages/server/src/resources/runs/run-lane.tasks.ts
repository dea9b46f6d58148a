/**
 * A lane's turn. Prepared runs (definition, schemas, the processor's step) are kept for a while, since a run comes back
 * turn after turn; what can change of a run is read anew every turn, and watched while a chunk takes long.
 */
import { setTimeout as wait } from "node:timers/promises";
import { sql } from "kysely";
import type pg from "pg";
import type { EventType } from "@rowmill/contract/events";
import type { Database } from "../../platform/database/database.ts";
import { statementsOf, withClient } from "../../platform/database/database.ts";
import type { Log } from "../../platform/log.ts";
import type { Job } from "../../platform/queue/queue.ts";
import { processorOf } from "../../processors/processors.ts";
import type { Processors } from "../../processors/processors.ts";
import type { Step } from "../../processors/processor.ts";
import { listenedTypes } from "../events/events.ts";
import { readDefinition } from "../job-specs/definition.ts";
import type { Definition } from "../job-specs/definition.ts";
import { findJobSpecVersion } from "../job-specs/job-specs.ts";
import { createRowChecks } from "../job-specs/row-checks.ts";
import type { RowChecks } from "../job-specs/row-checks.ts";
import { claimChunk, commitChunk } from "./chunk-claims.ts";
import type { ChunkResults, ClaimedChunk, CommitTarget } from "./chunk-claims.ts";
import type { RunParts } from "./create-run.ts";
import { finishRunIfDone } from "./finish-run.ts";
import { enqueueLane, laneCount } from "./lanes.ts";
import type { LaneJob } from "./lanes.ts";
import { processChunk } from "./process-chunk.ts";
import { checkPolicies, hasPassedBreaker } from "./run-policies.ts";
import { recordRowEvents, recordRunState } from "./run-events.ts";
import type { RunRecord } from "./runs.ts";

/** A turn ends at the first commit after this. Short, so that a run of one row never waits long behind large ones. */
const TURN_MS = 200;
/** How soon a lane that works on a long chunk sees that its run was canceled or paused. */
const WATCH_MS = 500;
/** Rows the breaker looks at before a run may spend more: see `run-policies.ts`. */
const PROBE_ROWS = 25;
/** Prepared runs kept at once by one process. */
const MAX_PREPARED_RUNS = 200;
const ROW_EVENT_TYPES = ["row.succeeded", "row.failed"] as const;

export interface LaneParts extends RunParts {
  database: Database;
  processors: Processors;
  log: Log;
}

interface PreparedRun {
  definition: Definition;
  checks: RowChecks;
  step: Step;
  hasPassedBreaker: boolean;
}

export function createLaneWorker(parts: LaneParts) {
  const prepared = new Map<string, Promise<PreparedRun>>();

  async function prepare(run: RunRecord): Promise<PreparedRun> {
    const known = prepared.get(run.id);
    if (known) {
      prepared.delete(run.id);
      prepared.set(run.id, known);
      return known;
    }
    const preparing = prepareRun(parts, run);
    prepared.set(run.id, preparing);
    preparing.catch(() => prepared.delete(run.id));
    for (const oldest of prepared.keys()) {
      if (prepared.size <= MAX_PREPARED_RUNS) break;
      prepared.delete(oldest);
    }
    return preparing;
  }

  return async function takeTurn(job: Job<LaneJob>): Promise<void> {
    const { organizationId, runId } = job.data;
    const { database } = parts;
    const until = Date.now() + TURN_MS;
    const run = await beginTurn(database, job.data);
    if (run === undefined) {
      await giveBackChunks(parts, job);
      await finishRunIfDone(database, parts, organizationId, runId);
      return;
    }
    const ready = await prepare(run);
    const listened = await listenedTypes(database.db, organizationId, ROW_EVENT_TYPES);
    const next = await withClient(database.pool, async (client) => {
      for (;;) {
        if (job.stopping.aborted) return "again";
        const chunk = await claimChunk(client, runId, job.id);
        if (chunk === undefined) return "no_chunk";
        const end = await workOnChunk(parts, client, run, ready, listened, chunk, job.stopping);
        if (end === "given_back") return job.stopping.aborted ? "again" : "no_chunk";
        if (Date.now() >= until) return "again";
      }
    });
    if (next === "no_chunk") {
      await finishRunIfDone(database, parts, organizationId, runId);
      return;
    }
    await database.transaction((tx) => enqueueLane(tx, parts.queue, run));
  };
}

/** The run as it is now, running; undefined if this lane has nothing to do for it. */
async function beginTurn(database: Database, job: LaneJob): Promise<RunRecord | undefined> {
  const run = await database.db
    .selectFrom("runs")
    .selectAll()
    .where("organizationId", "=", job.organizationId)
    .where("id", "=", job.runId)
    .executeTakeFirst();
  if (!run || run.laneGeneration !== job.generation) return undefined;
  if (run.state === "running") return run;
  if (run.state !== "queued") return undefined;
  return database.transaction(async (tx) => {
    const started = await tx
      .updateTable("runs")
      .set({ state: "running", stateReason: null, startedAt: new Date(), updatedAt: new Date() })
      .where("organizationId", "=", job.organizationId)
      .where("id", "=", job.runId)
      .where("state", "=", "queued")
      .returningAll()
      .executeTakeFirst();
    if (started) await recordRunState(tx, started, "run.started", "running");
    // Another lane of the run was first.
    return started ?? { ...run, state: "running" };
  });
}

async function prepareRun(parts: LaneParts, run: RunRecord): Promise<PreparedRun> {
  const version = await findJobSpecVersion(parts.database.db, run.organizationId, run.jobSpecId, run.jobSpecVersion);
  const definition = readDefinition(version);
  const step = await processorOf(parts.processors, definition.processor).prepare(definition.processor, {
    organizationId: run.organizationId,
    runId: run.id,
    rootRunId: run.rootRunId,
    retryNumber: run.retryNumber,
  });
  return {
    definition,
    checks: createRowChecks(definition),
    step,
    hasPassedBreaker: await hasPassedBreaker(parts.database.db, run.id, PROBE_ROWS),
  };
}

async function workOnChunk(
  parts: LaneParts,
  client: pg.ClientBase,
  run: RunRecord,
  ready: PreparedRun,
  listened: ReadonlySet<EventType>,
  chunk: ClaimedChunk,
  stopping: AbortSignal,
) {
  const { definition, step } = ready;
  const giveUp = new AbortController();
  const signal = AbortSignal.any([giveUp.signal, stopping]);
  const watched = watchRun(parts, run, chunk, giveUp);
  const commit = async (chunkInHand: ClaimedChunk, results: ChunkResults, state: "done" | "running" | "pending") =>
    commitAndTell(parts.database, client, run, listened, chunkInHand, results, state);
  try {
    const end = await processChunk(
      client,
      {
        target: targetOf(run),
        datasetId: run.datasetId,
        plan: {
          step,
          checks: ready.checks,
          retry: definition.retry ?? {},
          timeoutMs: definition.timeoutSeconds === undefined ? undefined : definition.timeoutSeconds * 1000,
          batchRows: Math.max(1, Math.min(step.maxBatchRows, rowsInFlight(run))),
          random: Math.random,
        },
        commit,
        afterFlush: async () => {
          if (!ready.hasPassedBreaker)
            ready.hasPassedBreaker = await hasPassedBreaker(parts.database.db, run.id, PROBE_ROWS);
          await checkPolicies(parts.database, parts, run, "now");
        },
        firstFlushRows: ready.hasPassedBreaker ? undefined : PROBE_ROWS,
        log: parts.log,
      },
      chunk,
      signal,
    );
    if (end === "done") {
      if (!ready.hasPassedBreaker)
        ready.hasPassedBreaker = await hasPassedBreaker(parts.database.db, run.id, PROBE_ROWS);
      await checkPolicies(parts.database, parts, run, "soon");
    }
    return end;
  } finally {
    giveUp.abort();
    await watched;
  }
}

/** This lane's share of the rows that the run may have in flight. */
const rowsInFlight = (run: RunRecord): number =>
  run.concurrency === null ? Number.POSITIVE_INFINITY : Math.floor(run.concurrency / laneCount(run));

const targetOf = (run: RunRecord): CommitTarget => ({
  organizationId: run.organizationId,
  runId: run.id,
  familyLock: run.parentRunId === null ? null : lockKey(run.rootRunId),
});

/** 63 bits of the root run's id: an accidental meeting only makes two families take turns. */
const lockKey = (uuid: string): bigint => BigInt(`0x${uuid.replaceAll("-", "").slice(-16)}`) >> 1n;

/** Where somebody listens to rows, results and row events commit together; else the statement stands alone. */
async function commitAndTell(
  database: Database,
  client: pg.ClientBase,
  run: RunRecord,
  listened: ReadonlySet<EventType>,
  chunk: ClaimedChunk,
  results: ChunkResults,
  state: "done" | "running" | "pending",
): Promise<boolean> {
  const rows = [
    ...(listened.has("row.succeeded") ? results.successes.map(({ index }) => ({ index, failure: null })) : []),
    ...(listened.has("row.failed")
      ? results.failures.map(({ index, code, retryable }) => ({ index, failure: { code, retryable } }))
      : []),
  ];
  if (rows.length === 0) return commitChunk(client, targetOf(run), chunk, results, state);
  return database.transaction(async (tx) => {
    const held = await commitChunk(statementsOf(tx), targetOf(run), chunk, results, state);
    if (held) await recordRowEvents(tx, run, rows, listened);
    return held;
  });
}

/** Aborts the work when the run is no longer running, or the chunk no longer ours. */
async function watchRun(parts: LaneParts, run: RunRecord, chunk: ClaimedChunk, giveUp: AbortController): Promise<void> {
  while (!giveUp.signal.aborted) {
    try {
      await wait(WATCH_MS, undefined, { signal: giveUp.signal });
    } catch {
      return; // The chunk has ended.
    }
    try {
      const { rows } = await sql<{ isOurs: boolean }>`
        select r.state = 'running' and c.claim_no = ${chunk.claimNo} and c.state = 'running' as is_ours
        from runs r join run_chunks c on c.run_id = r.id and c.chunk_no = ${chunk.chunkNo}
        where r.organization_id = ${run.organizationId} and r.id = ${run.id}`.execute(parts.database.db);
      if (rows[0]?.isOurs !== true) giveUp.abort();
    } catch (error) {
      parts.log.warn({ err: error, runId: run.id }, "could not look at a run in hand");
    }
  }
}

/**
 * Chunks that this job had in hand when its worker died, and will not claim again: the run is canceling or paused, or has
 * lanes of a newer generation, which may all have ended meanwhile.
 */
async function giveBackChunks(parts: LaneParts, job: Job<LaneJob>): Promise<void> {
  await parts.database.transaction(async (tx) => {
    const given = await tx
      .updateTable("runChunks")
      .set({ state: "pending", claimedBy: null })
      .where("runId", "=", job.data.runId)
      .where("state", "=", "running")
      .where("claimedBy", "=", job.id)
      .executeTakeFirst();
    if (given.numUpdatedRows === 0n) return;
    const run = await tx
      .selectFrom("runs")
      .selectAll()
      .where("organizationId", "=", job.data.organizationId)
      .where("id", "=", job.data.runId)
      .where("state", "=", "running")
      .executeTakeFirst();
    if (run) await enqueueLane(tx, parts.queue, run);
  });
}
