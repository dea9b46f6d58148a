/**
 * Lanes: a run's share of the workers. A lane is one queued job; in its turn it claims chunks of the run one after the
 * other, and then sends itself again, behind the other lanes of its organization. So organizations alternate first, and then their
 * runs, whatever their size and number; and the queue holds a few jobs per run and none per row. Generations of lanes are drawn in
 * `docs/architecture.md`.
 */
import type { ProcessorConfig } from "@rowmill/contract/processors";
import { sql } from "kysely";
import type { RawBuilder, Selectable } from "kysely";
import type { Queryable, Transaction } from "../../platform/database/database.ts";
import type { LaneKind } from "../../platform/database/run-tables.ts";
import type { JobSpecVersionsTable } from "../../platform/database/data-tables.ts";
import { prepared } from "../../platform/database/prepared.ts";
import { isRowOf } from "../../platform/database/row-key.ts";
import { traitsOf } from "../../processors/processors.ts";
import { countOpenJobs, placeIn } from "../../platform/queue/jobs.ts";
import type { Queue } from "../../platform/queue/queue.ts";
import type { RunRecord } from "./runs.ts";
import { present } from "../../platform/present.ts";

/**
 * Runs that compute and runs whose rows wait for others (models, services) have queues of their own. The first need
 * the processors, for moments; the second need next to nothing, for long, and would keep the first from their turn.
 */
export const laneQueues = { computing: "run-lane", waiting: "run-lane-waiting" } as const satisfies Record<
  LaneKind,
  string
>;

/** Few enough that runs beside it get their turn. Where processes have nothing to do, a run gets more: `engine/lanes/extra-lanes.ts`. */
export const MAX_LANES = 4;

/** A run comes once in so many rounds while its organization has a more urgent one. Never would be a run that nobody sees progress. */
const ROUNDS_OF_MORE_URGENT = 10;

/** `stateReason` of a queued run that has no lanes yet. */
export const WAITING_FOR_CAPACITY = "waiting_for_capacity";

export interface LaneJob {
  organizationId: string;
  runId: string;
  generation: number;
  /** From 0 up to the number of the run's lanes, or `MAX_LANES`: an extra lane. */
  lane: number;
}

type LanedRun = Pick<RunRecord, "organizationId" | "id" | "priority" | "laneGeneration" | "laneKind">;

/** By what the job spec's processor does. */
export function laneKindOf(version: Pick<Selectable<JobSpecVersionsTable>, "processor">): LaneKind {
  const { kind } = traitsOf(JSON.parse(version.processor) as ProcessorConfig); // columns hold what the contract has checked
  return kind === "calling" ? "waiting" : "computing";
}

/** Not locked. Undefined where the run is in another state. */
export const findRunningRun = (db: Queryable, organizationId: string, runId: string): Promise<RunRecord | undefined> =>
  db
    .selectFrom("runs")
    .selectAll()
    .where(isRowOf("runs", { organizationId }, runId))
    .where("state", "=", "running")
    .executeTakeFirst();

export const laneCount = (run: Pick<RunRecord, "chunkCount" | "concurrency">): number =>
  Math.max(1, Math.min(run.chunkCount, run.concurrency ?? MAX_LANES, MAX_LANES));

/**
 * Of the run's concurrency, what this lane may have under way: the shares of all lanes add up to it. One that was made for
 * more lanes than there are has a share, too.
 */
export function laneShare(run: Pick<RunRecord, "chunkCount">, concurrency: number, lane: number): number {
  const lanes = laneCount({ chunkCount: run.chunkCount, concurrency });
  return Math.max(1, Math.floor(concurrency / lanes) + (lane < concurrency % lanes ? 1 : 0));
}

/** `place`: what `placeOf` says, where it is known. */
export async function enqueueLanes(
  tx: Transaction,
  run: LanedRun & Pick<RunRecord, "chunkCount" | "concurrency">,
  queue: Queue,
  place?: number,
): Promise<void> {
  const jobs = Array.from({ length: laneCount(run) }, (_unused, lane) => jobOf(run, lane));
  await queue.enqueueAll(tx, laneQueues[run.laneKind], jobs, { priority: place ?? (await placeOf(tx, run)) });
}

export async function enqueueLane(
  tx: Transaction,
  run: LanedRun,
  { lane, startAfterSeconds }: { lane: number; startAfterSeconds?: number | undefined },
  queue: Queue,
): Promise<void> {
  await queue.enqueue(tx, laneQueues[run.laneKind], jobOf(run, lane), {
    priority: await placeOf(tx, run),
    ...present({ startAfterSeconds }),
  });
}

/**
 * Behind the lanes of its organization's runs of the same and of a higher priority. A priority concerns no other organization: each has its
 * place in every round.
 */
async function placeOf(tx: Transaction, { organizationId, laneKind, priority }: LanedRun): Promise<number> {
  const [found] = await findPlace(tx, {
    queue: laneQueues[laneKind],
    organizationId,
    laneKind,
    priority: String(priority),
  });
  return found?.place ?? 0;
}

const findPlace = prepared("find_place_of_lane", ["queue", "organizationId", "laneKind", "priority"], (db, at) =>
  db.selectNoFrom(placeIn(at.queue, lanesBefore(at)).as("place")),
);

/** The place of the lanes of a run that is being inserted: it is not yet among the runs that are there, and comes behind itself as well. */
export const placeOfNewRun = (
  queue: string,
  at: { organizationId: string; laneKind: string; priority: string; chunkCount: string; concurrency: string },
) => placeIn(queue, lanesBefore(at, lanesOf(sql`${at.chunkCount}::int`, sql`${at.concurrency}::int`)));

const lanesOf = (chunkCount: RawBuilder<unknown>, concurrency: RawBuilder<unknown>) =>
  sql`least(${chunkCount}, coalesce(${concurrency}, ${sql.lit(MAX_LANES)}), ${sql.lit(MAX_LANES)})`;

const lanesBefore = (at: { organizationId: string; laneKind: string; priority: string }, more = sql`0`) => sql<number>`(
    select (coalesce(sum(${lanesOf(sql`chunk_count`, sql`concurrency`)}), 0) + ${more})
      * case when bool_or(priority > ${at.priority}) then ${sql.lit(ROUNDS_OF_MORE_URGENT)} else 1 end
    from runs where organization_id = ${at.organizationId} and lane_kind = ${at.laneKind} and priority >= ${at.priority}
      and state in ('queued', 'running') and ${isInProgress})`;

/**
 * Condition, beside the id of a run: it has not ended. In a form that the index of unfinished runs does not serve: with old statistics, all
 * those of the organization would be read for one.
 */
export const hasNotEnded = sql<boolean>`num_nulls(finished_at) = 1`;

/** SQL: a run that has its lanes, or had them. It is the condition of the index `runs_in_progress`. */
export const isInProgressText = `finished_at is null and (state_reason is null or state_reason <> '${WAITING_FOR_CAPACITY}')`;
export const isInProgress = sql.raw<boolean>(isInProgressText);

/** SQL: whether a run has no lanes yet. It is the condition of the index `runs_waiting`. */
export const waitsForCapacityText = `state = 'queued' and state_reason = '${WAITING_FOR_CAPACITY}' and deleted_at is null`;

const jobOf = ({ organizationId, id, laneGeneration }: LanedRun, lane: number): LaneJob => ({
  organizationId,
  runId: id,
  generation: laneGeneration,
  lane,
});

/** Lanes of the run's generation: all, or those that wait for their turn. */
export async function countLanes(db: Queryable, run: LanedRun, which: "all" | "waiting" = "all"): Promise<number> {
  const isLane = sql`j.data->>'runId' = ${run.id} and (j.data->>'generation')::int = ${run.laneGeneration}`;
  return countOpenJobs(db, laneQueues[run.laneKind], which === "all" ? isLane : sql`${isLane} and j.state <> 'active'`);
}

/** Lanes of before end after their turn; the run's new ones carry the new number. */
export async function startLaneGeneration(tx: Transaction, run: RunRecord): Promise<RunRecord> {
  return tx
    .updateTable("runs")
    .set((eb) => ({ laneGeneration: eb("laneGeneration", "+", 1) }))
    .where(isRowOf("runs", run, run.id))
    .returningAll()
    .executeTakeFirstOrThrow();
}
