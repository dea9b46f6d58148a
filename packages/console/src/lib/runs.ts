/** What the console knows about runs beyond the API: which are live, how their bar is drawn, what their scope is called. */
import { queryOptions } from "@tanstack/react-query";
import { isTerminal } from "@rowmill/client";
import type { FailurePolicy, Run, Lineage } from "@rowmill/client";
import type { Part } from "../components/meter.tsx";
import { count, phrase, plural, rowNumber } from "./format.ts";
import { rowmill } from "./client.ts";
import { pollEvery } from "./live/live.ts";

export const LIVE_MS = 1_000;
const WAITING_MS = 4_000;
/** The stream brings the counts; what a run costs meanwhile is read. */
const COST_MS = 5_000;

export const runQuery = (runId: string) =>
  queryOptions({
    queryKey: ["runs", runId],
    queryFn: () => rowmill.runs.get(runId),
    refetchInterval: ({ state: { data } }) =>
      data === undefined || isTerminal(data)
        ? false
        : isMoving(data)
          ? Math.min(COST_MS, pollEvery(LIVE_MS))
          : pollEvery(WAITING_MS),
  });

export const isMoving = ({ state }: Pick<Run, "state">): boolean =>
  state === "running" || state === "queued" || state === "canceling";

export const partsOf = ({ succeeded, failed, running }: Run["rows"]): Part[] => [
  { value: succeeded, look: "good" },
  { value: failed, look: "bad" },
  { value: running, look: "busy" },
];

export const describeRows = ({ succeeded, failed, running, total }: Run["rows"]): string =>
  [
    `${count(succeeded)} of ${plural(total, "row")} succeeded`,
    ...(failed > 0 ? [`${count(failed)} failed`] : []),
    ...(running > 0 ? [`${count(running)} in progress`] : []),
  ].join(", ");

export function describeScope(run: Pick<Run, "scope" | "selection">): string {
  if (run.selection !== null) return describeSelection(run.selection);
  const { scope } = run;
  switch (scope.type) {
    case "all":
      return "All rows";
    case "limit":
      return `First ${plural(scope.count, "row")}`;
    case "range":
      return `Rows ${rowNumber(scope.from)} to ${rowNumber(scope.to - 1)}`;
    case "sample":
      return `Sample of ${plural(scope.count, "row")}`;
    case "rows":
      return plural(scope.rowIds.length, "chosen row");
    case "filter":
      return `Rows where ${scope.where}`;
  }
}

export function describeSelection(selection: NonNullable<Lineage["runs"][number]["selection"]>): string {
  switch (selection.type) {
    case "unfinished":
      return "Retry of unfinished rows";
    case "failures":
      return "Retry of failed rows";
    case "retryable_failures":
      return "Retry of retryable failures";
    case "codes":
      return `Retry of ${selection.codes.map(phrase).join(", ")}`;
    case "rows":
      return `Retry of ${plural(selection.rowIds.length, "chosen row")}`;
    case "all":
      return "Retry of all rows";
  }
}

/** Finished rows before a percentage of failures counts, where the policy names no other number: as the API documents it. */
export const ROWS_BEFORE_PERCENTAGE = 100;

/** Each limit by itself ends the run. */
export const describeFailurePolicy = ({ maxFailedPercent, maxFailedRows, minEvaluatedRows }: FailurePolicy): string =>
  [
    ...(maxFailedPercent === undefined
      ? []
      : [`above ${maxFailedPercent}% failed, after ${plural(minEvaluatedRows ?? ROWS_BEFORE_PERCENTAGE, "row")}`]),
    ...(maxFailedRows === undefined ? [] : [`above ${plural(maxFailedRows, "failed row")}`]),
  ].join("; ");

/** Where the rows lie one after the other: a grid can be read from any position. */
export function rangeOf(run: Run): { from: number; count: number } | undefined {
  if (run.parentRunId !== null) return undefined;
  if (run.scope.type === "all" || run.scope.type === "limit") return { from: 0, count: run.rows.total };
  return run.scope.type === "range" ? { from: run.scope.from, count: run.rows.total } : undefined;
}
