/**
 * The `http` processor: one request a row. The request is made of templates (`request-template.ts`), goes out through the guard
 * of connections, and its answer is the row's output.
 *
 *     row ─ fill in ─ money set aside ─ turn of the connection ─ request, one clock over it all ─ status ─ unpack ─ output
 *
 * Every request carries an `Idempotency-Key` of its root run and row: attempts, repeats after a crash and retry runs are the
 * same intent to a receiver that honours it. Redirects are not followed: they would carry row and secret to an address that was not checked.
 */
import { hash } from "node:crypto";
import type { FailureCode } from "@rowmill/contract/failures";
import { exchange } from "../../platform/egress/exchange.ts";
import type { ExchangeAnswer } from "../../platform/egress/exchange.ts";
import { failureOf } from "../../platform/egress/failure.ts";
import type { EgressFailure } from "../../platform/egress/failure.ts";
import { wrongKind } from "../../platform/ids.ts";
import type { Connection, ConnectionEgress, Connections } from "../connection-parts.ts";
import { readLearnedLimits } from "../limiter/learned-limits.ts";
import { withPriority } from "../limiter/permits.ts";
import type { CallEnd, Limiter } from "../limiter/permits.ts";
import { makePaidCall, withMemory } from "../paid-call.ts";
import { createRedact, redactHeaders } from "../redact.ts";
import { traceCall } from "../trace.ts";
import type {
  AttemptClock,
  Problem,
  Processor,
  ProcessorDefinition,
  RowCall,
  RowFailure,
  RowInHand,
  RowOutcome,
  RowUsage,
  RunContext,
  Step,
} from "../processor.ts";
import { parseExactJson } from "../../platform/exact-json.ts";
import { TemplateError } from "../templates/templates.ts";
import { compileResponsePath, describeRefusal, failureOfSize, isExpected, readOutput, readText } from "./response.ts";
import type { AnswerRules, ClassifiedResponse } from "./response.ts";
import { prepareHttpEstimate } from "./estimate-http.ts";
import {
  DEFAULT_MAX_RESPONSE_BYTES,
  DEFAULT_TIMEOUT_MS,
  MAX_FAILED_RESPONSE_BYTES,
  MAX_REQUEST_ID_CHARACTERS,
  ROWS_IN_FLIGHT,
} from "./http-limits.ts";
import { compileRequest } from "./request-template.ts";
import type { HttpConfig } from "./request-template.ts";
import { cutText } from "../../platform/text.ts";

/** The text that was made, and the bytes that are sent. */
const BYTES_PER_BODY_CHARACTER = 2;

export interface HttpParts {
  connections: Connections;
  egress: ConnectionEgress;
  limiter: Limiter;
}

export const httpDefinition: ProcessorDefinition<HttpConfig, HttpParts> = {
  kind: "calling",
  connectionsOf: ({ connection }) => (connection === undefined ? [] : [connection]),
  create: createHttpProcessor,
};

export function createHttpProcessor(parts: HttpParts): Processor<HttpConfig> {
  return {
    findProblems: (config, organizationId) => findProblems(parts, config, organizationId),
    prepare: (config, context) => Promise.resolve(httpStep(parts, config, context)),
    prepareEstimate: (config, organizationId) => prepareHttpEstimate(parts, config, organizationId),
  };
}

async function findProblems(parts: HttpParts, config: HttpConfig, organizationId: string): Promise<Problem[]> {
  const request = compileRequest(config);
  const problems = [...request.problems];
  if (config.responsePath !== undefined) problems.push(...compileResponsePath(config.responsePath).problems);
  if (request.origin !== undefined && config.connection === undefined) {
    const way = parts.egress.dispatcherFor(new URL(request.origin));
    if (way.dispatcher === undefined) problems.push({ path: "/url", message: way.message });
  }
  if (config.connection !== undefined) {
    const connection = await parts.connections.find(organizationId, config.connection);
    const problem = findProblemOfConnection(config.connection, connection, request);
    if (problem !== undefined) problems.push(problem);
  }
  return problems;
}

function findProblemOfConnection(
  named: string,
  connection: Connection | undefined,
  request: { origin: string | undefined; needsSecret: boolean },
): Problem | undefined {
  const path = "/connection";
  if (connection === undefined)
    return { path, message: wrongKind(named, "connection", "`connection`") ?? `There is no connection ${named}.` };
  if (connection.type !== "http")
    return { path, message: `The connection is of type ${connection.type}; an http processor needs one of type http.` };
  if (request.needsSecret && connection.secret === null)
    return { path, message: "A header names {{connection.secret}}, but the connection has no secret." };
  if (request.origin !== undefined && request.origin !== new URL(connection.baseUrl).origin)
    return { path: "/url", message: "With a `connection` the URL is a path on its `baseUrl`, such as /v1/items." };
  return undefined;
}

function httpStep(shared: HttpParts, config: HttpConfig, context: RunContext): Step {
  const parts = { ...shared, limiter: withPriority(shared.limiter, context.priority) };
  const template = compileRequest(config);
  const { pick } = config.responsePath === undefined ? {} : compileResponsePath(config.responsePath);
  const maxBytes = config.maxResponseBytes ?? DEFAULT_MAX_RESPONSE_BYTES;
  const rules: AnswerRules = { expectedStatuses: config.expect?.status ?? [], pick, maxBytes };
  const timeoutMs = config.timeoutMs ?? DEFAULT_TIMEOUT_MS;

  async function processRow(row: RowInHand, signal: AbortSignal, clock: AttemptClock): Promise<RowOutcome> {
    const connection =
      config.connection === undefined
        ? undefined
        : await parts.connections.find(context.organizationId, config.connection);
    if (config.connection !== undefined && connection === undefined)
      return failed("secret_missing", "The connection that the job spec names does not exist any more.");
    const secret = connection?.secret ?? null;
    if (template.needsSecret && secret === null)
      return failed("secret_missing", "A header names {{connection.secret}}, but the connection has no secret.");
    const request = template.render(parseExactJson(row.text), connection?.baseUrl, secret);
    if (request instanceof TemplateError) return { ok: false, failure: request.toFailure() };
    request.headers["idempotency-key"] ??= idempotencyKeyOf(context, row);
    const way = parts.egress.dispatcherFor(request.url);
    if (way.dispatcher === undefined) return failed("egress_denied", way.message);

    const { url, ...rest } = request;
    const priceUsd = connection?.prices?.requestUsd;
    let isSent = false;
    const call = {
      ...rest,
      path: url.pathname + url.search,
      timeoutMs,
      limitOf: (status: number) =>
        isExpected(rules, status)
          ? { maxBytes, isCut: false }
          : { maxBytes: Math.min(maxBytes, MAX_FAILED_RESPONSE_BYTES), isCut: true },
    };
    const bytes = maxBytes + BYTES_PER_BODY_CHARACTER * (rest.body?.length ?? 0);
    const redact = createRedact(template.needsSecret ? secret : null);
    const reading = { maxBytes, sentSecret: template.needsSecret, redact };
    const surroundings = { limiter: parts.limiter, budget: context.budget, signal, clock };
    const paid = {
      connection,
      model: "",
      tokens: 0,
      ...(priceUsd === undefined ? {} : { highest: { usd: priceUsd } }),
    };
    return withMemory(context.organizationId, bytes, surroundings, async () => {
      let answer: ExchangeAnswer | undefined;
      const classified = await makePaidCall(surroundings, paid, async (account): Promise<ClassifiedResponse> => {
        const noteSent = (): void => {
          isSent = true;
          account.spentUsd = priceUsd ?? "0";
        };
        try {
          const received = await exchange(way.dispatcher, { ...call, noteSent }, signal);
          answer = { ...received, headers: redactHeaders(received.headers, redact) };
          const found: ClassifiedResponse = isExpected(rules, answer.status)
            ? await readOutput(answer, rules, reading)
            : { ok: false, failure: await describeRefusal(answer, reading) };
          account.end = endOf(answer, found);
          return found;
        } catch (error) {
          if (signal.aborted && !clock.isTimeUp()) throw error;
          return { ok: false, failure: signal.aborted ? OUT_OF_TIME : failureOfError(error, maxBytes) };
        }
      });
      const usage = usageOf({ connection, isSent, requestId: requestIdOf(answer), classified });
      if (context.noteCall !== undefined) {
        const body = answer === undefined ? undefined : await readText(answer, reading);
        const response = answer === undefined ? undefined : { status: answer.status, headers: answer.headers, body };
        const sent = { method: rest.method, url: url.href, headers: rest.headers, body: rest.body };
        const counted = usage.calls?.[0] ?? (classified.ok ? {} : { code: classified.failure.code });
        context.noteCall(traceCall({ request: sent, response, usage: counted }, createRedact(secret)));
      }
      return classified.ok
        ? { ok: true, output: classified.output, usage }
        : { ok: false, failure: classified.failure, usage };
    });
  }

  return {
    maxBatchRows: 1,
    batchesAtOnce: ROWS_IN_FLIGHT,
    // Other methods may be meant to act, which an output from a cache would not.
    ...(config.method === "GET" ? { cacheKeyOf: (row: RowInHand) => cacheKeyOf(template, config, row) } : {}),
    async processRows(rows, signal, clock = NO_CLOCK) {
      signal.throwIfAborted();
      return Promise.all(rows.map((row) => processRow(row, signal, clock)));
    },
  };
}

const NO_CLOCK: AttemptClock = { offTheClock: (wait) => wait(), isTimeUp: () => false };

const OUT_OF_TIME: RowFailure = {
  code: "row_timeout",
  message: "The time of the row was up while it waited for the answer of the service.",
};

const failed = (code: FailureCode, message: string): RowOutcome => ({ ok: false, failure: { code, message } });

/** 128 bits, the same for every attempt at the row in all runs of the family. */
const idempotencyKeyOf = ({ rootRunId }: RunContext, row: RowInHand): string =>
  `rowmill-${hash("sha256", `${rootRunId}/${row.index}`, "hex").slice(0, 32)}`;

/** What the answer depends on, as far as it can be known; not the secret, which is not part of the question. */
function cacheKeyOf(
  template: ReturnType<typeof compileRequest>,
  config: HttpConfig,
  row: RowInHand,
): string | undefined {
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

/** Feedback for the limiter, which slows down all callers of the connection. */
function endOf({ status, headers }: ExchangeAnswer, classified: ClassifiedResponse): CallEnd {
  const retryAfterMs = classified.ok ? undefined : classified.failure.retryAfterMs;
  const learned = readLearnedLimits(headers);
  const feedback = {
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(learned === undefined ? {} : { learned }),
  };
  if (status === 429) return { outcome: "rate_limited", ...feedback };
  if (status === 503) return { outcome: "overloaded", ...feedback };
  return { outcome: status >= 500 ? "failed" : "answered", ...(learned === undefined ? {} : { learned }) };
}

const codeOfReason: Record<EgressFailure, FailureCode> = {
  blocked_address: "egress_denied",
  timeout: "provider_timeout",
  dns: "network_error",
  connect: "network_error",
  tls: "network_error",
  protocol: "network_error",
  canceled: "network_error",
  response_too_large: "output_truncated",
};

/** Throws what is not a failure of the call, but a bug of ours. */
function failureOfError(error: unknown, maxBytes: number): RowFailure {
  const failure = failureOf(error);
  if (failure === undefined) throw error;
  if (failure.reason === "response_too_large") return failureOfSize(maxBytes);
  return { code: codeOfReason[failure.reason], message: failure.message, details: { reason: failure.reason } };
}

/**
 * A request counts once it went onto a connection, whatever came of it, and costs what the connection says. Where it says
 * nothing, or there is none, a request costs nothing: most services that people call by rows are their own.
 */
function usageOf({
  connection,
  isSent,
  requestId,
  classified,
}: {
  connection: Connection | undefined;
  isSent: boolean;
  requestId: string | undefined;
  classified: ClassifiedResponse;
}): RowUsage {
  if (!isSent) return { requests: 0 };
  if (connection === undefined) return { requests: 1 };
  const priceUsd = connection.prices?.requestUsd;
  const cost = priceUsd === undefined ? {} : { costUsd: priceUsd };
  const call: RowCall = {
    connectionId: connection.id,
    ...(requestId === undefined ? {} : { requestId }),
    ...cost,
    ...(classified.ok ? {} : { code: classified.failure.code }),
  };
  return { requests: 1, ...cost, calls: [call] };
}

function requestIdOf(answer: ExchangeAnswer | undefined): string | undefined {
  const requestId = answer?.headers["x-request-id"] ?? answer?.headers["request-id"];
  return requestId === undefined ? undefined : cutText(requestId, MAX_REQUEST_ID_CHARACTERS);
}
