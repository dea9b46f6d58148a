/** Rows whose calls others make: the request of a row, for a file of a provider's batch endpoint, and what its response means. */
import { formatUsd } from "../../platform/usd.ts";
import type { InputRow } from "../processor.ts";
import type { Captured, Interpreted } from "../provider-batches.ts";
import type { ProviderRequest, ProviderResponse } from "../provider-messages.ts";
import { classifyReply } from "./completions.ts";
import { withBatchPrices } from "./batch-prices.ts";
import { classifyCall, sizesOf, worstCost } from "./call.ts";
import { refuseImagesInside } from "./images.ts";
import { withoutSecret } from "./read-large.ts";
import { converse, withOutputLimit } from "./models.ts";
import { firstRequest } from "./step-state.ts";
import type { StepState } from "./step-state.ts";
import { createTally } from "./tally.ts";
import { present } from "../../platform/present.ts";

/** The request for a row, without credentials; nothing is sent. `isLimited`: it must state a highest length of the output. */
export async function captureRequest(state: StepState, row: InputRow, isLimited: boolean): Promise<Captured> {
  const first = await firstRequest(state, row);
  if ("code" in first) return { ok: false, failure: first };
  const { target, connection, chat } = first;
  // Bounded by the time that a resolver has.
  const { signal } = new AbortController();
  const refused = await refuseImagesInside(state.parts.egress, connection.baseUrl, chat.messages, signal);
  if (refused !== undefined) return { ok: false, failure: refused };
  let request: ProviderRequest | undefined;
  const notSent = new Error("the request is not sent");
  try {
    await converse(connection, target.model, isLimited ? withOutputLimit(chat) : chat, (made) => {
      request = made;
      return Promise.reject(notSent);
    });
  } catch (error) {
    if (error !== notSent) throw error;
  }
  if (request === undefined) throw new Error("a model was asked without a request");
  const { "x-api-key": _placeholder, "user-agent": _sdk, ...headers } = request.headers;
  const sizes = sizesOf(chat);
  const worst = worstCost(withBatchPrices(connection, target.model), target, sizes);
  const highestCostUsd = worst === undefined ? undefined : formatUsd(worst);
  return { ok: true, connection, model: target.model, request: { ...request, headers }, highestCostUsd };
}

/** What a stored response to that request means for the row. */
export async function interpretResponse(
  state: StepState,
  row: InputRow,
  stored: ProviderResponse,
): Promise<Interpreted> {
  const { plan } = state;
  const first = await firstRequest(state, row);
  if ("code" in first) return { ok: false, failure: first, goesOn: false };
  const { target, connection, chat } = first;
  const sent = await withoutSecret(
    { ...state.context, ...state.parts, clock: undefined },
    { outcome: "responded", response: stored },
    connection,
  );
  const conversed =
    sent.outcome === "responded"
      ? await converse(connection, target.model, chat, () => Promise.resolve(sent.response))
      : undefined;
  const priced = withBatchPrices(connection, target.model);
  const { record, outcome } = classifyCall({ sent, ...present({ conversed }) }, priced, target, sizesOf(chat));
  const tally = createTally();
  tally.add(record);
  const usage = tally.usage();
  const withUsage = usage === undefined ? {} : { usage };
  if (outcome.outcome === "failed") {
    const { failure, refusal, isFaultOfProvider } = outcome;
    const isLearned = refusal !== undefined && plan.dialects.learn(target, chat.dialect, refusal);
    return { ok: false, failure, ...withUsage, goesOn: isLearned || (isFaultOfProvider && plan.targets.length > 1) };
  }
  const classified = await classifyReply(outcome.reply, plan.check, plan.findJson);
  if (classified.ok) return { ok: true, output: classified.output, ...withUsage, goesOn: false };
  const goesOn = classified.isRepairable && plan.repairAttempts > 0;
  return { ok: false, failure: classified.failure, ...withUsage, goesOn };
}
