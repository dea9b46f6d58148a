/** Watches a claimed chunk: whether its run still runs, and the claim still holds. */
import { isTerminal } from "@rowmill/contract/runs";
import { sql } from "kysely";
import { pause } from "../../platform/pause.ts";
import { WAKE } from "../chunks/chunk-claims.ts";
import type { ClaimedChunk } from "../chunks/chunk-claims.ts";
import { DeadlineReachedError } from "../rows/deadline-rows.ts";
import type { RunControl } from "../rows/run-control.ts";
import type { LaneParts } from "./prepared-runs.ts";
import type { RunRecord } from "../../resources/runs/runs.ts";
import { isRowOf } from "../../platform/database/row-key.ts";

/** How soon a lane that works on a long chunk sees that its run was canceled or paused. */
const WATCH_MS = 500;
/** Time for rows in flight to end when the service stops: what they have paid for is worth waiting for, within its limit. */
const STOP_GRACE_MS = 8_000;
/** The same when the run is paused, or works on with other lanes: nobody waits for it, and a model may take its time. */
const PAUSE_GRACE_MS = 120_000;
/** The same of rows that only wait to send a call for which nothing was paid, when their run is paused: a slow limit would send calls for minutes. */
const PAUSED_WAIT_MS = 10_000;

export interface ChunkWatch {
  /** Of the lane: newer lanes have taken the run over. */
  generation: number;
  /** Time for rows in flight to end when their run is canceled or past its deadline. */
  graceMs: number;
  /** Of the chunk. Aborted when the work is for nothing, or will not be waited for any longer; the lane ends it with the chunk. */
  control: RunControl;
  stopping: AbortSignal;
  /** Whether all calls of the lane wait for a slot of a limiter, or for money, and no row of the chunk would be paid for again. */
  areWaitingUnpaid: () => boolean;
  /** Reports the rows in flight; called at every look. */
  report: () => Promise<void>;
  /** Called with what may be changed of the run, as it is now. */
  follow: (now: Pick<RunRecord, "concurrency" | "budget" | "priority" | "failurePolicy">) => void;
}

interface ChunkNow extends Pick<
  RunRecord,
  "state" | "laneGeneration" | "concurrency" | "budget" | "priority" | "failurePolicy"
> {
  isOurs: boolean;
  /** Its deadline has passed; null: it has none. */
  isLate: boolean | null;
  wake: Date | null;
}

export async function watchChunk(
  parts: LaneParts,
  run: RunRecord,
  chunk: ClaimedChunk,
  { generation, graceMs, control, stopping, areWaitingUnpaid, report, follow }: ChunkWatch,
): Promise<void> {
  let stopsAt = Number.POSITIVE_INFINITY;
  let waitsUntil = Number.POSITIVE_INFINITY;
  let reason: DeadlineReachedError | undefined;
  // The claim has seen its own.
  let seenWake = chunk.wake?.getTime();
  // An outage is logged once, and not at each look of each lane.
  let hasFailed = false;
  while (!control.signal.aborted) {
    await pause(WATCH_MS, control.signal);
    if (control.signal.aborted) return; // the chunk has ended
    if (stopping.aborted) stopsAt = Math.min(stopsAt, performance.now() + STOP_GRACE_MS);
    if (performance.now() >= stopsAt) return control.abort(reason);
    try {
      const { rows } = await sql<ChunkNow>`
        select c.claim_no = ${chunk.claimNo} and c.state = 'running' as is_ours, ${sql.raw(WAKE)}, r.state, r.lane_generation, r.deadline_at <= clock_timestamp() as is_late, r.concurrency,
          r.budget, r.priority, r.failure_policy
        from runs r join run_chunks c on c.run_id = r.id and c.chunk_no = ${chunk.chunkNo}
        where ${isRowOf("runs", run, run.id, "r")}`.execute(parts.database.db);
      const now = rows[0];
      if (now?.isOurs !== true) {
        // Where the run has ended, nothing is recorded any more, and calls that respond are counted with what they have used.
        if (now === undefined || !isTerminal(now.state) || graceMs === 0) return control.abort();
        control.drain("superseded");
        stopsAt = Math.min(stopsAt, performance.now() + graceMs);
        continue;
      }
      // The commit that releases the chunk ends it.
      if (now.wake !== null && now.wake.getTime() !== seenWake) control.wakeRows(now.wake);
      seenWake = now.wake?.getTime();
      await report();
      if (now.state === "canceling" || now.isLate === true) {
        reason = now.state === "canceling" ? undefined : new DeadlineReachedError();
        control.drain(now.state === "canceling" ? "superseded" : "deadline");
        stopsAt = Math.min(stopsAt, performance.now() + graceMs);
        if (graceMs === 0) return control.abort(reason);
      }
      follow(now);
      if (now.state === "paused" || now.laneGeneration !== generation) {
        control.drain("superseded");
        stopsAt = Math.min(stopsAt, performance.now() + PAUSE_GRACE_MS);
      }
      waitsUntil =
        now.state === "paused" ? Math.min(waitsUntil, performance.now() + PAUSED_WAIT_MS) : Number.POSITIVE_INFINITY;
      if (performance.now() >= waitsUntil && areWaitingUnpaid()) return control.abort();
      hasFailed = false;
    } catch (error) {
      if (!hasFailed)
        parts.log.warn({ err: error, runId: run.id }, "could not read the state of a run in progress, and tries again");
      hasFailed = true;
    }
  }
}
