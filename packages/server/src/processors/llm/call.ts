/**
 * One call of a model: the connection, the images, the call within its budget and limits (`paid-call.ts`), and what came of it.
 * A call that was refused is free. One that left and got no response counts with all that it may have cost, for the budget as for the
 * usage of the row: the provider may have done the work.
 */
import { addUsd, formatUsd } from "../../platform/usd.ts";
import type { PicoUsd } from "../../platform/usd.ts";
import { SECRET_IS_LOST, withNewSecret } from "../connection-parts.ts";
import type { Connection, ConnectionEgress, Connections } from "../connection-parts.ts";
import { readLearnedLimits } from "../limiter/learned-limits.ts";
import type { CallEnd, Limiter } from "../limiter/permits.ts";
import { makePaidCall } from "../paid-call.ts";
import { failureOfReader } from "../large-texts.ts";
import type { LargeTexts } from "../large-texts.ts";
import { redactOf } from "../redact.ts";
import { traceCall } from "../trace.ts";
import type { AttemptClock, Budget, RowFailure, RunContext, TokenRange } from "../processor.ts";
import type { Target } from "./llm-config.ts";
import { costOf, estimateInputTokens, estimateOutputTokens, mostTokensOf, priceOf } from "./costs.ts";
import type { Expectation, TokenBound } from "./costs.ts";
import { refuseImagesInside } from "./images.ts";
import { withoutSecret } from "./read-large.ts";
import { converse, shorten, withOutputLimit } from "./models.ts";
import type { Conversed, ChatRequest, Reply } from "./models.ts";
import { clean, classifyRefusal, readHiddenRefusal, readRefusal } from "./refusals.ts";
import type { Refusal } from "./refusals.ts";
import type { CallRecord, Tally } from "./tally.ts";
import { maxResponseBytes, sendRequest } from "./transport.ts";
import type { ProviderResponse, ProviderRequest } from "../provider-messages.ts";
import type { Sent } from "./transport.ts";
import { present } from "../../platform/present.ts";

export interface CallContext {
  organizationId: string;
  runId: string;
  isInteractive?: true;
  largeTexts: LargeTexts;
  connections: Connections;
  egress: ConnectionEgress;
  limiter: Limiter;
  budget: Budget | undefined;
  signal: AbortSignal;
  clock: AttemptClock | undefined;
  tally: Tally;
  /** Called when a call has been added to the tally. */
  noteUsage?: () => void;
  noteCall?: RunContext["noteCall"];
}

export type CallOutcome =
  | { outcome: "reply"; reply: Reply }
  | {
      outcome: "failed";
      failure: RowFailure;
      /** Another provider may do better. */ isFaultOfProvider: boolean;
      refusal?: Refusal;
    };

const USER_AGENT = "Rowmill/1";

/** Rejects with a `RowPostponedError`, with the signal's reason, and for bugs. */
export async function callModel(
  context: CallContext,
  target: Target,
  chat: ChatRequest,
  expectation: Expectation,
): Promise<CallOutcome> {
  const { organizationId, connections, signal, tally } = context;
  signal.throwIfAborted();
  const connection = await connections.find(organizationId, target.connectionId);
  const unusable = whyUnusable(connection, target);
  if (connection === undefined || unusable !== undefined)
    return { outcome: "failed", failure: unusable ?? missing(target), isFaultOfProvider: true };

  const refused = await refuseImagesInside(context.egress, connection.baseUrl, chat.messages, signal);
  if (refused !== undefined) return { outcome: "failed", failure: refused, isFaultOfProvider: false };
  const sizes = sizesOf(chat);
  const worst = worstCost(connection, target, sizes);
  const paid = {
    connection,
    model: target.model,
    tokens: expectation.tokens(sizes.input, sizes.output),
    highest: { usd: worst === undefined ? undefined : formatUsd(worst) },
    withoutMoney: tally.requests > 0 ? budgetIsSpent : undefined,
  };
  return makePaidCall(context, paid, async (account, reservation): Promise<CallOutcome> => {
    const asked = reservation?.isLimited === true ? withOutputLimit(chat) : chat;
    const call = async (used: Connection): Promise<CallOutcome> => {
      const made = await makeCall(context, used, target, asked);
      const { record, outcome } = classifyCall(made, used, target, sizes);
      account.end = endOf(made.sent, outcome);
      account.spentUsd = addUsd(account.spentUsd, formatUsd(record.cost ?? 0n));
      tally.add(record);
      context.noteUsage?.();
      noteCall(context, used, made, record);
      if (made.sent.outcome === "aborted") {
        if (context.clock?.isTimeUp() !== true) signal.throwIfAborted();
        const message = "The time of the row was up while it waited for the model's response.";
        return { outcome: "failed", failure: { code: "row_timeout", message }, isFaultOfProvider: false };
      }
      if (record.inputTokens !== undefined && record.outputTokens !== undefined)
        expectation.learn(sizes.input, record.inputTokens, record.outputTokens);
      return outcome;
    };
    // It may have waited for its slot for long.
    const used = (await withNewSecret(connections, connection)) ?? connection;
    const outcome = await call(used);
    const replaced = isOfKey(outcome) ? await withNewSecret(connections, used, { isFresh: true }) : undefined;
    return replaced === undefined ? outcome : call(replaced);
  });
}

/** A refusal, which cost nothing, of the key that the call had: another key may be let in. */
const isOfKey = (outcome: CallOutcome): boolean =>
  outcome.outcome === "failed" &&
  outcome.refusal !== undefined &&
  (outcome.failure.code === "provider_rate_limited" || outcome.failure.code === "provider_auth_failed");

function budgetIsSpent(): CallOutcome {
  const message = "The budget of the run was used up before the row could be finished. Raise it, and retry the row.";
  return { outcome: "failed", failure: { code: "budget_exhausted", message }, isFaultOfProvider: false };
}

export interface Sizes {
  /** Estimates. */
  input: TokenRange;
  output: TokenRange;
  /** What budgets reserve, and what a call costs whose tokens nobody has counted. */
  most: TokenBound;
}

export function sizesOf(chat: ChatRequest): Sizes {
  return {
    input: estimateInputTokens(chat.messages, chat.schema),
    output: estimateOutputTokens(chat.parameters),
    most: mostTokensOf(chat),
  };
}

export function worstCost(
  connection: Pick<Connection, "prices">,
  { model }: Pick<Target, "model">,
  { most }: Sizes,
): PicoUsd | undefined {
  const price = priceOf(connection, model);
  return price === undefined ? undefined : costOf(price, most.input, most.output);
}

export function whyUnusable(connection: Connection | undefined, target: Target): RowFailure | undefined {
  if (connection === undefined) return missing(target);
  if (connection.type === "http")
    return { ...missing(target), message: `The connection ${target.connectionId} is not one of a model provider.` };
  if (connection.isSecretLost) return { ...missing(target), message: SECRET_IS_LOST };
  // Local model servers accept calls without a key.
  if (connection.type === "anthropic" && connection.secret === null)
    return { ...missing(target), message: `The connection ${target.connectionId} has no secret.` };
  return undefined;
}

function missing({ connectionId }: Target): RowFailure {
  return {
    code: "secret_missing",
    message: `There is no connection ${connectionId}.`,
    details: { connection: connectionId },
  };
}

function noteCall(context: CallContext, connection: Connection, { request, sent }: Made, record: CallRecord): void {
  if (context.noteCall === undefined || request === undefined) return;
  const { cost, wasSent: _wasSent, ...counted } = record;
  context.noteCall(
    traceCall(
      {
        request: { method: "POST", ...withoutCredentials(request) },
        response: sent.outcome === "responded" ? sent.response : undefined,
        usage: { ...counted, ...(cost === undefined ? {} : { costUsd: formatUsd(cost) }) },
      },
      redactOf(connection),
    ),
  );
}

function withoutCredentials(request: ProviderRequest): ProviderRequest {
  const { "x-api-key": _key, authorization: _token, "user-agent": _sdk, ...headers } = request.headers;
  return { ...request, headers };
}

interface Made {
  /** As it left the SDK, without credentials. */
  request?: ProviderRequest | undefined;
  sent: Sent;
  conversed?: Conversed;
}

/** Ends what the provider's SDK does; `sent` has the reason. */
class NoResponse extends Error {}

async function makeCall(
  context: CallContext,
  connection: Connection,
  target: Target,
  chat: ChatRequest,
): Promise<Made> {
  let sent: Sent | undefined;
  let made: ProviderRequest | undefined;
  const send = async (request: ProviderRequest): Promise<ProviderResponse> => {
    made = request;
    const { dispatcher, message } = dispatcherFor(context.egress, request);
    sent =
      dispatcher === undefined
        ? { outcome: "failed", wasSent: false, failure: { code: "egress_denied", message } }
        : await sendRequest(dispatcher, withCredentials(request, connection), context.signal, {
            maxBytes: maxResponseBytes(chat.parameters?.maxOutputTokens),
          });
    if (sent.outcome !== "responded") throw new NoResponse();
    sent = await withoutSecret(context, sent, connection).catch(notRead);
    if (sent.outcome !== "responded") throw new NoResponse();
    return sent.response;
  };
  try {
    const conversed = await converse(connection, target.model, chat, send);
    if (sent === undefined) throw new Error("nothing was sent");
    return { request: made, sent, conversed };
  } catch (error) {
    if (!(error instanceof NoResponse) || sent === undefined) throw error;
    return { request: made, sent };
  }
}

/** The call was made, and counts. */
const notRead = (error: unknown): Sent => ({ outcome: "failed", wasSent: true, failure: failureOfReader(error) });

function dispatcherFor(egress: ConnectionEgress, request: ProviderRequest) {
  const found = egress.dispatcherFor(new URL(request.url));
  return found.dispatcher === undefined
    ? { dispatcher: undefined, message: `The provider may not be called: ${found.message}` }
    : { dispatcher: found.dispatcher, message: "" };
}

/** The secret of this moment: one that was changed counts with the next call. */
function withCredentials(request: ProviderRequest, { type, secret }: Connection): ProviderRequest {
  const { "x-api-key": _placeholder, authorization: _none, ...headers } = request.headers;
  headers["user-agent"] = USER_AGENT;
  if (secret !== null && type === "anthropic") headers["x-api-key"] = secret;
  else if (secret !== null) headers["authorization"] = `Bearer ${secret}`;
  return { ...request, headers };
}

function wasSent(sent: Sent): boolean {
  return sent.outcome === "responded" || sent.wasSent;
}

/** Feedback for the limiter. */
function endOf(sent: Sent, outcome: CallOutcome): CallEnd {
  if (sent.outcome !== "responded") return { outcome: "failed", ...(sent.wasSent ? {} : { tokens: 0 }) };
  const learned = readLearnedLimits(sent.response.headers);
  const more = learned === undefined ? {} : { learned };
  if (outcome.outcome === "reply") {
    const { inputTokens, outputTokens } = outcome.reply;
    const isCounted = inputTokens !== undefined && outputTokens !== undefined;
    return { outcome: "responded", ...(isCounted ? { tokens: inputTokens + outputTokens } : {}), ...more };
  }
  const { refusal, failure } = outcome;
  // It responded, and nobody can read how much of its work went into the response.
  if (refusal === undefined) return { outcome: "responded", ...more };
  const end =
    refusal.status === 429 ? "rate_limited" : failure.code === "provider_overloaded" ? "overloaded" : "failed";
  return {
    outcome: end,
    tokens: 0,
    ...more,
    ...present({ retryAfterMs: failure.retryAfterMs }),
  };
}

/** What came of a call: the record of it, and what it means for the row. */
export function classifyCall(
  { sent, conversed }: Made,
  connection: Connection,
  target: Target,
  sizes: Sizes,
): { record: CallRecord; outcome: CallOutcome } {
  const asked = { connectionId: target.connectionId, model: target.model };
  const price = priceOf(connection, target.model);
  const worst = worstCost(connection, target, sizes);
  const free = { cost: 0n };
  // Without a price there is nothing to assume.
  const assumed = { cost: worst, ...(worst === undefined ? {} : { costAssumed: true as const }) };
  if (sent.outcome !== "responded" || conversed === undefined) {
    const failure: RowFailure =
      sent.outcome === "failed" ? sent.failure : { code: "network_error", message: "The call was abandoned." };
    return {
      record: { ...asked, wasSent: wasSent(sent), code: failure.code, ...(wasSent(sent) ? assumed : free) },
      outcome: { outcome: "failed", failure, isFaultOfProvider: failure.code !== "internal_error" },
    };
  }
  const { response, reply, unreadable } = conversed;
  const requestId = shorten(requestIdOf(response.headers) ?? reply?.id);
  const responded = { ...asked, wasSent: true, ...present({ requestId }) };
  if (reply !== undefined) {
    const { inputTokens, outputTokens, reportedModel } = reply;
    const isCounted = inputTokens !== undefined && outputTokens !== undefined;
    return {
      record: {
        ...responded,
        ...present({ reportedModel, inputTokens, outputTokens }),
        ...(isCounted || price === undefined ? {} : { costAssumed: true }),
        cost: price && costOf(price, inputTokens ?? sizes.most.input, outputTokens ?? sizes.most.output),
      },
      outcome: { outcome: "reply", reply },
    };
  }
  const refusal = unreadable === undefined ? readRefusal(response) : readHiddenRefusal(response);
  if (refusal === undefined) {
    const said = clean(unreadable ?? "", connection.secret);
    const failure: RowFailure = {
      code: "provider_error",
      message: `The provider responded with ${response.status} and a body that is not a chat completion: ${said}`,
      details: { status: response.status, model: target.model },
    };
    return {
      record: { ...responded, code: failure.code, ...assumed },
      outcome: { outcome: "failed", failure, isFaultOfProvider: true },
    };
  }
  // A success without text: what it used is unknown.
  const cost = response.status < 300 && unreadable === undefined ? assumed : free;
  const refused = classifyRefusal(refusal, response.headers, { secret: connection.secret, model: target.model });
  if (requestId !== undefined) refused.failure.details = { ...refused.failure.details, requestId };
  return {
    record: { ...responded, code: refused.failure.code, ...cost },
    outcome: { outcome: "failed", ...refused, refusal },
  };
}

/** OpenAI's and most others', Anthropic's, and Azure's. */
function requestIdOf(headers: Record<string, string>): string | undefined {
  return headers["x-request-id"] ?? headers["request-id"] ?? headers["apim-request-id"];
}
