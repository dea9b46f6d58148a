/** How a run processes rows with the `http` processor: the request of a row, its call, and what the call comes to. */
import { hash } from "node:crypto";
import type { FailureCode } from "@rowmill/contract/failures";
import { parseExactJson } from "../../platform/exact-json.ts";
import { exchange } from "../../platform/egress/exchange.ts";
import type { ExchangeResponse } from "../../platform/egress/exchange.ts";
import { SECRET_IS_LOST, withNewSecret } from "../connection-parts.ts";
import type { Connection, ConnectionEgress, Connections } from "../connection-parts.ts";
import { LARGE_TEXT_CHARACTERS, LargeTextError, failureOfReader, hasManyValues } from "../large-texts.ts";
import type { LargeTexts } from "../large-texts.ts";
import { withPriority } from "../limiter/permits.ts";
import type { Limiter } from "../limiter/permits.ts";
import { makePaidCall, withMemory } from "../paid-call.ts";
import type { CallAccount } from "../paid-call.ts";
import { redactHeaders, redactOf } from "../redact.ts";
import { traceCall } from "../trace.ts";
import type { AttemptClock, RowFailure, InputRow, RowOutcome, RowUsage, RunContext, Step } from "../processor.ts";
import { TemplateError } from "../templates/templates.ts";
import { endOf, failureOfError, usageOf } from "./call-outcome.ts";
import {
  DEFAULT_MAX_RESPONSE_BYTES,
  DEFAULT_TIMEOUT_MS,
  MAX_FAILED_RESPONSE_BYTES,
  ROWS_IN_FLIGHT,
} from "./http-limits.ts";
import { compileRequest } from "./request-template.ts";
import type { HttpConfig, HttpRequest } from "./request-template.ts";
import { renderLargeRow, renderSmallRow } from "./render-row.ts";
import { compileResponsePath, describeRefusal, interpretOutput, isExpected, readText, unpack } from "./response.ts";
import type { ResponseRules, ClassifiedResponse } from "./response.ts";

/** The text that was made, and the bytes that are sent. */
const BYTES_PER_BODY_CHARACTER = 2;

export interface HttpParts {
  connections: Connections;
  egress: ConnectionEgress;
  limiter: Limiter;
  largeTexts: LargeTexts;
}

/** What a run prepares once. */
interface StepState {
  parts: HttpParts;
  config: HttpConfig;
  context: RunContext;
  template: ReturnType<typeof compileRequest>;
  rules: ResponseRules;
}

export function httpStep(shared: HttpParts, config: HttpConfig, context: RunContext): Step {
  const template = compileRequest(config);
  const { pick } = config.responsePath === undefined ? {} : compileResponsePath(config.responsePath);
  const maxBytes = config.maxResponseBytes ?? DEFAULT_MAX_RESPONSE_BYTES;
  const state: StepState = {
    parts: { ...shared, limiter: withPriority(shared.limiter, context.priority) },
    config,
    context,
    template,
    rules: { expectedStatuses: config.expect?.status ?? [], pick, maxBytes },
  };
  return {
    maxRowsPerCall: 1,
    callsAtOnce: ROWS_IN_FLIGHT,
    outputsAreParsed: true,
    // Other methods may be meant to act, which an output from a cache would not.
    ...(config.method === "GET" ? { cacheKeyOf: (row: InputRow) => cacheKeyOf(template, config, row) } : {}),
    async processRows(rows, signal, clock = NO_CLOCK) {
      signal.throwIfAborted();
      return Promise.all(rows.map((row) => processRow(state, row, signal, clock)));
    },
  };
}

async function processRow(
  state: StepState,
  row: InputRow,
  signal: AbortSignal,
  clock: AttemptClock,
): Promise<RowOutcome> {
  const prepared = await prepareRequest(state, row, { signal, clock });
  if ("failure" in prepared) return { ok: false, failure: prepared.failure };
  const { parts, context, rules } = state;
  const { connection, request } = prepared;
  const surroundings = { limiter: parts.limiter, budget: context.budget, signal, clock };
  const priceUsd = connection?.prices?.requestUsd;
  const paid = {
    connection,
    model: "",
    tokens: 0,
    ...(priceUsd === undefined ? {} : { highest: { usd: priceUsd } }),
  };
  const bytes = rules.maxBytes + BYTES_PER_BODY_CHARACTER * (request.body?.length ?? 0);
  const party = { organizationId: context.organizationId, ownerId: context.runId };
  return withMemory(party, bytes, surroundings, async () => {
    const call: Call = { isSent: false, response: undefined };
    const noteUsage = (outcome: ClassifiedResponse): void =>
      clock.noteUsage?.(row, usageOf({ connection, ...call, classified: outcome }));
    let sent = prepared;
    const classified = await makePaidCall(surroundings, paid, async (account) => {
      // It may have waited for its slot for long.
      if (sendsSecret(state)) sent = (await withNewSecretOf(state, row, sent, { signal, clock })) ?? sent;
      const received = await send(state, sent, call, account, { signal, clock }).catch((error: unknown) => {
        noteUsage(ABANDONED);
        throw error;
      });
      noteUsage(received);
      return withoutLimitsOfOldSecret(state, sent, account, received);
    });
    const usage = usageOf({ connection, ...call, classified });
    if (context.noteCall !== undefined) await noteCall(state, sent, call, { usage, classified });
    return classified.ok
      ? { ok: true, output: classified.output, usage }
      : { ok: false, failure: classified.failure, usage };
  });
}

/** A limit that the service has for the secret does not hold for the one that the connection has by now. */
async function withoutLimitsOfOldSecret(
  state: StepState,
  { connection }: PreparedRequest,
  account: CallAccount,
  received: ClassifiedResponse,
): Promise<ClassifiedResponse> {
  if (received.ok || connection === undefined || !sendsSecret(state)) return received;
  const { retryAfterMs, ...failure } = received.failure;
  if (retryAfterMs === undefined && account.end.outcome !== "rate_limited") return received;
  if ((await withNewSecret(state.parts.connections, connection, { isFresh: true })) === undefined) return received;
  account.end = { outcome: "failed" };
  return { ok: false, failure };
}

const sendsSecret = ({ template }: StepState): boolean => template.needsSecret;

/** The request with the secret that the connection has by now. Undefined: it has the same one. */
async function withNewSecretOf(
  state: StepState,
  row: InputRow,
  { connection }: PreparedRequest,
  during: { signal: AbortSignal; clock: AttemptClock },
): Promise<PreparedRequest | undefined> {
  if (connection === undefined) return undefined;
  if ((await withNewSecret(state.parts.connections, connection)) === undefined) return undefined;
  const prepared = await prepareRequest(state, row, during);
  return "failure" in prepared ? undefined : prepared;
}

interface PreparedRequest {
  connection: Connection | undefined;
  secret: string | null;
  request: HttpRequest;
  dispatcher: NonNullable<ReturnType<ConnectionEgress["dispatcherFor"]>["dispatcher"]>;
}

/** The request of a row and the way to its receiver, or why there is none. */
async function prepareRequest(
  { parts, config, context, template }: StepState,
  row: InputRow,
  { signal, clock }: { signal: AbortSignal; clock: AttemptClock },
): Promise<PreparedRequest | { failure: RowFailure }> {
  const connection =
    config.connection === undefined
      ? undefined
      : await parts.connections.find(context.organizationId, config.connection);
  if (config.connection !== undefined && connection === undefined)
    return failed("secret_missing", "The connection that the job spec names does not exist any more.");
  const secret = connection?.secret ?? null;
  if (template.needsSecret && connection?.isSecretLost) return failed("secret_missing", SECRET_IS_LOST);
  if (template.needsSecret && secret === null)
    return failed("secret_missing", "A header names {{connection.secret}}, but the connection has no secret.");
  const given = { config, row: row.text, baseUrl: connection?.baseUrl, secret };
  // The wait for a process that makes it says nothing about the row.
  const rendered =
    renderSmallRow(template, given) ??
    (await clock.offTheClock(() => renderLargeRow(parts.largeTexts, context, given, signal)));
  if ("failure" in rendered) return rendered;
  const { request } = rendered;
  request.headers["idempotency-key"] ??= idempotencyKeyOf(context, row);
  const way = parts.egress.dispatcherFor(request.url);
  if (way.dispatcher === undefined) return failed("egress_denied", way.message);
  return { connection, secret, request, dispatcher: way.dispatcher };
}

/** What is known of a call, whatever becomes of it. */
interface Call {
  isSent: boolean;
  response: ExchangeResponse | undefined;
}

async function send(
  state: StepState,
  { connection, request, dispatcher, secret }: PreparedRequest,
  call: Call,
  account: CallAccount,
  { signal, clock }: { signal: AbortSignal; clock: AttemptClock },
): Promise<ClassifiedResponse> {
  const { config, rules } = state;
  const { maxBytes } = rules;
  const reading = readingOf(state, connection);
  const { url, ...rest } = request;
  const toSend = {
    ...rest,
    path: url.pathname + url.search,
    timeoutMs: config.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    limitOf: (status: number) =>
      isExpected(rules, status)
        ? { maxBytes, isCut: false }
        : { maxBytes: Math.min(maxBytes, MAX_FAILED_RESPONSE_BYTES), isCut: true },
    noteSent: (): void => {
      call.isSent = true;
      account.spentUsd = connection?.prices?.requestUsd ?? "0";
    },
  };
  try {
    const received = await exchange(dispatcher, toSend, signal);
    const response = { ...received, headers: redactHeaders(received.headers, reading.redact) };
    call.response = response;
    const found: ClassifiedResponse = isExpected(rules, response.status)
      ? await readOutput(state, response, secret, reading, clock)
      : { ok: false, failure: await describeRefusal(response, reading) };
    account.end = endOf(response, found);
    return found;
  } catch (error) {
    if (signal.aborted && !clock.isTimeUp()) throw error;
    return { ok: false, failure: signal.aborted ? OUT_OF_TIME : failureOfError(error, maxBytes) };
  }
}

/** Of a response whose status is expected. Also when the time of the row is up, or its run ends: the call was made, and counts. */
async function readOutput(
  { parts, config, context, template, rules }: StepState,
  response: ExchangeResponse,
  secret: string | null,
  reading: ReturnType<typeof readingOf>,
  clock: AttemptClock,
): Promise<ClassifiedResponse> {
  const unpacked = await unpack(response, reading.maxBytes);
  if ("failure" in unpacked) return { ok: false, failure: unpacked.failure };
  const { bytes } = unpacked;
  if (bytes.length < LARGE_TEXT_CHARACTERS) return interpretOutput({ ...response, body: bytes }, rules, reading);
  const { status, headers } = response;
  const { responsePath } = config;
  const sent = template.needsSecret ? secret : null;
  const request = { response: { status, headers, bytes }, responsePath, secret: sent };
  try {
    return await clock.offTheClock(() => parts.largeTexts.perform(context, { task: "readResponse", ...request }));
  } catch (error) {
    if (!(error instanceof LargeTextError)) return { ok: false, failure: failureOfReader(error) };
    const message = `The response ${error.message}: ask for less in one.`;
    return { ok: false, failure: { code: "output_not_json", message, retryable: false, triedAgain: false } };
  }
}

/** How a response is read: what may be shown of it. */
const readingOf = ({ template, rules }: StepState, connection: Connection | undefined) => ({
  maxBytes: rules.maxBytes,
  sentSecret: template.needsSecret,
  redact: redactOf(template.needsSecret ? connection : undefined),
});

/** For tests of a job spec, which show the calls that they made. */
async function noteCall(
  state: StepState,
  { request, connection }: PreparedRequest,
  { response }: Call,
  { usage, classified }: { usage: RowUsage; classified: ClassifiedResponse },
): Promise<void> {
  const { context } = state;
  if (context.noteCall === undefined) return;
  const { method, url, headers, body } = request;
  const received =
    response === undefined
      ? undefined
      : {
          status: response.status,
          headers: response.headers,
          body: await readText(response, readingOf(state, connection)),
        };
  const counted = usage.calls?.[0] ?? (classified.ok ? {} : { code: classified.failure.code });
  const sent = { method, url: url.href, headers, body };
  context.noteCall(traceCall({ request: sent, response: received, usage: counted }, redactOf(connection)));
}

const NO_CLOCK: AttemptClock = { offTheClock: (wait) => wait(), isTimeUp: () => false };

const OUT_OF_TIME: RowFailure = {
  code: "row_timeout",
  message: "The time of the row was up while it waited for the response of the service.",
};

const ABANDONED: ClassifiedResponse = {
  ok: false,
  failure: { code: "network_error", message: "The call was abandoned." },
};

const failed = (code: FailureCode, message: string): { failure: RowFailure } => ({ failure: { code, message } });

/** 128 bits, the same for every attempt at the row in all runs of the family. */
const idempotencyKeyOf = ({ rootRunId }: RunContext, row: InputRow): string =>
  `rowmill-${hash("sha256", `${rootRunId}/${row.index}`, "hex").slice(0, 32)}`;

/** What the response depends on, as far as it can be known; not the secret, which is not part of the request. */
export function cacheKeyOf(
  template: ReturnType<typeof compileRequest>,
  config: HttpConfig,
  row: InputRow,
): string | undefined {
  // To read a row of many values takes longer than the cache may have; there are few of them.
  if (hasManyValues(row.text)) return undefined;
  // The connection stands for its `baseUrl`.
  const baseUrl = config.connection === undefined ? undefined : PLACEHOLDER_BASE_URL;
  const request = template.render(parseExactJson(row.text), baseUrl, "");
  if (request instanceof TemplateError) return undefined;
  const { url, headers } = request;
  const { connection, responsePath, expect } = config;
  return JSON.stringify(["http", connection, url.href, Object.entries(headers).toSorted(byName), responsePath, expect]);
}

const PLACEHOLDER_BASE_URL = "https://connection.invalid";
const byName = ([a]: [string, string], [b]: [string, string]): number => (a < b ? -1 : 1);
