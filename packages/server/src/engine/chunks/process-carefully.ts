/**
 * Works on a chunk at which workers have died: row by row, so that the row that kills them gives itself away. See `chunk-deaths.ts`.
 */
import type { Statements } from "../../platform/database/database.ts";
import type { InputRow } from "../../processors/processor.ts";
import type { ClaimedChunk } from "./chunk-claims.ts";
import { LONE_DEATHS, markSuspect } from "./chunk-deaths.ts";
import { ChunkCommits } from "./chunk-commits.ts";
import { addAbandoned, addOutcome, addRest, carriedUsageOf, noResults, retriesOf } from "./chunk-results.ts";
import type { CarriedUsage, ChunkResults } from "./chunk-results.ts";
import type { ChunkEnd, ChunkWork } from "./chunk-work.ts";
import { processRows } from "../rows/process-rows.ts";
import type { FinishedRowOutcome, RowPlan } from "../rows/try-rows.ts";

/** What is recorded of a poison row: the death that made it a suspect, and those that counted. */
const DEATHS_IN_HAND = 1 + LONE_DEATHS;

/** `nothing`: the row was not begun, or abandoned. */
type Tried = FinishedRowOutcome[] | "lost" | "nothing";

export async function processCarefully(
  client: Statements,
  work: ChunkWork,
  chunk: ClaimedChunk,
  rows: InputRow[],
): Promise<ChunkEnd> {
  const carried = carriedUsageOf(chunk);
  const plan: RowPlan = { ...work.plan, rowsPerCall: 1, retries: retriesOf(carried) };
  const commits = new ChunkCommits(work, chunk, { carried, progress: plan.progress });
  let open = noResults();
  const commit = async (results: ChunkResults, state: "done" | "running" | "pending"): Promise<boolean> => {
    open = results;
    const isCommitted = await commits.commit(results, state);
    if (isCommitted) open = noResults();
    return isCommitted;
  };
  try {
    const end = await takeRows(client, work, chunk, { rows, carried, plan, commit });
    if (end === "lost") await commits.accountLost(open);
    return end;
  } catch (error) {
    await commits.keepUsage(open);
    throw error;
  }
}

interface RowsToTake {
  rows: readonly InputRow[];
  carried: ReadonlyMap<number, CarriedUsage>;
  plan: RowPlan;
  /** False: the claim is lost. */
  commit: (results: ChunkResults, state: "done" | "running" | "pending") => Promise<boolean>;
}

async function takeRows(
  client: Statements,
  work: ChunkWork,
  chunk: ClaimedChunk,
  { rows, carried, plan, commit }: RowsToTake,
): Promise<ChunkEnd> {
  const { control } = work;
  const { signal } = control;
  const release = async (): Promise<ChunkEnd> => {
    const results = noResults();
    addAbandoned(results, carried, plan.progress.takeAbandoned());
    addRest(results, plan.progress, chunk, carried);
    if (!(await commit(results, "pending"))) return "lost";
    return plan.progress.restsUntil === undefined ? "released" : "resting";
  };
  const deathsOf = (row: InputRow): number => chunk.suspects[row.index] ?? -1;

  async function tryRow(row: InputRow, isTrial: boolean, isAlone = false): Promise<Tried> {
    if (!(await markSuspect(client, work.target.runId, chunk, row.index, isAlone))) return "lost";
    const outcomes: FinishedRowOutcome[] = [];
    const rowControl = isTrial ? control.forTrial() : control;
    for await (const ended of processRows(plan, [row], rowControl)) outcomes.push(...ended);
    return outcomes.length === 0 ? "nothing" : outcomes;
  }

  let hasTried = false;
  // Rows that nothing speaks against come first, then those that need no trial any more, then the trials.
  const ordered = rows.toSorted((a, b) => rankOf(deathsOf(a)) - rankOf(deathsOf(b)));
  for (const row of ordered) {
    const deaths = deathsOf(row);
    let ended: Tried;
    if (deaths >= LONE_DEATHS) {
      work.log.warn(
        { runId: work.target.runId, rowIndex: row.index },
        "a row fails as a poison row: workers died of it",
      );
      ended = [poisoned(row)];
    } else if (!control.mayBegin()) return release();
    else if (deaths < 0) ended = await tryRow(row, false);
    else {
      // One trial in a turn: others wait meanwhile.
      if (hasTried || chunk.isPaused) return release();
      hasTried = true;
      ended = await work.alone((isAlone) => tryRow(row, true, isAlone), signal);
    }
    if (ended === "lost") return "lost";
    if (ended === "nothing") return release();
    const results = noResults();
    for (const outcome of ended) addOutcome(results, outcome, carried.get(outcome.index));
    if (!(await commit(results, "running"))) return "lost";
    await work.policies.check();
    if (control.reason === "policy") return release();
  }
  return (await commit(noResults(), "done")) ? "done" : "lost";
}

const rankOf = (deaths: number): number => (deaths < 0 ? 0 : deaths >= LONE_DEATHS ? 1 : 2);

const poisoned = (row: InputRow): FinishedRowOutcome => ({
  index: row.index,
  attempts: DEATHS_IN_HAND,
  durationMs: 0,
  outcome: {
    ok: false,
    failure: {
      code: "poison_row",
      message: `The worker died ${LONE_DEATHS} times while it tried this row, which began alone.`,
    },
  },
  usage: undefined,
});
