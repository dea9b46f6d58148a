/** Items of a run's row-level lists as JSON text, as the contract describes them. Outputs are written in as they are stored. */
import type { FailureClass } from "@rowmill/contract/failures";
import { failureCodes } from "@rowmill/contract/failures";
import type { ResultState, RunRowState } from "@rowmill/contract/run-results";
import { formatId } from "../../platform/ids.ts";
import { ResolvedOutputItem, TextItem, itemHead, outputMembers } from "./items.ts";
import type { Item } from "./items.ts";
import type { StoredFailure } from "./stored-results/failures.ts";
import type { ResultHead, WholeResult } from "./stored-results/read-results.ts";
import { millisecondsOf, startText, timeText } from "./time-text.ts";

/** `prefix`: what ids of the dataset's rows begin with. */
export const failureItem = (prefix: string, failure: StoredFailure): Item =>
  new TextItem(failure.index, `${itemHead(prefix, failure.index)},${failureMembers(failure)}}`);

export function runRowItem(
  prefix: string,
  index: number,
  state: RunRowState,
  result:
    | (Pick<ResultHead, "attempts" | "durationMs" | "finishedUs"> & Partial<Pick<ResultHead, "code" | "message">>)
    | undefined,
): Item {
  const head = `${itemHead(prefix, index)},"state":"${state}","attempts":${result?.attempts ?? 0}`;
  if (result === undefined)
    return new TextItem(index, `${head},"startedAt":null,"finishedAt":null,"durationMs":null,"error":null}`);
  const { finishedUs, durationMs, code, message = "" } = result;
  const startedAt = durationMs === 0 ? timeText(finishedUs) : startText(millisecondsOf(finishedUs) - durationMs);
  const error = code === undefined ? "null" : JSON.stringify({ code, message });
  const times = `"startedAt":"${startedAt}","finishedAt":"${timeText(finishedUs)}","durationMs":${durationMs}`;
  return new TextItem(index, `${head},${times},"error":${error}}`);
}

export function resolvedItem(
  prefix: string,
  index: number,
  state: ResultState,
  runId: string | undefined,
  result: WholeResult | undefined,
): Item {
  if (state === "succeeded" && runId !== undefined && result !== undefined && "output" in result)
    return new ResolvedOutputItem(prefix, runId, result.output);
  const shownRunId = runId === undefined || state === "pending" ? "null" : `"${formatId("run", runId)}"`;
  const head = `${itemHead(prefix, index)},"resultState":"${state}","runId":${shownRunId}`;
  if (result === undefined) return new TextItem(index, `${head}}`);
  return new TextItem(
    index,
    "output" in result
      ? `${head},"output":{${outputMembers(result.output)}}}`
      : `${head},"failure":{${failureMembers(result.failure)}}}`,
  );
}

function failureMembers({ code, retryable, failure, attempts, usage, finishedUs }: StoredFailure): string {
  const { message, details } = readFailure(failure);
  const failureClass: FailureClass = failureCodes[code].class;
  return JSON.stringify({
    code,
    class: failureClass,
    retryable,
    message,
    details,
    attempts,
    usage: usage === null ? null : (JSON.parse(usage) as unknown),
    failedAt: timeText(finishedUs),
  }).slice(1, -1);
}

/** As `commitChunk` wrote it. */
export function readFailure(text: string | null): { message: string; details: Record<string, unknown> | null } {
  if (text === null) return { message: "", details: null };
  return JSON.parse(text) as { message: string; details: Record<string, unknown> | null };
}
