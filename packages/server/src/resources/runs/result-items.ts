/**
 * Items of a run's row-level lists in row order: what the lists send, NDJSON streams pass on and exports write. Outputs are
 * passed on as they are stored; nobody looks into them here.
 */
import { failureCodes } from "@rowmill/contract/failures";
import type { FailureCode } from "@rowmill/contract/failures";
import type { ResultState, RunRowState } from "@rowmill/contract/run-results";
import type { Statements } from "../../platform/database/database.ts";
import { rowIdPrefix } from "../../platform/ids.ts";
import { failureItem, readFailure, runRowItem } from "./item-texts.ts";
import { OutputItem } from "./items.ts";
import type { Item } from "./items.ts";
import { partSizesOf, readPositions } from "./positions.ts";
import { unmadeRange } from "./range-chunks.ts";
import { readResolved } from "./resolved-items.ts";
import { unfinishedState } from "./run-family.ts";
import type { RunRecord } from "./runs.ts";
import { readAllFailures } from "./stored-results/failures.ts";
import { readOutputs, readResultHeads } from "./stored-results/read-results.ts";
import type { ResultHead } from "./stored-results/read-results.ts";
import { SegmentsOfRuns } from "./stored-results/segments-of-runs.ts";

export type ItemType = "outputs" | "failures" | "resolved_results" | "rows";

export interface ItemFilter {
  codes?: readonly FailureCode[] | undefined;
  retryable?: boolean | undefined;
  rowStates?: readonly RunRowState[] | undefined;
  resultStates?: readonly ResultState[] | undefined;
  /** Rows with the message of their failure, which may have contents of the row, or with what its code means. */
  showsMessages?: boolean;
}

/** Items after row index `after` (-1 for the first), `wanted` of them or all, as many at once as fit into memory. */
export async function* readItems(
  client: Statements,
  run: RunRecord,
  type: ItemType,
  after: number,
  wanted: number,
  filter: ItemFilter = {},
): AsyncGenerator<Item[]> {
  const prefix = rowIdPrefix(run.datasetId);
  switch (type) {
    case "outputs":
      for await (const outputs of readOutputs(client, run.id, after, wanted))
        yield outputs.map((output) => new OutputItem(prefix, output));
      return;
    case "failures":
      for await (const failures of readAllFailures(client, run.id, after, wanted, filter))
        yield failures.map((failure) => failureItem(prefix, failure));
      return;
    case "rows":
      yield* readRunRows(client, run, prefix, after, wanted, filter);
      return;
    case "resolved_results":
      yield* readResolved(client, run, prefix, after, wanted, filter.resultStates);
  }
}

async function* readRunRows(
  client: Statements,
  run: RunRecord,
  prefix: string,
  after: number,
  wanted: number,
  { rowStates: states, codes, showsMessages = true }: ItemFilter,
): AsyncGenerator<Item[]> {
  // Only failed rows have a code.
  if (codes !== undefined && states?.includes("failed") === false) return;
  if (codes !== undefined || (states?.length === 1 && states[0] === "failed")) {
    for await (const failures of readAllFailures(client, run.id, after, wanted, { codes }))
      yield failures.map((failure) =>
        runRowItem(prefix, failure.index, "failed", {
          ...failure,
          message: showsMessages ? readFailure(failure.failure).message : failureCodes[failure.code].meaning,
        }),
      );
    return;
  }
  const isWanted = states === undefined ? undefined : new Set(states);
  const isInFlightWanted = isWanted?.has(unfinishedState(run, true)) ?? true;
  const isWaitingWanted = isWanted?.has(unfinishedState(run, false)) ?? true;
  const chunks = {
    succeeded: isWanted?.has("succeeded") ?? true,
    failed: isWanted?.has("failed") ?? true,
    unfinished: isInFlightWanted || isWaitingWanted,
  };
  if (!Object.values(chunks).includes(true)) return;
  const isEndWanted = chunks.succeeded || chunks.failed;
  const sizes = partSizesOf(wanted, isWanted !== undefined);
  let missing = wanted;
  const segments = new SegmentsOfRuns(client, [run.id]);
  const read = isEndWanted ? segments : undefined;
  const failures = states?.length === 1 && states[0] === "succeeded" ? "none" : "heads";
  for await (const part of readPositions(client, run.id, unmadeRange(run), after, sizes, chunks, read)) {
    // Without a wanted result, a row is of interest by its place in the run alone.
    const positions = isEndWanted
      ? part
      : part.filter(({ isInFlight }) => (isInFlight ? isInFlightWanted : isWaitingWanted));
    const results = (await readResultHeads(segments, positions, failures)).get(run.id);
    const items: Item[] = [];
    for (const { index, isInFlight } of positions) {
      const result = results?.get(index);
      const state =
        result === undefined ? unfinishedState(run, isInFlight) : result.code === undefined ? "succeeded" : "failed";
      if (isWanted !== undefined && !isWanted.has(state)) continue;
      items.push(runRowItem(prefix, index, state, showsMessages ? result : withoutMessage(result)));
      if (--missing === 0) break;
    }
    yield items;
    if (missing === 0) return;
  }
}

const withoutMessage = (result: ResultHead | undefined): ResultHead | undefined =>
  result?.code === undefined ? result : { ...result, message: failureCodes[result.code].meaning };
