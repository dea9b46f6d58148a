/**
 * What stands around a lane's turn: how it begins, ends, steps aside, and what a dead worker's turn has left behind. Generations:
 * `docs/architecture.md`.
 */
import { sql, statementsOf } from "../../platform/database/database.ts";
import type { Statements } from "../../platform/database/database.ts";
import { pause } from "../../platform/pause.ts";
import type { Job } from "../../platform/queue/queue.ts";
import { findClaims, releaseClaims } from "../chunks/chunk-claims.ts";
import type { ClaimedChunk } from "../chunks/chunk-claims.ts";
import { areChunksUnseen, releaseFailedChunk, secondsUntilNextChunk } from "../chunks/chunk-deaths.ts";
import type { ClaimOfChunk } from "../chunks/chunk-deaths.ts";
import type { RunParts } from "../../resources/runs/create-run.ts";
import { endRun, finishRunIfDone } from "../../resources/runs/finish-run.ts";
import {
  WAITING_FOR_CAPACITY,
  countLanes,
  enqueueLane,
  findRunningRun,
  laneCount,
} from "../../resources/runs/lanes.ts";
import type { LaneJob } from "../../resources/runs/lanes.ts";
import type { LaneParts } from "./prepared-runs.ts";
import type { SharedSteps } from "./shared-steps.ts";
import { makeRangeChunks } from "../../resources/runs/range-chunks.ts";
import { recordRunStart } from "../../resources/runs/run-events.ts";
import { cancelIfOverBudget } from "../policies/run-policies.ts";
import { findRunIfThere, lockRun } from "../../resources/runs/runs.ts";
import type { RunRecord } from "../../resources/runs/runs.ts";
import { plural } from "../../platform/plural.ts";
import { isRowOf } from "../../platform/database/row-key.ts";
import { sharedMs } from "../../platform/shared-time.ts";

/** `ended`: no chunk was left to claim. `over`: there may be more. `released`: there is more. `spare`: other lanes do the rest. */
export type WorkEnd = "ended" | "over" | "released" | "spare";

type TurnParts = RunParts & Pick<LaneParts, "database" | "log">;

/**
 * Sends the lane to the back of the line, if its run still runs. Where lanes of a newer generation have taken over, it ends;
 * but not if it has just released a chunk and some of those have ended meanwhile, since they found none. Then it is also
 * this lane that ends the run, if its chunk was the last. `pausedSeconds`: so long its rows would wait for their provider.
 */
export async function endTurn(
  parts: TurnParts,
  job: Pick<Job<LaneJob>, "data">,
  end: WorkEnd,
  pausedSeconds?: number,
): Promise<void> {
  const { organizationId, runId, generation } = job.data;
  // No other lane may be left when the pause of a chunk is over.
  const { statements } = parts.database;
  const pauseSeconds = end === "ended" ? await pauseUntilNextChunk(statements, runId) : atMostLongest(pausedSeconds);
  const isUnseen = end === "ended" && pauseSeconds === undefined && (await areChunksUnseen(statements, runId));
  const goesOn =
    end !== "spare" &&
    (end !== "ended" || pauseSeconds !== undefined || isUnseen) &&
    (await parts.database.transaction(async (tx) => {
      const run = await findRunningRun(tx, organizationId, runId);
      if (!run) return false;
      if (run.laneGeneration !== generation && (end !== "released" || (await countLanes(tx, run)) >= laneCount(run)))
        return false;
      const startAfterSeconds = isUnseen ? pauseUntilSeen(run, parts) : pauseSeconds;
      await enqueueLane(tx, run, { lane: job.data.lane, startAfterSeconds }, parts.queue);
      return true;
    }));
  if (goesOn) return;
  const found = await finishRunIfDone(parts.database, organizationId, runId, parts);
  // Whichever lane is the last to have something in flight, it need not be the one that was refused.
  if (found === "paused") await cancelIfOverBudget(parts.database, { organizationId, id: runId }, parts);
}

/** Until a chunk is due again. Not for longer than a minute: another lane may have released chunks that are due before. */
async function pauseUntilNextChunk(statements: Statements, runId: string): Promise<number | undefined> {
  return atMostLongest(await secondsUntilNextChunk(statements, runId));
}

const atMostLongest = (seconds: number | undefined): number | undefined =>
  seconds === undefined ? undefined : Math.min(seconds, LONGEST_PAUSE_SECONDS);

/** In the middle of a turn that has found no chunk to claim, whichever lane has released it. Ends early when the signal aborts. */
export async function untilChunkIsDue(statements: Statements, runId: string, signal: AbortSignal): Promise<undefined> {
  // Where that cannot be read now, the turn looks all the same.
  const seconds = await pauseUntilNextChunk(statements, runId).catch(() => undefined);
  await pause((seconds ?? LONGEST_PAUSE_SECONDS) * 1_000, signal);
  return undefined;
}

/** A moment is less than this, unless a server of the cluster is away. */
const LATE_CHUNKS_SECONDS = 60;
const LONGEST_PAUSE_SECONDS = 60;

/** Each second at first, and a tenth of the time that the run waits for its chunks later. */
function pauseUntilSeen({ id, startedAt }: RunRecord, { log }: Pick<LaneParts, "log">): number {
  const waitedSeconds = startedAt === null ? 0 : (sharedMs() - startedAt.getTime()) / 1_000;
  if (waitedSeconds > LATE_CHUNKS_SECONDS)
    log.warn({ runId: id, waitedSeconds: Math.round(waitedSeconds) }, "the chunks of a run are not on their server");
  return Math.min(Math.max(1, Math.round(waitedSeconds / 10)), LONGEST_PAUSE_SECONDS);
}

/**
 * Claims of workers that had this job before, and are lost. Undefined: another worker has the job by now, and all that belongs to it. The job
 * is asked last: a worker that gets it later has claims of newer numbers, which are not among these.
 */
export async function findLeftClaims(
  { database }: { database: Pick<LaneParts["database"], "statements"> },
  job: Pick<Job<LaneJob>, "id" | "data" | "isRepeated" | "isOurs">,
): Promise<ClaimOfChunk[] | undefined> {
  if (!job.isRepeated) return [];
  const claims = await findClaims(database.statements, job.data.runId, job.id);
  return (await job.isOurs()) ? claims : undefined;
}

/**
 * The claim that was made for this job and whose response was lost becomes pending again, without a death: nothing of it was begun. `known`:
 * the claims of lost workers, and the chunks of the turn by their numbers. Returns false where no such claim is found: it may still arrive. Where
 * several are found, one may be another turn's: none is released, and they wait for the end of this turn.
 */
export async function releaseForgottenClaim(
  { database: { statements } }: { database: Pick<LaneParts["database"], "statements"> },
  job: Pick<Job<LaneJob>, "id" | "data" | "isOurs">,
  known: { left: readonly ClaimOfChunk[]; inHand: ReadonlyMap<number, unknown> },
): Promise<boolean> {
  const { runId } = job.data;
  const isLeft = (claim: ClaimOfChunk): boolean =>
    known.left.some(({ chunkNo, claimNo }) => chunkNo === claim.chunkNo && claimNo === claim.claimNo);
  const claims = await findClaims(statements, runId, job.id);
  const [forgotten, ...others] = claims.filter((claim) => !known.inHand.has(claim.chunkNo) && !isLeft(claim));
  // As in `findLeftClaims`, the job is asked last.
  if (forgotten === undefined || others.length > 0 || !(await job.isOurs())) return false;
  return (await releaseFailedChunk(statements, runId, forgotten, true)) !== undefined;
}

/** It comes again after this, and waits in line. */
const ASIDE_SECONDS = 1;

/**
 * The lane comes again in a moment: a chunk is tried alone in this process, or the lane was lost, and its organization has as many places as it
 * may have.
 */
export async function stepAside(parts: LaneParts, job: Job<LaneJob>, left: readonly ClaimOfChunk[]): Promise<void> {
  const { organizationId, runId, generation, lane } = job.data;
  if ((await releaseLeftClaims(parts, job, left)).isSentAgain) return;
  const comesAgain = await parts.database.transaction(async (tx) => {
    const run = await tx
      .selectFrom("runs")
      .selectAll()
      .where(isRowOf("runs", { organizationId }, runId))
      .where("state", "in", ["queued", "running"])
      .where("laneGeneration", "=", generation)
      .executeTakeFirst();
    if (run) await enqueueLane(tx, run, { lane, startAfterSeconds: ASIDE_SECONDS }, parts.queue);
    return run !== undefined;
  });
  if (!comesAgain) await endTurn(parts, job, "ended");
}

/** What cannot be prepared now cannot be prepared by trying again at once: the run ends with this reason. */
export async function failUnprepared(parts: LaneParts, run: RunRecord, error: unknown): Promise<void> {
  parts.log.error({ err: error, runId: run.id }, "a run could not be prepared");
  await parts.database.transaction(async (tx) => {
    const current = await lockRun(tx, run, run.id);
    if (current.state !== "running") return;
    const message = "The run's job spec could not be prepared. The log of the service says why.";
    await endRun(tx, current, "failed", { code: "internal_error", message }, parts);
  });
}

/** A chunk that could not be processed or recorded, again and again, does not keep its run open for ever. */
export async function failForChunk(
  parts: LaneParts,
  run: RunRecord,
  { firstRow, lastRow }: Pick<ClaimedChunk, "firstRow" | "lastRow">,
  failures: number,
): Promise<void> {
  await parts.database.transaction(async (tx) => {
    const current = await lockRun(tx, run, run.id);
    if (current.state !== "running") return;
    const message =
      `Rows ${firstRow} to ${lastRow} could not be processed or recorded: the service failed at them ${plural(failures, "time")}. ` +
      "Its log says why.";
    await endRun(tx, current, "failed", { code: "internal_error", message }, parts);
  });
}

/** The run as it is now, running; undefined if this lane has nothing to do for it. */
export async function beginTurn(
  { database }: LaneParts,
  job: LaneJob,
  steps: SharedSteps<RunRecord>,
): Promise<RunRecord | undefined> {
  const run = await findRunIfThere(database.db, job, job.runId);
  if (!run || run.laneGeneration !== job.generation) return undefined;
  if (run.state === "running") return run;
  if (run.state !== "queued" || run.stateReason === WAITING_FOR_CAPACITY) return undefined;
  return steps.start(run.id, () => startRun(database, run));
}

/** The same in the middle of a turn. */
export async function goOnWithTurn({ database }: LaneParts, job: LaneJob): Promise<RunRecord | undefined> {
  const run = await findRunIfThere(database.db, job, job.runId);
  return run?.state === "running" && run.laneGeneration === job.generation ? run : undefined;
}

/** By the clock of the database, as the rows' times are. The API made the run, by a clock that may be ahead. */
const STARTS_AT = sql<Date>`greatest(now(), created_at)`;

/** Writes its chunks. One lane of the run does it. */
async function startRun(database: LaneParts["database"], run: RunRecord): Promise<RunRecord> {
  return database.transaction(async (tx) => {
    const started = await tx
      .updateTable("runs")
      .set((eb) => ({
        state: "running",
        stateReason: null,
        chunksMade: true,
        startedAt: STARTS_AT,
        updatedAt: sql<Date>`now()`,
        eventSequence: eb("eventSequence", "+", 1),
      }))
      .where(isRowOf("runs", run, run.id))
      .where("state", "=", "queued")
      .returningAll()
      .executeTakeFirst();
    // Another lane of the run was first, and has written its chunks.
    if (started === undefined) return { ...run, state: "running", chunksMade: true };
    await makeRangeChunks(tx, run);
    await recordRunStart(tx, started);
    return started;
  });
}

/**
 * Chunks that this job will not claim again: the run is canceling or paused, or has lanes of a newer generation, which may all have ended
 * meanwhile.
 */
export async function releaseLeftClaims(
  parts: LaneParts,
  job: Job<LaneJob>,
  left: readonly ClaimOfChunk[],
): Promise<{ isSentAgain: boolean }> {
  if (left.length === 0) return { isSentAgain: false };
  return parts.database.transaction(async (tx) => {
    if (!(await releaseClaims(statementsOf(tx), job.data.runId, left))) return { isSentAgain: false };
    const run = await findRunningRun(tx, job.data.organizationId, job.data.runId);
    if (run) await enqueueLane(tx, run, { lane: job.data.lane }, parts.queue);
    return { isSentAgain: run !== undefined };
  });
}
