/**
 * Spans of requests, runs, rows and deliveries, by OpenTelemetry. This file uses its API only; what exports them is loaded where the
 * operator names a collector (`open-tracing.ts`). Elsewhere there is no `Tracing`, and nothing of this is called.
 *
 * A run takes hours and passes through many processes, and nothing of its trace is stored: its trace id is the run's own id, and the id
 * of its span follows from that. So every process knows the span of a run as the parent of rows, and as what requests and deliveries link
 * to. Spans of rows and deliveries are written when they are recorded, with the times that were recorded: nothing is added to the work.
 */
import { createHash } from "node:crypto";
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, isSpanContextValid, trace } from "@opentelemetry/api";
import type { Attributes, Context, Link, Span, SpanContext, Tracer } from "@opentelemetry/api";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { formatId, parseId, timeOfUuid } from "./ids.ts";
import type { CountedAttempt, CountedRow, Meter } from "./meter.ts";
import { notNull, present } from "./present.ts";

export interface Tracing {
  observeRequests(app: FastifyInstance): void;
  /** Counts with `meter`, and writes spans of what is counted. */
  follow(meter: Meter): Meter;
  recordRun(run: EndedRun): void;
  /** Sends what is left. */
  stop(): Promise<void>;
}

export interface EndedRun {
  organizationId: string;
  runId: string;
  state: string;
  endedAt: Date;
}

export interface TracingParts {
  tracer: Tracer;
  /** Begins a root span with these ids. */
  withIds: <T>(ids: SpanContext, start: () => T) => T;
  /** Part of the rows that get a span. */
  rows: number;
  /** Whether spans of rows name models and tokens. */
  hasGenAi: boolean;
  random?: () => number;
  stop: () => Promise<void>;
}

/** W3C Trace Context, version 00. */
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
const CREATED_RUN = /^\/v1\/runs\/(run_[0-9a-z]{26})$/;

export const createTracing = (parts: TracingParts): Tracing => new TracingOfProcess(parts);

class TracingOfProcess implements Tracing {
  readonly #parts: TracingParts;
  readonly #requests = new WeakMap<FastifyRequest, Span>();

  constructor(parts: TracingParts) {
    this.#parts = parts;
  }

  observeRequests(app: FastifyInstance): void {
    app.addHook("onRequest", (request, _reply, done) => {
      this.#startRequest(request);
      done();
    });
    app.addHook("onResponse", (request, reply, done) => {
      this.#endRequest(request, reply);
      done();
    });
  }

  follow(meter: Meter): Meter {
    const { rows: rate, random = Math.random } = this.#parts;
    return {
      ...meter,
      countRows: (rows, run) => {
        meter.countRows(rows, run);
        const now = Date.now();
        for (const row of [...rows.successes, ...rows.failures])
          if (random() < rate) this.#recordRow(run.organizationId, run.id, row, now);
      },
      countWebhookAttempts: (counts, attempts) => {
        meter.countWebhookAttempts(counts, attempts);
        for (const attempt of attempts) this.#recordDelivery(attempt);
      },
    };
  }

  recordRun({ organizationId, runId, state, endedAt }: EndedRun): void {
    const { tracer, withIds } = this.#parts;
    const attributes = {
      "rowmill.organization.id": formatId("organization", organizationId),
      "rowmill.run.id": formatId("run", runId),
      "rowmill.run.state": state,
    };
    const span = withIds(spanOfRun(runId), () =>
      tracer.startSpan("run", { root: true, startTime: timeOfUuid(runId), attributes }, ROOT_CONTEXT),
    );
    if (state === "failed") span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(endedAt);
  }

  stop(): Promise<void> {
    return this.#parts.stop();
  }

  #startRequest(request: FastifyRequest): void {
    const route = request.routeOptions.url ?? "none";
    const attributes = {
      "http.request.method": request.method,
      "http.route": route,
      "rowmill.request.id": request.id,
    };
    const parent = parentOf(request.headers["traceparent"]);
    const parts = { kind: SpanKind.SERVER, attributes };
    this.#requests.set(request, this.#parts.tracer.startSpan(`${request.method} ${route}`, parts, parent));
  }

  #endRequest(request: FastifyRequest, reply: FastifyReply): void {
    const span = this.#requests.get(request);
    if (span === undefined) return;
    span.setAttribute("http.response.status_code", reply.statusCode);
    const { caller } = request;
    if (caller?.kind === "organization")
      span.setAttribute("rowmill.organization.id", formatId("organization", caller.organizationId));
    if (reply.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
    const run = createdRun(reply.statusCode, reply.getHeader("location"));
    if (run !== undefined) span.addLink({ context: spanOfRun(run) });
    span.end();
  }

  #recordRow(organizationId: string, runId: string, row: CountedRow, now: number): void {
    const attributes: Attributes = {
      "rowmill.organization.id": formatId("organization", organizationId),
      "rowmill.run.id": formatId("run", runId),
      "rowmill.row.index": row.index,
      "rowmill.row.attempts": row.attempts,
      ...present({ "error.type": row.code }),
      ...(this.#parts.hasGenAi ? describeCalls(row.usage) : {}),
    };
    const parent = trace.setSpanContext(ROOT_CONTEXT, spanOfRun(runId));
    const span = this.#parts.tracer.startSpan("row", { startTime: now - row.durationMs, attributes }, parent);
    if (row.code !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(now);
  }

  #recordDelivery({ claim, result }: CountedAttempt): void {
    const { type, runId } = readEnvelope(claim.payload);
    const attributes: Attributes = {
      "rowmill.organization.id": formatId("organization", claim.organizationId),
      "rowmill.event.id": formatId("event", claim.eventId),
      "rowmill.webhook_endpoint.id": formatId("webhookEndpoint", claim.endpoint.id),
      "rowmill.delivery.attempt": claim.attemptsMade + 1,
      ...notNull({ "http.response.status_code": result.responseStatus }),
      ...(result.responseStatus === null ? { "error.type": result.outcome } : {}),
    };
    const links: Link[] = runId === undefined ? [] : [{ context: spanOfRun(runId) }];
    const startTime = new Date(result.startedAt).getTime();
    const parts = { root: true, kind: SpanKind.CLIENT, startTime, attributes, links };
    const span = this.#parts.tracer.startSpan(`deliver ${type}`, parts, ROOT_CONTEXT);
    const isSuccess = result.responseStatus !== null && result.responseStatus >= 200 && result.responseStatus < 300;
    if (!isSuccess) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(startTime + result.durationMs);
  }
}

/** The same in every process. */
export function spanOfRun(runId: string): SpanContext {
  return {
    traceId: runId.replaceAll("-", ""),
    spanId: createHash("sha256").update(runId).digest("hex").slice(0, 16),
    traceFlags: TraceFlags.SAMPLED,
    isRemote: true,
  };
}

function parentOf(header: string | string[] | undefined): Context {
  const [, traceId = "", spanId = "", flags = "0"] = TRACEPARENT.exec(typeof header === "string" ? header : "") ?? [];
  const parent = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  return isSpanContextValid(parent) ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
}

function createdRun(status: number, location: unknown): string | undefined {
  if (status !== 201 || typeof location !== "string") return undefined;
  const [, id] = CREATED_RUN.exec(location) ?? [];
  return id === undefined ? undefined : parseId("run", id);
}

/** Written by `makeEnvelope`; of tests, perhaps by somebody else. */
function readEnvelope(payload: string): { type: string; runId: string | undefined } {
  const { type, data } = JSON.parse(payload) as {
    type: string;
    data?: { object?: string; id?: string; runId?: string };
  };
  const id = data?.object === "run" ? data.id : data?.runId;
  return { type, runId: id === undefined ? undefined : parseId("run", id) };
}

/** Of the last call; tokens of all. Never what was sent or received. */
function describeCalls(usage: string | null): Attributes {
  if (usage === null) return {};
  const { inputTokens, outputTokens, calls } = JSON.parse(usage) as {
    inputTokens?: number;
    outputTokens?: number;
    calls?: { model?: string; reportedModel?: string }[];
  }; // as `row-usage.ts` writes it
  const call = calls?.at(-1);
  return {
    ...present({
      "gen_ai.request.model": call?.model,
      "gen_ai.response.model": call?.reportedModel,
      "gen_ai.usage.input_tokens": inputTokens,
      "gen_ai.usage.output_tokens": outputTokens,
    }),
  };
}
