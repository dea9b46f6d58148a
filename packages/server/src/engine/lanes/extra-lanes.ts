/**
 * Lanes that a run gets beyond its own four, so that one run uses every machine that has nothing else to do. A process whose threads have no work
 * gives one to a run that computes; it may be another process that takes it.
 *
 *   a process has had hardly a turn for a second ──▶ the run has one lane more ─turn─▶ … ─▶ nothing is left to claim: it ends, as any lane
 *                                                                                └─▶ a job waits for a place, or its process has turns enough
 *                                                                                    without it: it ends, and the run's other lanes go on
 *
 * Runs whose rows wait for others need none: their lanes share a concurrency, which four processes can keep under way.
 */
import { availableParallelism } from "node:os";
import { sql } from "../../platform/database/database.ts";
import type { OrganizationDatabase, Queryable } from "../../platform/database/database.ts";
import { eachValueText } from "../../platform/database/each-value.ts";
import type { AllOrganizations } from "../../platform/database/tenants.ts";
import { countOpenJobs } from "../../platform/queue/jobs.ts";
import type { RunParts } from "../../resources/runs/create-run.ts";
import {
  EXTRA_LANE,
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
export class TurnsHere {
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
      if (this.areEnough()) this.#idleSince = performance.now();
      this.#turns--;
    };
  }

  areEnough(): boolean {
    return this.#turns >= this.#enough;
  }

  /** For a while. */
  areFew(): boolean {
    return !this.areEnough() && performance.now() - this.#idleSince >= IDLE_MS;
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

export const isExtraLane = (lane: number): boolean => lane >= EXTRA_LANE;

/** One lane more for one of the runs that have chunks to give, where this process has room for it. */
export async function addExtraLane(
  { database, tasks }: AllOrganizations,
  parts: RunParts,
  turns: Pick<TurnsHere, "areFew">,
): Promise<void> {
  if (!turns.areFew() || parts.queue.wanted(laneQueues.computing) !== "by nobody") return;
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
  // A process that has no row of the run yet takes some before the breaker is evaluated: a broken run would spend more than it may.
  if (run === undefined || !mayHaveExtraLanes(run) || (await evaluateBreaker(database, run)) !== "fine") return false;
  return database.transaction(async (tx) => {
    const lanes = await countLanes(tx, run);
    if (lanes >= MOST_LANES || !(await hasChunksToGive(tx, run))) return false;
    await enqueueLane(tx, run, { lane: EXTRA_LANE }, queue);
    return true;
  });
}

/** More than the run's lanes will claim that wait for their turn. */
async function hasChunksToGive(db: Queryable, { id, laneGeneration }: RunRecord): Promise<boolean> {
  const waiting = await countOpenJobs(
    db,
    laneQueues.computing,
    sql`j.state <> 'active' and j.data->>'runId' = ${id} and (j.data->>'generation')::int = ${laneGeneration}`,
  );
  const { rows } = await sql`
    select 1 from run_chunks where run_id = ${id} and state = 'pending' and not_before is null limit ${waiting + 1}`.execute(
    db,
  );
  return rows.length > waiting;
}
