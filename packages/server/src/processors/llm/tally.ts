/** What the calls for a row have used and cost, failed ones included. */
import { formatUsd } from "../../platform/usd.ts";
import type { PicoUsd } from "../../platform/usd.ts";
import type { RowCall, RowUsage } from "../processor.ts";

/** One row makes at most six targets times four attempts; the last calls are the most useful ones. */
const MAX_CALLS = 20;

export interface CallRecord extends Omit<RowCall, "costUsd"> {
  /** It left the service: the provider may have completed and charged it. */
  wasSent: boolean;
  /** Undefined: no price is known. */
  cost: PicoUsd | undefined;
}

export interface Tally {
  /** Calls that have left the service. */
  readonly requests: number;
  add(call: CallRecord): void;
  /** Undefined: nothing was called. */
  usage(): RowUsage | undefined;
}

export function createTally(): Tally {
  let requests = 0;
  let inputTokens = 0;
  let outputTokens = 0;
  let unpriced = 0;
  let cost: PicoUsd | undefined;
  let assumed: PicoUsd | undefined;
  const calls: RowCall[] = [];
  return {
    get requests() {
      return requests;
    },
    add({ wasSent, cost: costOfCall, ...call }) {
      if (wasSent) requests++;
      inputTokens += call.inputTokens ?? 0;
      outputTokens += call.outputTokens ?? 0;
      if (costOfCall !== undefined) cost = (cost ?? 0n) + costOfCall;
      else if (wasSent) unpriced++;
      if (costOfCall !== undefined && call.costAssumed) assumed = (assumed ?? 0n) + costOfCall;
      calls.push({ ...call, ...(costOfCall === undefined ? {} : { costUsd: formatUsd(costOfCall) }) });
      if (calls.length > MAX_CALLS) calls.shift();
    },
    usage() {
      if (calls.length === 0) return undefined;
      return {
        inputTokens,
        outputTokens,
        requests,
        ...(cost === undefined ? {} : { costUsd: formatUsd(cost) }),
        ...(assumed === undefined ? {} : { assumedCostUsd: formatUsd(assumed) }),
        ...(unpriced === 0 ? {} : { unpricedRequests: unpriced }),
        calls,
      };
    },
  };
}
