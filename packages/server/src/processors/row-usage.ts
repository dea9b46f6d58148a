/** Adds up what attempts and rows have used. */
import { present } from "../platform/present.ts";
import { addUsd } from "../platform/usd.ts";
import type { RowUsage } from "./processor.ts";

/** A row that is tried again and again must not fill its record with the list of its calls. */
const MAX_CALLS = 20;

export function addUsage(a: RowUsage | undefined, b: RowUsage | undefined): RowUsage | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const unpricedRequests = (a.unpricedRequests ?? 0) + (b.unpricedRequests ?? 0);
  const calls = [...(a.calls ?? []), ...(b.calls ?? [])].slice(-MAX_CALLS);
  return {
    inputTokens: (a.inputTokens ?? 0) + (b.inputTokens ?? 0),
    outputTokens: (a.outputTokens ?? 0) + (b.outputTokens ?? 0),
    requests: (a.requests ?? 0) + (b.requests ?? 0),
    ...present({ costUsd: sumOf(a.costUsd, b.costUsd), assumedCostUsd: sumOf(a.assumedCostUsd, b.assumedCostUsd) }),
    ...(unpricedRequests === 0 ? {} : { unpricedRequests }),
    ...(calls.length === 0 ? {} : { calls }),
  };
}

const sumOf = (a: string | undefined, b: string | undefined): string | undefined =>
  a === undefined && b === undefined ? undefined : addUsd(a ?? "0", b ?? "0");
