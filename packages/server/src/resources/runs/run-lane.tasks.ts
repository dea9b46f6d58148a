/**
 * A lane's turn. Prepared runs (definition, schemas, the processor's step) are kept for a while, since a run comes back
 * turn after turn; what can change of a run is read anew every turn, and watched while a chunk takes long.
 */
import { setTimeout as wait } from "node:timers/promises";
import { sql } from "kysely";
import type { EventType } from "@rowmill/contract/events";
import type { Database } from "../../platform/database/database.ts";
import { isUnavailable, statementsOf } from "../../platform/database/database.ts";
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
import { WAITING_FOR_CAPACITY } from "./create-run.ts";
import type { RunParts } from "./create-run.ts";
import { endRun, finishRunIfDone } from "./finish-run.ts";
import { enqueueLane, laneCount } from "./lanes.ts";
import type { LaneJob } from "./lanes.ts";
import { processChunk } from "./process-chunk.ts";
import type { ChunkEnd } from "./process-chunk.ts";
import { recordRowEvents, recordRunState } from "./run-events.ts";
import { checkPolicies, newPolicyWatch, noteOutcomes, probeRows } from "./run-policies.ts";
import type { PolicyWatch } from "./run-policies.ts";
import { lockRun } from "./runs.ts";
import type { RunRecord } from "./runs.ts";
import { isDataError, siftOutputs } from "./sift-outputs.ts";

/** A turn takes no further chunk after this. Short, so that a run of one row never waits long behind large ones. */
const TURN_MS = 200;
/** A turn begins no further row of its chunk after this: slow processors would keep workers from other runs for minutes. */
const LONG_TURN_MS = 2_000;
/** Rows in hand get so long to end when the service stops; what they have paid for is worth waiting for, within its limit. */
const STOP_GRACE_MS = 8_000;
/** How soon a lane that works on a long chunk sees that its run was canceled or paused. */
const WATCH_MS = 500;
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
  watch: PolicyWatch;
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
    const startedAt = Date.now();
    const run = await beginTurn(parts, job.data);
    if (run === undefined) {
      await giveBackChunks(parts, job);
      await finishRunIfDone(database, parts, organizationId, runId);
      return;
    }
    let ready: PreparedRun;
    try {
      ready = await prepare(run);
    } catch (error) {
      if (isUnavailable(error)) throw error;
      await failUnprepared(parts, run, error);
      return;
    }
    const listened = await listenedTypes(database.db, organizationId, ROW_EVENT_TYPES);
    const mayBegin = (): boolean => !job.stopping.aborted && Date.now() - startedAt < LONG_TURN_MS;
    for (;;) {
      if (job.stopping.aborted) return continueLane(parts, job, "same_generation");
      const chunk = await claimChunk(database.pool, run, job.id);
      if (chunk === undefined) return finishRunIfDone(database, parts, organizationId, runId);
      const end = await workOnChunk(parts, run, ready, listened, chunk, job.stopping, mayBegin);
      if (end === "given_back") return continueLane(parts, job, "any_generation");
      if (Date.now() - startedAt >= TURN_MS) return continueLane(parts, job, "same_generation");
    }
  };
}

/**
 * Sends the lane to the back of the line, if its run still runs. Where lanes of a newer generation have taken over, it ends;
 * but not if it has just given a chunk back: those may have looked for one meanwhile, and ended. Then it is also this lane
 * that ends the run, if its chunk was the last.
 */
async function continueLane(
  parts: LaneParts,
  job: Job<LaneJob>,
  when: "same_generation" | "any_generation",
): Promise<void> {
  const { organizationId, runId, generation } = job.data;
  const goesOn = await parts.database.transaction(async (tx) => {
    const run = await tx
      .selectFrom("runs")
      .selectAll()
      .where("organizationId", "=", organizationId)
      .where("id", "=", runId)
      .where("state", "=", "running")
      .executeTakeFirst();
    if (!run || (when === "same_generation" && run.laneGeneration !== generation)) return false;
    await enqueueLane(tx, parts.queue, run);
    return true;
  });
  if (!goesOn) await finishRunIfDone(parts.database, parts, organizationId, runId);
}

/** What cannot be prepared now cannot be prepared by trying again at once: the run says so and ends. */
async function failUnprepared(parts: LaneParts, run: RunRecord, error: unknown): Promise<void> {
  parts.log.error({ err: error, runId: run.id }, "a run could not be prepared");
  await parts.database.transaction(async (tx) => {
    const current = await lockRun(tx, run.organizationId, run.id);
    if (current.state !== "running") return;
    const message = "The run's job spec could not be prepared. The log of the service says why.";
    await endRun(tx, parts, current, "failed", { code: "internal_error", message });
  });
}

/** The run as it is now, running; undefined if this lane has nothing to do for it. */
async function beginTurn({ database, publicUrl }: LaneParts, job: LaneJob): Promise<RunRecord | undefined> {
  const run = await database.db
    .selectFrom("runs")
    .selectAll()
    .where("organizationId", "=", job.organizationId)
    .where("id", "=", job.runId)
    .executeTakeFirst();
  if (!run || run.laneGeneration !== job.generation) return undefined;
  if (run.state === "running") return run;
  if (run.state !== "queued" || run.stateReason === WAITING_FOR_CAPACITY) return undefined;
  return database.transaction(async (tx) => {
    const started = await tx
      .updateTable("runs")
      .set({ state: "running", stateReason: null, startedAt: new Date(), updatedAt: new Date() })
      .where("organizationId", "=", job.organizationId)
      .where("id", "=", job.runId)
      .where("state", "=", "queued")
      .returningAll()
      .executeTakeFirst();
    if (started) await recordRunState(tx, publicUrl(), started, "run.started", "running");
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
    watch: newPolicyWatch(),
  };
}

async function workOnChunk(
  parts: LaneParts,
  run: RunRecord,
  { definition, checks, step, watch }: PreparedRun,
  listened: ReadonlySet<EventType>,
  chunk: ClaimedChunk,
  stopping: AbortSignal,
  mayBegin: () => boolean,
): Promise<ChunkEnd> {
  const { pool } = parts.database;
  const giveUp = new AbortController();
  const watched = watchRun(parts, run, chunk, giveUp, stopping);
  const afterFlush = () => checkPolicies(parts.database, parts, run, watch);
  try {
    const end = await processChunk(
      pool,
      {
        target: targetOf(run),
        datasetId: run.datasetId,
        plan: {
          step,
          checks,
          retry: definition.retry ?? {},
          timeoutMs: definition.timeoutSeconds === undefined ? undefined : definition.timeoutSeconds * 1000,
          batchRows: Math.max(1, Math.min(step.maxBatchRows, rowsInFlight(run))),
          random: Math.random,
          reportError: (error) => parts.log.error({ err: error, runId: run.id }, "a processor failed"),
        },
        commit: (held, results, state) => commitAndTell(parts, run, listened, held, results, state),
        afterFlush,
        noteOutcomes: (rows) => noteOutcomes(watch, rows),
        probeRows: () => probeRows(watch, run),
        mayBegin,
        log: parts.log,
      },
      chunk,
      giveUp.signal,
    );
    if (end === "done") await afterFlush();
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

/** Commits; outputs that the database refuses become failures of their rows. */
async function commitAndTell(
  parts: LaneParts,
  run: RunRecord,
  listened: ReadonlySet<EventType>,
  chunk: ClaimedChunk,
  results: ChunkResults,
  state: "done" | "running" | "pending",
): Promise<boolean> {
  try {
    return await commitOnce(parts, run, listened, chunk, results, state);
  } catch (error) {
    if (!isDataError(error)) throw error;
    const sifted = await siftOutputs(parts.database.pool, results);
    if (sifted.successes.length === results.successes.length) throw error;
    return commitOnce(parts, run, listened, chunk, sifted, state);
  }
}

/** Where somebody listens to rows, results and row events commit together; else the statement stands alone. */
async function commitOnce(
  { database, publicUrl }: LaneParts,
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
  if (rows.length === 0) return commitChunk(database.pool, targetOf(run), chunk, results, state);
  return database.transaction(async (tx) => {
    // The run before its chunk, as where a run is ended: in the other order the two would wait for each other.
    await sql`select 1 from runs where organization_id = ${run.organizationId} and id = ${run.id} for no key update`.execute(
      tx,
    );
    const held = await commitChunk(statementsOf(tx), targetOf(run), chunk, results, state);
    if (held) await recordRowEvents(tx, publicUrl(), run, rows, listened);
    return held;
  });
}

/** Aborts the work when the run is no longer running, the chunk no longer ours, or the service will not wait any longer. */
async function watchRun(
  parts: LaneParts,
  run: RunRecord,
  chunk: ClaimedChunk,
  giveUp: AbortController,
  stopping: AbortSignal,
): Promise<void> {
  let stopsAt = Number.POSITIVE_INFINITY;
  while (!giveUp.signal.aborted) {
    try {
      await wait(WATCH_MS, undefined, { signal: giveUp.signal });
    } catch {
      return; // The chunk has ended.
    }
    if (stopping.aborted) stopsAt = Math.min(stopsAt, Date.now() + STOP_GRACE_MS);
    if (Date.now() >= stopsAt) return giveUp.abort();
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
