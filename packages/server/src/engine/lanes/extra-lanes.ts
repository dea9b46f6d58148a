/**
 * Lanes that a run gets beyond its own four, so that one run uses every machine that has nothing else to do. A process whose threads have no work
 * gives one to a run that computes; it may be another process that takes it.
 *
 *   a process has had hardly a turn for a second ──▶ the run has one lane more ─turn─▶ … ─▶ nothing is left to claim: it ends, as any lane
 *                                                                                └─▶ a job waits for a place, or its process has turns enough
 *                                                                                    without it: it ends, if other lanes will do the rest
 *
 * Runs whose rows wait for others need none: their lanes share a concurrency, which four processes can keep under way.
 */
import { availableParallelism } from "node:os";
import { sql } from "../../platform/database/database.ts";
import type { OrganizationDatabase, Queryable } from "../../platform/database/database.ts";
import { eachValueText } from "../../platform/database/each-value.ts";
import type { AllOrganizations } from "../../platform/database/tenants.ts";
import type { RunParts } from "../../resources/runs/create-run.ts";
import {
  MAX_LANES,
  countLanes,
  enqueueLane,
  findRunningRun,
  isInProgressText,
  laneQueues,
} from "../../resources/runs/lanes.ts";
import type { RunRecord } from "../../resources/runs/runs.ts";
import { evaluateBreaker } from "../policies/run-policies.ts";

/** Between two looks of a process: a run that is shorter is hardly worth one. */
export const EXTRA_LANES_EVERY_MS = 2_000;
/** Between two turns of a lane it is queued for a moment. */
const IDLE_MS = 1_000;
/** Each records its chunks in the same PostgreSQL, and counting them reads all jobs of the queue. */
const MOST_LANES = 64;
/** Runs that are looked at: of any organization first, and then by their priority. */
const RUNS_AT_ONCE = 10;

const OWNERS_OF_RUNS = sql.raw(
  eachValueText("owner", { table: "runs", column: "organization_id", beside: "id", where: isInProgressText }),
);

/** Turns of lanes that compute, in this process. */
export class LaneLoad {
  readonly #enough: number;
  #turns = 0;
  #idleSince = performance.now();

  constructor(enough: number = turnsThatFill(availableParallelism())) {
    this.#enough = enough;
  }

  /** Returns what ends the turn. */
  enter(): () => void {
    this.#turns++;
    return () => {
      if (this.isFull()) this.#idleSince = performance.now();
      this.#turns--;
    };
  }

  isFull(): boolean {
    return this.#turns >= this.#enough;
  }

  /** For a second now. */
  hasRoom(): boolean {
    return !this.isFull() && performance.now() - this.#idleSince >= IDLE_MS;
  }
}

/**
 * One turn keeps two processors at work: its rows have all threads, and between them its results are recorded. More lanes on the same processors
 * were slower, and so were more than a run's own in one process.
 */
export const turnsThatFill = (processors: number): number =>
  Math.min(MAX_LANES, Math.max(1, Math.floor(processors / 2)));

/** A lane of a run with a concurrency has its share of it, and there is none for more lanes. */
export const mayHaveExtraLanes = (run: Pick<RunRecord, "laneKind" | "concurrency">): boolean =>
  run.laneKind === "computing" && run.concurrency === null;

export const isExtraLane = (lane: number): boolean => lane >= MAX_LANES;

/** One lane more for one of the runs that have chunks to give, where this process has room for it. */
export async function addExtraLane(
  { database, tasks }: AllOrganizations,
  parts: RunParts,
  load: Pick<LaneLoad, "hasRoom">,
): Promise<void> {
  if (!load.hasRoom() || parts.queue.wanted(laneQueues.computing) !== "by nobody") return;
  const { rows: runs } = await sql<{ organizationId: string; id: string }>`
    with recursive owner as (${OWNERS_OF_RUNS})
    select r.organization_id, r.id from (select organization_id from owner order by random()) o cross join lateral (
      select organization_id, id from runs
      where organization_id = o.organization_id and lane_kind = 'computing' and ${sql.raw(isInProgressText)}
        and state = 'running' and concurrency is null and chunk_count > ${MAX_LANES}
        and started_at < now() - make_interval(secs => ${EXTRA_LANES_EVERY_MS / 1_000})
      order by priority desc limit ${RUNS_AT_ONCE}) r
    limit ${RUNS_AT_ONCE}`.execute(database.db);
  for (const run of runs) if (await joinRun(tasks.of(run.organizationId), run, parts)) return;
}

async function joinRun(
  database: OrganizationDatabase,
  { organizationId, id }: Pick<RunRecord, "organizationId" | "id">,
  { queue }: RunParts,
): Promise<boolean> {
  const run = await findRunningRun(database.db, organizationId, id);
  if (run === undefined || !mayHaveExtraLanes(run) || !(await hasChunksToGive(database.db, run))) return false;
  // A process that has no row of the run yet takes some before the breaker is evaluated: a broken run would spend more than it may.
  if ((await evaluateBreaker(database, run)) !== "fine") return false;
  return database.transaction(async (tx) => {
    if ((await countLanes(tx, run)) >= MOST_LANES) return false;
    await enqueueLane(tx, run, { lane: MAX_LANES }, queue);
    return true;
  });
}

/**
 * Whether an extra lane may end that has released a chunk. Each lane has one chunk, so where more are pending than there are lanes, one was there to
 * claim all the time: no other lane has found none, and ended.
 */
export const othersWillClaim = async (db: Queryable, run: RunRecord): Promise<boolean> =>
  hasPendingChunks(db, run, (await countLanes(db, run)) + 1);

/** More than the run's lanes will claim that wait for their turn. */
async function hasChunksToGive(db: Queryable, run: RunRecord): Promise<boolean> {
  return hasPendingChunks(db, run, (await countLanes(db, run, "waiting")) + 1);
}

async function hasPendingChunks(db: Queryable, { id }: RunRecord, atLeast: number): Promise<boolean> {
  const { rows } = await sql`
    select 1 from run_chunks where run_id = ${id} and state = 'pending' and not_before is null limit ${atLeast}`.execute(
    db,
  );
  return rows.length >= atLeast;
}
