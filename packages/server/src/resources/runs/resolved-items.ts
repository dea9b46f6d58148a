/** Resolved results as items: one for each row of the root run, over all runs of the family up to the run asked. */
import type { ResultState } from "@rowmill/contract/run-results";
import type { Statements } from "../../platform/database/database.ts";
import { resolvedItem } from "./item-texts.ts";
import type { Item } from "./items.ts";
import { partSizesOf, readPositions } from "./positions.ts";
import type { Position, WantedChunks } from "./positions.ts";
import { unmadeRange } from "./range-chunks.ts";
import { resolveRow } from "./resolve-row.ts";
import type { Candidate } from "./resolve-row.ts";
import { readFamily, readRunRows, withoutEnd } from "./run-family.ts";
import type { FamilyRun } from "./run-family.ts";
import type { RunRecord } from "./runs.ts";
import { readAllFailures, readFailedIndexes } from "./stored-results/failures.ts";
import { readResultHeads, readWholeResults } from "./stored-results/read-results.ts";
import type { ReadFailures, ResultHead } from "./stored-results/read-results.ts";
import { resumeWhenFolded } from "./stored-results/segments.ts";
import { SegmentsOfRuns } from "./stored-results/segments-of-runs.ts";

/** Items after row index `after`, `wanted` of them or all, as many at once as fit into memory. */
export async function* readResolved(
  client: Statements,
  run: RunRecord,
  prefix: string,
  after: number,
  wanted: number,
  states: readonly ResultState[] | undefined,
): AsyncGenerator<Item[]> {
  if (run.id === run.rootRunId && states !== undefined && areFailures(new Set(states))) {
    yield* failuresOfRoot(client, run, prefix, after, wanted);
    return;
  }
  const family = await readFamily(client, run);
  let missing = wanted;
  const parts = resumeWhenFolded(
    after,
    (from) => resolveFrom(client, run, family, prefix, from, missing, states),
    ({ index }) => index,
  );
  for await (const items of parts) {
    yield items;
    missing -= items.length;
    if (missing <= 0) return;
  }
}

/** Up to the first run of a family, the rows that failed are those with a failure. */
async function* failuresOfRoot(
  client: Statements,
  run: RunRecord,
  prefix: string,
  after: number,
  wanted: number,
): AsyncGenerator<Item[]> {
  for await (const failures of readAllFailures(client, run.id, after, wanted, {}))
    yield failures.map((failure) => resolvedItem(prefix, failure.index, "failed", run.id, { failure }));
}

interface Chosen {
  index: number;
  state: ResultState;
  candidate: Candidate | undefined;
  head: ResultHead | undefined;
}

async function* resolveFrom(
  client: Statements,
  run: RunRecord,
  family: FamilyRun[],
  prefix: string,
  after: number,
  wanted: number,
  states: readonly ResultState[] | undefined,
): AsyncGenerator<Item[]> {
  const isWanted = states === undefined ? undefined : new Set(states);
  const sizes = partSizesOf(wanted, isWanted !== undefined);
  const isFailures = isWanted !== undefined && areFailures(isWanted);
  // Where a row has a success in several runs, its head says which of them is shown.
  const hasOneEach = !family.some((member) => member.is_explicit) && (isWanted?.has("succeeded") ?? true);
  const failures = failuresToRead(isWanted, family);
  const runIds = family.map(({ id }) => id);
  const segments = new SegmentsOfRuns(client, runIds, hasOneEach ? "with" : "without");
  const chunks = rootChunks(isWanted, family);
  if (!Object.values(chunks).includes(true)) return;
  let missing = wanted;
  // A run that has retries has started or ended, and so has its chunks.
  const read = isFailures ? undefined : segments;
  for await (const all of readPositions(client, run.rootRunId, unmadeRange(run), after, sizes, chunks, read)) {
    const positions = isFailures ? await thoseThatFailed(client, family, all) : all;
    if (positions.length === 0) continue;
    const { candidates, heads } = await readCandidates(segments, family, positions, failures);
    const chosen: Chosen[] = [];
    for (const { index } of positions) {
      const { state, candidate } = resolveRow(candidates.get(index) ?? []);
      if (isWanted !== undefined && !isWanted.has(state)) continue;
      const hasEnded = state === "succeeded" || state === "failed";
      const head = hasEnded && candidate !== undefined ? heads.get(candidate.runId)?.get(index) : undefined;
      chosen.push({ index, state, candidate, head });
      if (--missing === 0) break;
    }
    for await (const window of readWholeResults(client, chosen, ({ head }) => head))
      yield window.map(({ item: { index, state, candidate }, result }) =>
        resolvedItem(prefix, index, state, candidate?.runId, result),
      );
    if (missing === 0) return;
  }
}

/** Of several runs, the heads say whose failure is shown. */
function failuresToRead(wanted: ReadonlySet<ResultState> | undefined, family: readonly FamilyRun[]): ReadFailures {
  if (wanted?.size === 1 && wanted.has("succeeded")) return "none";
  return family.length === 1 && (wanted?.has("failed") ?? true) ? "whole" : "heads";
}

const areFailures = (wanted: ReadonlySet<ResultState>): boolean => wanted.size === 1 && wanted.has("failed");

/** A row whose resolved result is a failure has failed in one of the runs: most rows of a chunk have not, and are not looked for. */
async function thoseThatFailed(
  client: Statements,
  family: readonly FamilyRun[],
  positions: readonly Position[],
): Promise<Position[]> {
  const [first, last] = [positions[0], positions.at(-1)];
  if (first === undefined || last === undefined) return [];
  const runIds = family.map(({ id }) => id);
  const failed = await readFailedIndexes(client, runIds, first.index, last.index);
  return positions.filter(({ index }) => failed.has(index));
}

/**
 * In which chunks of the root run there may be rows of these results. A success stays one; what had another end may have any
 * after a retry, except that a row that has ended is never pending again. Without a retry, rows without an end are all alike.
 */
function rootChunks(
  wanted: ReadonlySet<ResultState> | undefined,
  [root, ...retries]: readonly FamilyRun[],
): WantedChunks {
  if (wanted === undefined || root === undefined) return { succeeded: true, failed: true, unfinished: true };
  const hasRetries = retries.length > 0 || root.retry_number > 0;
  const isEnd = [...wanted].some((state) => state !== "pending");
  return {
    succeeded: wanted.has("succeeded"),
    failed: wanted.has("failed") || (hasRetries && isEnd),
    unfinished: hasRetries || wanted.has(withoutEnd(root)),
  };
}

/**
 * What each run of the family has to say of each row: a result, or that it had the row and did not finish it. Of a row that has succeeded,
 * only the successes.
 */
async function readCandidates(
  segments: SegmentsOfRuns,
  family: FamilyRun[],
  positions: readonly Position[],
  failures: ReadFailures,
): Promise<{ candidates: Map<number, Candidate[]>; heads: Map<string, Map<number, ResultHead>> }> {
  const heads = await readResultHeads(segments, positions, failures);
  const hasSucceeded = (index: number): boolean =>
    family.some(({ id }) => {
      const head = heads.get(id)?.get(index);
      return head !== undefined && head.code === undefined;
    });
  // Without the failures, only successes are wanted.
  const open = failures === "none" ? [] : positions.flatMap(({ index }) => (hasSucceeded(index) ? [] : [index]));
  // The positions are those of the root run.
  const isRoot = (run: FamilyRun): boolean => run.retry_number === 0;
  const retries = family.filter((run) => !isRoot(run) && run.chunks_made);
  const ofRetries = await readRunRows(
    segments.client,
    retries.map(({ id }) => id),
    open,
  );
  const isOpen = new Set(open);
  const candidates = new Map<number, Candidate[]>();
  for (const { index } of positions) {
    const list: Candidate[] = [];
    for (const run of family) {
      const head = heads.get(run.id)?.get(index);
      const common = { runId: run.id, retryNumber: run.retry_number, isExplicit: run.is_explicit };
      if (head)
        list.push({ ...common, state: head.code === undefined ? "succeeded" : "failed", finishedAt: head.finishedUs });
      else if (isOpen.has(index) && (isRoot(run) || !run.chunks_made || ofRetries.get(run.id)?.has(index) === true))
        list.push({ ...common, state: withoutEnd(run), finishedAt: Number.POSITIVE_INFINITY });
    }
    candidates.set(index, list);
  }
  return { candidates, heads };
}
