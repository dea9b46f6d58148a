/** How a run processes rows with a model. See `complete-row.ts` for the course of a row, `batch-rows.ts` for rows in a provider's batch. */
import { formatUsd } from "../../platform/usd.ts";
import { withMemory } from "../paid-call.ts";
import type { RowFailure, InputRow, RowOutcome, RunContext, TokenRange } from "../processor.ts";
import type { BatchStep } from "../provider-batches.ts";
import { completeRow } from "./complete-row.ts";
import { captureRequest, interpretResponse } from "./batch-rows.ts";
import { sizesOf } from "./call.ts";
import type { CallContext } from "./call.ts";
import type { Message } from "./conversation.ts";
import { costOf, priceOf } from "./costs.ts";
import type { Dialects } from "./dialects.ts";
import { targetsOf } from "./llm-config.ts";
import type { LlmConfig } from "./llm-config.ts";
import { DEFAULT_REPAIR_ATTEMPTS, firstRequest, prepareState } from "./step-state.ts";
import type { LlmParts, StepState } from "./step-state.ts";
import { createTally } from "./tally.ts";
import { maxResponseBytes } from "./transport.ts";
import { present } from "../../platform/present.ts";

/** Calls of the job spec's own model can also be made in a batch of its provider, or only estimated. */
export interface LlmStep extends BatchStep {
  /** Of one call of the job spec's own model: repair attempts and fallbacks come on top. */
  estimate(row: InputRow): Promise<Estimated>;
}

export type Estimated =
  | {
      ok: true;
      inputTokens: TokenRange;
      outputTokens: TokenRange;
      /** US dollars, decimal; undefined where no price is known. */
      costUsd: { low: string; high: string } | undefined;
    }
  | { ok: false; failure: RowFailure };

/**
 * A row waits for a model nearly all of its time. So many keep a model with a latency of a second at 64 rows a second, are
 * within what providers give a new account, and cost little memory; a job spec or a run may ask for more.
 */
const ROWS_AT_ONCE = 64;

/** Its texts, the request that is made of them, and the bytes that are sent. */
const BYTES_PER_CHARACTER = 4;

/** Counted up when the same configuration begins to give other outputs. */
const CACHE_KEY_VERSION = 1;

export function createStep(shared: LlmParts, dialects: Dialects, config: LlmConfig, context: RunContext): LlmStep {
  const state = prepareState(shared, dialects, config, context);
  const fixedKey = fixedCacheKey(config);
  return {
    maxRowsPerCall: 1,
    callsAtOnce: ROWS_AT_ONCE,
    outputsAreParsed: true,
    processRows: (rows, signal, clock) => Promise.all(rows.map((row) => processRow(state, row, signal, clock))),
    cacheKeyOf(row) {
      const messages = state.render(row);
      // To read a row of many values takes longer than the cache may have; there are few of them.
      return messages === undefined || "code" in messages ? undefined : JSON.stringify([fixedKey, messages]);
    },
    captureRequest: (row, { isLimited } = { isLimited: false }) => captureRequest(state, row, isLimited),
    interpretResponse: (row, response) => interpretResponse(state, row, response),
    estimate: (row) => estimateRow(state, row),
  };
}

async function processRow(
  { parts, context, plan, renderAny }: StepState,
  row: InputRow,
  signal: AbortSignal,
  clock: CallContext["clock"],
): Promise<RowOutcome> {
  signal.throwIfAborted();
  const messages = await (clock === undefined
    ? renderAny(row, signal)
    : clock.offTheClock(() => renderAny(row, signal)));
  if ("code" in messages) return { ok: false, failure: messages };
  const { organizationId, runId, isInteractive, budget, noteCall } = context;
  const bytes = bytesOf(messages) + maxResponseBytes(plan.parameters?.maxOutputTokens);
  return withMemory({ organizationId, ownerId: runId }, bytes, { signal, clock }, () => {
    const tally = createTally();
    const noteUsage = (): void => {
      const usage = tally.usage();
      if (usage !== undefined) clock?.noteUsage?.(row, usage);
    };
    const own = { organizationId, runId, budget, signal, clock, tally, noteUsage };
    return completeRow({ ...parts, ...own, ...present({ isInteractive, noteCall }) }, plan, messages);
  });
}

async function estimateRow(state: StepState, row: InputRow): Promise<Estimated> {
  const first = await firstRequest(state, row);
  if ("code" in first) return { ok: false, failure: first };
  const { target, connection, chat } = first;
  const { input, output } = sizesOf(chat);
  const price = priceOf(connection, target.model);
  const costUsd =
    price === undefined
      ? undefined
      : {
          low: formatUsd(costOf(price, input.low, output.low)),
          high: formatUsd(costOf(price, input.high, output.high)),
        };
  return { ok: true, inputTokens: input, outputTokens: output, costUsd };
}

/** What a conversation takes while its response is waited for. */
function bytesOf(messages: readonly Message[]): number {
  let characters = 0;
  for (const { parts } of messages)
    for (const part of parts) characters += part.type === "text" ? part.text.length : (part.base64?.length ?? 0);
  return characters * BYTES_PER_CHARACTER;
}

/** What the output of every row depends on; the rest is its conversation. */
function fixedCacheKey(config: LlmConfig): string {
  const parameters = Object.entries(config.parameters ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  const repairs = config.repairAttempts ?? DEFAULT_REPAIR_ATTEMPTS;
  // The order of a schema's members is part of what the model reads.
  return JSON.stringify([
    "llm",
    CACHE_KEY_VERSION,
    targetsOf(config),
    parameters,
    config.outputSchema ?? null,
    repairs,
  ]);
}
