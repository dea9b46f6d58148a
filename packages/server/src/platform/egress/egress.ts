/**
 * The only way out to an address that a customer gave: webhooks, alert destinations, uploads by URL.
 *
 * A call is checked (`check-url.ts`), connected under guard (`guarded-connect.ts`), and ends as data. Redirects are
 * never followed, a connection carries one request and is never used again (so every call is resolved and checked
 * again), bodies come back as they were sent, and the whole call runs against one clock. `exchange.ts` is not used here: it reads a whole
 * response into memory on a connection that is kept, while a call here has a connection of its own, and may stream its body to a file.
 */
import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Client, type Dispatcher } from "undici";
import { codeOf } from "../error-code.ts";
import { EgressError, failureOf, type EgressFailure } from "./failure.ts";
import {
  createGuardedConnect,
  createPlainConnect,
  undiciConnector,
  type GuardedConnect,
  type GuardOptions,
  type PlainConnect,
} from "./guarded-connect.ts";
import { checkUrl } from "./check-url.ts";
import { checkRequestHeaders } from "./request-headers.ts";
import { present } from "../present.ts";

/** For `maxResponseBytes`: an acknowledgement needs no more, and nobody reads it. */
export const SMALL_RESPONSE_BYTES = 64 * 1024;

/** Node's own default; no honest receiver sends more. */
const MAX_RESPONSE_HEADER_BYTES = 16 * 1024;

/** The longest time a timer of Node takes. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

export interface EgressRequest {
  method: string;
  url: string;
  /** What frames the request (`host`, `content-length`, `connection` …) is set here and refused from outside. */
  headers: Record<string, string>;
  body?: Buffer;
  /** From the call to the last byte of the response. */
  timeoutMs: number;
  /** A response with a larger body is a failure. */
  maxResponseBytes: number;
  signal?: AbortSignal;
}

export interface EgressFailed {
  outcome: "failed";
  reason: EgressFailure;
  /** A sentence for the customer; it names no address. */
  message: string;
  durationMs: number;
}

export type EgressOutcome =
  | {
      outcome: "response";
      status: number;
      /** Lower-case names; values of repeated headers are joined with `, `. */
      headers: Record<string, string>;
      body: Buffer;
      durationMs: number;
    }
  | EgressFailed;

export interface DownloadRequest {
  url: string;
  headers?: Record<string, string>;
  /** Receives the body of a 200 and is ended with it. Destroyed by any failure; not touched by another status. */
  to: Writable;
  /** A larger body is a failure, found before the first byte where the response states its length. */
  maxBytes: number;
  /** From the call to the last byte. */
  timeoutMs: number;
  /** The longest the other side may send nothing. Waiting for `to` does not count. */
  idleTimeoutMs: number;
  signal?: AbortSignal;
}

export type DownloadOutcome =
  | { outcome: "response"; status: number; headers: Record<string, string>; bytes: number; durationMs: number }
  | EgressFailed;

export interface Egress {
  /** One request with a small response. Resolves whatever the other side does; rejects only for bugs of our own. */
  send(request: EgressRequest): Promise<EgressOutcome>;
  /** One GET whose body is streamed. Rejects with the error of `to`, where that is what failed. */
  download(request: DownloadRequest): Promise<DownloadOutcome>;
  /** Ends every call in flight as `canceled` and waits for them; later calls are `canceled` at once. */
  close(): Promise<void>;
}

export interface EgressOptions extends GuardOptions {
  /** Origins that `send` calls as they are, by plain HTTP where their scheme is http; downloads never do. */
  allowedOrigins?: ReadonlySet<string>;
}

export function createEgress(options: EgressOptions): Egress {
  const connect = createGuardedConnect(options);
  const { allowedOrigins } = options;
  const allowed: Allowed | undefined =
    allowedOrigins === undefined ? undefined : { origins: allowedOrigins, connect: createPlainConnect(options) };
  // What is downloaded is shown to the customer: it never comes from inside the operator's network.
  const connectOutside = createGuardedConnect({ ...options, connectOverrides: new Map() });
  const closing = new AbortController();
  const inFlight = new Set<Promise<unknown>>();

  function track<Outcome>(call: Promise<Outcome>): Promise<Outcome> {
    inFlight.add(call);
    const forget = () => inFlight.delete(call);
    call.then(forget, forget);
    return call;
  }

  return {
    send: (request) => track(send({ connect, allowed }, closing.signal, request)),
    download: (request) => track(download({ connect: connectOutside, allowed: undefined }, closing.signal, request)),
    async close() {
      closing.abort();
      await Promise.allSettled(inFlight);
    },
  };
}

interface Allowed {
  origins: ReadonlySet<string>;
  connect: PlainConnect;
}
interface Ways {
  connect: GuardedConnect;
  allowed: Allowed | undefined;
}

async function send(ways: Ways, closing: AbortSignal, request: EgressRequest): Promise<EgressOutcome> {
  return call(ways, closing, { ...request, idleTimeoutMs: 0 }, async (response) => {
    return { body: Buffer.concat(await Array.fromAsync(chunksOf(response))) };
  });
}

async function download(ways: Ways, closing: AbortSignal, request: DownloadRequest): Promise<DownloadOutcome> {
  const { url, headers = {}, to, maxBytes, timeoutMs, idleTimeoutMs, signal } = request;
  const limits = { timeoutMs, idleTimeoutMs, maxResponseBytes: maxBytes };
  const get = { method: "GET", url, headers, ...limits, ...present({ signal }) };
  const outcome = await call(ways, closing, get, async (response, ending) => {
    let bytes = 0;
    if (response.statusCode !== 200) return { bytes };
    if (Number(response.headers["content-length"] ?? 0) > maxBytes) throw tooLarge(maxBytes);
    const counted = async function* () {
      for await (const chunk of chunksOf(response)) {
        bytes += chunk.length;
        yield chunk;
      }
    };
    await pipeline(Readable.from(counted(), { objectMode: false }), to, { signal: ending });
    return { bytes };
  });
  if (outcome.outcome === "failed") to.destroy();
  return outcome;
}

interface Call extends EgressRequest {
  /** The longest silence; 0: only the total counts. */
  idleTimeoutMs: number;
}

/** One request on one connection of its own; `read` takes what is needed from the response. */
async function call<Read extends object>(
  { connect, allowed }: Ways,
  closing: AbortSignal,
  { method, url, headers, body, timeoutMs, idleTimeoutMs, maxResponseBytes, signal }: Call,
  read: (response: Dispatcher.ResponseData, ending: AbortSignal) => Promise<Read>,
) {
  if (!(timeoutMs > 0 && timeoutMs <= MAX_TIMEOUT_MS)) throw new RangeError(`timeoutMs cannot be ${timeoutMs}`);
  const startedAt = performance.now();
  const durationMs = () => Math.round(performance.now() - startedAt);
  const ending = new AbortController();
  const timer = setTimeout(
    () => ending.abort(new EgressError("timeout", `No complete response within ${timeoutMs} ms.`)),
    timeoutMs,
  );
  const cancel = () => ending.abort(new EgressError("canceled", "The call was canceled."));
  const cancelers = signal === undefined ? [closing] : [closing, signal];
  for (const canceler of cancelers) canceler.addEventListener("abort", cancel, { once: true });
  if (cancelers.some((canceler) => canceler.aborted)) cancel();
  let client: Client | undefined;
  let hasResponse = false;
  const explain = (error: unknown): unknown => {
    const code = codeOf(error);
    if (code === "UND_ERR_RES_EXCEEDED_MAX_SIZE") return tooLarge(maxResponseBytes);
    // Before the body begins, a wrong number of bytes is the parser's word for headers that it cannot read.
    if (code === "UND_ERR_RES_CONTENT_LENGTH_MISMATCH" && !hasResponse)
      return new EgressError("protocol", "The headers of the response are not valid HTTP/1.1.", { cause: error });
    return error;
  };
  try {
    ending.signal.throwIfAborted();
    const checked = checkUrl(url, allowed?.origins);
    if (!checked.accepted) throw new EgressError("blocked_address", checked.message);
    const { origin, pathname, search } = new URL(checked.href);
    client = createClient({ connect, allowed }, origin, { idleTimeoutMs, maxResponseBytes }, ending.signal);
    const response = await client.request({
      method,
      path: pathname + search,
      headers: { ...checkRequestHeaders(headers), "accept-encoding": "identity" },
      body: body ?? null,
      signal: ending.signal,
    });
    hasResponse = true;
    const taken = await read(response, ending.signal);
    const outcome = { outcome: "response" as const, status: response.statusCode, headers: joined(response.headers) };
    return { ...outcome, ...taken, durationMs: durationMs() };
  } catch (error) {
    // After the clock or a signal has ended the call, what its parts throw is only the echo.
    const failure = failureOf(ending.signal.aborted ? ending.signal.reason : explain(error));
    if (failure === undefined) throw error;
    return { outcome: "failed" as const, reason: failure.reason, message: failure.message, durationMs: durationMs() };
  } finally {
    clearTimeout(timer);
    for (const canceler of cancelers) canceler.removeEventListener("abort", cancel);
    // Also ends a connection that is still being made.
    ending.abort();
    await client?.destroy();
  }
}

/** A client for one request. Given explicitly, so no global dispatcher and no proxy of the environment is asked. */
function createClient(
  { connect, allowed }: Ways,
  origin: string,
  { idleTimeoutMs, maxResponseBytes }: Pick<Call, "idleTimeoutMs" | "maxResponseBytes">,
  ending: AbortSignal,
): Client {
  return new Client(origin, {
    connect: undiciConnector(connect, ending, allowed?.connect),
    // `connection: close`: the socket is not used again.
    pipelining: 0,
    allowH2: false,
    useMilo: false,
    maxHeaderSize: MAX_RESPONSE_HEADER_BYTES,
    // Counted as bytes arrive. A reader of the body would lose what it has not taken yet when the connection breaks, and
    // with it the byte beyond the limit.
    maxResponseSize: maxResponseBytes,
    headersTimeout: idleTimeoutMs,
    bodyTimeout: idleTimeoutMs,
  });
}

/** A body of undici is a byte stream without encoding: its chunks are Buffers. */
const chunksOf = (response: Dispatcher.ResponseData) => response.body as AsyncIterable<Buffer>;

function tooLarge(maxBytes: number): EgressError {
  return new EgressError("response_too_large", `The body of the response is larger than ${maxBytes} bytes.`);
}

function joined(headers: Dispatcher.ResponseData["headers"]): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.toLowerCase(),
      Array.isArray(value) ? value.join(", ") : (value ?? ""),
    ]),
  );
}
