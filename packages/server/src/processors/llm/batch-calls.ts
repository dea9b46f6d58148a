/**
 * One call of a provider's batch endpoints, behind the limiter and the egress guard, and what came of it. It does not use `exchange.ts`,
 * which has whole bodies in memory: files of a batch are streamed both ways.
 */
import { Buffer } from "node:buffer";
import { createReadStream, createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Dispatcher } from "undici";
import { EgressError, failureOf } from "../../platform/egress/failure.ts";
import type { Connection } from "../connection-parts.ts";
import type { CallEnd } from "../limiter/permits.ts";
import { LARGE_TEXT_CHARACTERS, LargeTextError, hasManyValues } from "../large-texts.ts";
import { makePaidCall } from "../paid-call.ts";
import type { AttemptClock } from "../processor.ts";
import type { BatchFailure, BatchParts, Called, RequestFile } from "../provider-batches.ts";
import { createRedact, redactHeaders } from "../redact.ts";
import { MOST_RESPONSE_BYTES } from "./transport.ts";
import { clean, classifyRefusal, readRefusal } from "./refusals.ts";
import { notNull, present } from "../../platform/present.ts";

/** Descriptions of a batch or of a hundred have some kilobytes. */
const MAX_RESPONSE_BYTES = 4 * 1024 * 1024;
/** Of a response that should be a file and is an error. */
const MAX_ERROR_BYTES = 64 * 1024;
/** A file of a gigabyte at 1 MB/s takes this long; what is slower is better begun again later. */
const DOWNLOAD_TIMEOUT_MS = 20 * 60_000;
/** A provider that is silent for this long in the middle of a file has gone. */
const DOWNLOAD_SILENCE_MS = 120_000;
/**
 * A call without a slot by then is made later: the pass that makes it has one of few places, and a refusal of the provider may keep all calls
 * of its connection from beginning for a quarter of an hour. The lowest limit is one request a minute.
 */
const SLOT_WAIT_MS = 90_000;
/** The same for a look at a batch, which comes first in its pass; longer where the connection's slots are farther apart. */
const LOOK_SLOT_WAIT_MS = 5_000;
/** Of a file of responses: a response, and what the provider puts around it. */
export const MAX_LINE_BYTES = MOST_RESPONSE_BYTES + 64 * 1024;
/** Headers that Anthropic's API asks for. */
const ANTHROPIC_VERSION = "2023-06-01";
const USER_AGENT = "Rowmill/1";

export interface BatchCall {
  method: "GET" | "POST";
  /** Behind the base URL of the connection. */
  path: string;
  headers?: Record<string, string>;
  body?: AsyncIterable<Buffer>;
  timeoutMs: number;
  /** Longest wait for its slot. */
  slotWaitMs?: number;
}

export function lookSlotWaitMs({ rateLimit: { requestsPerMinute } }: Pick<Connection, "rateLimit">): number {
  const betweenSlotsMs = requestsPerMinute === null ? 0 : 60_000 / requestsPerMinute;
  return Math.min(SLOT_WAIT_MS, Math.max(LOOK_SLOT_WAIT_MS, 2 * betweenSlotsMs));
}

/** The response, which is a JSON object. Rejects with the signal's reason, and for bugs. */
export async function callBatches(
  parts: BatchParts,
  connection: Connection,
  call: BatchCall,
  signal: AbortSignal,
): Promise<Called<Record<string, unknown>>> {
  return withSlot(parts, connection, { signal, waitMs: call.slotWaitMs ?? SLOT_WAIT_MS }, async () => {
    let hasLeft = call.method === "GET";
    const body = call.body === undefined ? null : noteStart(call.body, () => (hasLeft = true));
    if (body === null) hasLeft = true;
    const asked = await ask(parts, connection, call, body, AbortSignal.timeout(call.timeoutMs), signal);
    if (!asked.ok) return { ok: false, failure: { ...asked.failure, kind: hasLeft ? "unknown" : "passing" } };
    try {
      const text = await readText(parts, connection, asked.value.body, MAX_RESPONSE_BYTES);
      const { statusCode: status } = asked.value;
      if (status < 200 || status > 299) return { ok: false, failure: failureOfResponse(connection, asked.value, text) };
      const value = parseObject(text);
      if (value !== undefined) return { ok: true, value };
      const message = `The provider responded with ${status} and a body that does not describe a batch: ${clean(text, connection.secret)}`;
      return { ok: false, failure: { kind: "unknown", code: "provider_error", message } };
    } catch (error) {
      return { ok: false, failure: { ...describe(error, signal), kind: "unknown" } };
    }
  });
}

/** Brings a response of any size into a file. */
export async function downloadTo(
  parts: BatchParts,
  connection: Connection,
  path: string,
  file: string,
  signal: AbortSignal,
): Promise<Called<undefined>> {
  return withSlot(parts, connection, { signal, waitMs: SLOT_WAIT_MS }, async () => {
    const timeout = AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS);
    const asked = await ask(parts, connection, { method: "GET", path }, null, timeout, signal, "large");
    if (!asked.ok) return asked;
    try {
      const { statusCode: status, body } = asked.value;
      if (status !== 200) {
        const text = await readText(parts, connection, body, MAX_ERROR_BYTES);
        return { ok: false, failure: failureOfResponse(connection, asked.value, text) };
      }
      await pipeline(body, createWriteStream(file, { mode: 0o600 }), { signal: AbortSignal.any([signal, timeout]) });
      return { ok: true, value: undefined };
    } catch (error) {
      return { ok: false, failure: { ...describe(error, signal), kind: "passing" } };
    }
  });
}

/** Batches have limits of their own at providers: their calls are limited apart from those of any model. */
async function withSlot<T>(
  { limiter }: BatchParts,
  connection: Connection,
  { signal, waitMs }: { signal: AbortSignal; waitMs: number },
  work: () => Promise<Called<T>>,
): Promise<Called<T>> {
  const patience = AbortSignal.timeout(waitMs);
  const clock: AttemptClock = { offTheClock: (wait) => wait(), isTimeUp: () => false, nothingBegins: patience };
  try {
    // The budget has reserved the whole batch, in the transaction that settles its contents.
    return await makePaidCall({ limiter, signal, clock }, { connection, model: "", tokens: 0 }, async (account) => {
      const called = await work();
      account.end = called.ok ? { outcome: "responded", tokens: 0 } : endOf(called.failure);
      return called;
    });
  } catch (error) {
    if (!patience.aborted || error !== patience.reason) throw error;
    const message = "The rate limit of the connection leaves no room for a call at present.";
    return { ok: false, failure: { kind: "passing", code: "provider_rate_limited", message, isUnasked: true } };
  }
}

function endOf({ code, retryAfterMs }: BatchFailure): CallEnd {
  const outcome =
    code === "provider_rate_limited" ? "rate_limited" : code === "provider_overloaded" ? "overloaded" : "failed";
  return { outcome, tokens: 0, ...present({ retryAfterMs }) };
}

async function ask(
  { egress }: BatchParts,
  connection: Connection,
  { method, path, headers }: Pick<BatchCall, "method" | "path" | "headers">,
  body: AsyncIterable<Buffer> | null,
  timeout: AbortSignal,
  signal: AbortSignal,
  responses?: "large",
): Promise<Called<Dispatcher.ResponseData>> {
  const url = new URL(`${connection.baseUrl}${path}`);
  const { dispatcher, message } = { message: "", ...egress.dispatcherFor(url, responses) };
  if (dispatcher === undefined)
    return {
      ok: false,
      failure: { kind: "refused", code: "egress_denied", message: `The provider may not be called: ${message}` },
    };
  try {
    const value = await dispatcher.request({
      method,
      origin: url.origin,
      path: url.pathname + url.search,
      headers: {
        accept: "application/json",
        // What is not compressed can be counted while it comes.
        "accept-encoding": "identity",
        "user-agent": USER_AGENT,
        ...headers,
        ...credentialsOf(connection),
      },
      body: body === null ? null : Readable.from(body),
      bodyTimeout: DOWNLOAD_SILENCE_MS,
      signal: AbortSignal.any([signal, timeout]),
    });
    return { ok: true, value };
  } catch (error) {
    return { ok: false, failure: describe(error, signal) };
  }
}

function credentialsOf({ type, secret }: Connection): Record<string, string> {
  if (type === "anthropic") return { "anthropic-version": ANTHROPIC_VERSION, ...notNull({ "x-api-key": secret }) };
  return secret === null ? {} : { authorization: `Bearer ${secret}` };
}

async function* noteStart(body: AsyncIterable<Buffer>, noteStarted: () => void): AsyncGenerator<Buffer> {
  noteStarted();
  yield* body;
}

async function readText(
  { largeTexts }: BatchParts,
  { organizationId, secret }: Connection,
  body: AsyncIterable<unknown>,
  maxBytes: number,
): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  // A body of undici is a byte stream without encoding: its chunks are Buffers.
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    // Leaving the loop ends the connection; half an error is still an error, and half a description none.
    if (size > maxBytes) break;
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString("utf8");
  if (secret === null || text.length < LARGE_TEXT_CHARACTERS) return createRedact(secret).body(text);
  return largeTexts.perform({ organizationId, runId: "batches" }, { task: "redact", text, secret });
}

function parseObject(text: string): Record<string, unknown> | undefined {
  if (hasManyValues(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    // A response that is not JSON is a finding: the caller reports it.
    return undefined;
  }
}

function failureOfResponse(connection: Connection, response: Dispatcher.ResponseData, text: string): BatchFailure {
  const { statusCode: status } = response;
  const headers = Object.fromEntries(
    Object.entries(response.headers).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])),
  );
  const redacted = redactHeaders(headers, createRedact(connection.secret));
  const refusal = readRefusal({ status, headers: redacted, body: text });
  return classifyBatchRefusal(refusal, redacted, connection.secret);
}

export function classifyBatchRefusal(
  refusal: ReturnType<typeof readRefusal>,
  headers: Record<string, string>,
  secret: string | null,
): BatchFailure {
  const { failure } = classifyRefusal(refusal, headers, { secret, model: "" });
  const { code, message, retryAfterMs } = failure;
  const { status } = refusal;
  const kind = ((): BatchFailure["kind"] => {
    if (status === 404 || status === 405 || status === 501) return "unsupported";
    if (status === 413) return "too_large";
    if (code === "provider_auth_failed") return "refused";
    if ([408, 409, 425, 429, 503, 529].includes(status)) return "passing";
    return status >= 500 ? "unknown" : "refused";
  })();
  return { kind, code, message, ...present({ retryAfterMs }) };
}

/** Rejects with the reason of the caller's signal, and with bugs. */
function describe(error: unknown, signal: AbortSignal): BatchFailure {
  signal.throwIfAborted();
  if (error instanceof LargeTextError)
    return { kind: "unknown", code: "provider_error", message: `The response of the provider ${error.message}.` };
  const failure =
    error instanceof DOMException && error.name === "TimeoutError"
      ? new EgressError("timeout", "The provider did not respond in time.")
      : failureOf(error);
  if (failure === undefined) throw error;
  const isPassing = failure.reason !== "blocked_address";
  return {
    kind: isPassing ? "passing" : "refused",
    code: isPassing ? (failure.reason === "timeout" ? "provider_timeout" : "network_error") : "egress_denied",
    message: failure.message,
  };
}

/** The text of a file between other text, as it goes out. */
export async function* around(head: string, file: RequestFile, tail: string): AsyncGenerator<Buffer> {
  yield Buffer.from(head);
  // A file stream without encoding gives Buffers.
  if (file.bytes > 0) yield* createReadStream(file.path, { end: file.bytes - 1 }) as AsyncIterable<Buffer>;
  yield Buffer.from(tail);
}

/** Ids of providers go into paths. */
export function idIn(value: unknown): string | undefined {
  return typeof value === "string" && value.length > 0 && value.length <= 200 ? value : undefined;
}
