/**
 * One request: its URL and headers, its attempts, its response. An attempt ends when the response has been read, so that a response
 * that breaks off is repeated like one that never came; a streamed response is the caller's once its head is there.
 */
import { completeOptions } from "./credentials.ts";
import type { RowmillOptions } from "./options.ts";
import { RowmillApiError, RowmillConnectionError } from "./errors.ts";
import { isAmbiguous, isWorthRepeating, parseRetryAfterMs, retryDelayMs } from "./retry.ts";
import type { Repeatable } from "./retry.ts";
import { jsonBody } from "./rows.ts";
import type {
  ResponseBodyIn,
  CreateOptions,
  ErrorEnvelope,
  Method,
  OperationOf,
  PathOf,
  QueryValue,
  RequestInput,
} from "./types.ts";
import { chunksOf } from "./streams.ts";
import { Watch, sleep } from "./watch.ts";

/** Longer than the service takes for anything but a long poll, which adds its own time. */
const DEFAULT_TIMEOUT_MS = 60_000;
/** With the waits of retry.ts: 12 to 24 seconds, in which a service restarts. */
const DEFAULT_MAX_RETRIES = 6;
/** Of a connection that was not made: by the other side, for want of its address, or of a way to it, which one that was made can lose, too. */
const UNSENT_CODES = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"]);
/** A whole error envelope is a few kilobytes; a response of another server is not read to its end. */
const MAX_ERROR_BYTES = 256 * 1024;

export interface SendInput extends CreateOptions {
  path?: Readonly<Record<string, string | number>> | undefined;
  query?: Readonly<Record<string, QueryValue>> | undefined;
  body?: unknown;
  accept?: string;
  /** In place of a JSON body: made again for every attempt. */
  content?:
    | {
        /** Whether it can be made again now. */
        isReplayable(): boolean;
        open(watch: Watch): Promise<NonNullable<RequestInit["body"]>>;
        failure(): Error | undefined;
        /** It is not made again. */
        close(): void;
      }
    | undefined;
}

type Read<T> = (response: Response, watch: Watch) => Promise<T> | T;

export class Transport {
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly maxRetries: number;
  readonly timeoutMs: number;
  readonly #fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly #baseUrl: string;
  readonly #headers: Headers;

  constructor(given: RowmillOptions) {
    const options = completeOptions(given);
    // Headers would refuse such a key with a message that quotes it.
    if (options.apiKey !== undefined && !/^[\x21-\x7e]+$/.test(options.apiKey))
      throw new TypeError("apiKey must be visible ASCII characters");
    this.#baseUrl = checkedBaseUrl(options.baseUrl);
    this.#headers = new Headers(options.headers);
    if (options.apiKey !== undefined) this.#headers.set("authorization", `Bearer ${options.apiKey}`);
    this.#fetch = options.fetch ?? ((url, init) => fetch(url, init));
    this.timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    this.maxRetries = options.maxRetries ?? DEFAULT_MAX_RETRIES;
    this.sleep = options.sleep ?? sleep;
  }

  /** A request with a JSON response, typed by the contract. */
  json<M extends Method, P extends PathOf<M>>(
    method: M,
    path: P,
    input: RequestInput<OperationOf<M, P>>,
  ): Promise<ResponseBodyIn<OperationOf<M, P>>> {
    // The contract says what the response is; the client does not check it again.
    const read = (response: Response, watch: Watch) => readJson(response, watch, input.parseJson);
    return this.send(method, path, input, read) as Promise<ResponseBodyIn<OperationOf<M, P>>>;
  }

  /** Any request; `read` reads a successful response, and closes the watch unless it goes on reading. */
  async send<T>(method: Method, path: string, input: SendInput, read: Read<T>): Promise<T | undefined> {
    try {
      return await this.#send(method, path, input, read);
    } finally {
      input.content?.close();
    }
  }

  async #send<T>(method: Method, path: string, input: SendInput, read: Read<T>): Promise<T | undefined> {
    const url = this.#url(path, input);
    const init = this.#init(method, input);
    const repeatable = (): Repeatable =>
      input.content?.isReplayable() === false ? "no" : method === "PATCH" ? "if_refused" : "yes";
    const maxRetries = input.maxRetries ?? this.maxRetries;
    let mayBeDone = false;
    for (let attempt = 0; ; attempt++) {
      input.signal?.throwIfAborted();
      try {
        return await this.#attempt(url, init, input, read);
      } catch (error) {
        // Deleted by an attempt whose response was lost.
        if (method === "DELETE" && mayBeDone && error instanceof RowmillApiError && error.code === "not_found")
          return undefined;
        if (attempt >= maxRetries || !isWorthRepeating(error, repeatable())) throw error;
        const retryAfter = error instanceof RowmillApiError ? error.headers.get("retry-after") : null;
        const delayMs = retryDelayMs(attempt, parseRetryAfterMs(retryAfter, Date.now()), Math.random());
        if (delayMs === undefined) throw error;
        mayBeDone ||= isAmbiguous(error);
        await this.sleep(delayMs, input.signal);
      }
    }
  }

  async #attempt<T>(url: string, init: RequestInit, input: SendInput, read: Read<T>): Promise<T> {
    const watch = new Watch(input.timeoutMs ?? this.timeoutMs, input.signal);
    try {
      const body = input.content === undefined ? {} : streamed(await input.content.open(watch));
      const response = await this.#fetch(url, { ...init, ...body, signal: watch.signal });
      if (!response.ok) throw await readError(response, url);
      return await read(response, watch);
    } catch (error) {
      const reason = failureOf(error, url, input, watch);
      // A refusal may come while content is still being sent.
      watch.cut();
      throw reason;
    }
  }

  #url(path: string, input: SendInput): string {
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeSegment(name, input.path?.[name]));
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(input.query ?? {})) {
      if (value === undefined) continue;
      if (value instanceof Date) query.set(name, value.toISOString());
      else if (typeof value !== "object" || Array.isArray(value)) query.set(name, String(value));
      else for (const [key, text] of Object.entries(value)) query.set(`${name}[${key}]`, text);
    }
    return `${this.#baseUrl}${filled}${query.size > 0 ? `?${query.toString()}` : ""}`;
  }

  #init(method: Method, input: SendInput): RequestInit {
    const headers = new Headers(this.#headers);
    headers.set("accept", input.accept ?? "application/json");
    for (const [name, value] of Object.entries(input.headers ?? {})) headers.set(name, value);
    if (method === "POST") headers.set("idempotency-key", input.idempotencyKey ?? newIdempotencyKey());
    // A redirect would turn a POST into a GET. A download may be redirected to a store; fetch takes the key off then.
    const init: RequestInit = { method, headers, redirect: method === "GET" ? "follow" : "manual" };
    if (input.body === undefined) return init;
    headers.set("content-type", "application/json");
    return { ...init, body: jsonBody(input.body) };
  }
}

function failureOf(error: unknown, url: string, input: SendInput, watch: Watch): unknown {
  if (watch.signal.aborted) return watch.signal.reason;
  const failure = input.content?.failure();
  if (failure !== undefined) return failure;
  if (error instanceof RowmillApiError) return error;
  const reason = reasonOf(error);
  return new RowmillConnectionError(`no response from ${new URL(url).origin}: ${reason.text}`, {
    cause: error,
    isUnsent: UNSENT_CODES.has(reason.code) && !reason.wasConnected,
  });
}

/** Not randomUUID: a console served over plain HTTP in somebody's network has none. */
function newIdempotencyKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function checkedBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) throw new TypeError("baseUrl must be an http or https URL");
  if (url.username !== "" || url.password !== "") throw new TypeError("baseUrl must not carry credentials");
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
}

/** An empty id, `.` and `..` would name another path. */
function encodeSegment(name: string, value: string | number | undefined): string {
  const text = String(value ?? "");
  if (text === "" || text === "." || text === "..") throw new TypeError(`${name} must be an id`);
  return encodeURIComponent(text);
}

function streamed(body: NonNullable<RequestInit["body"]>): RequestInit {
  if (!(body instanceof ReadableStream)) return { body };
  // Node's fetch copies a request that may be redirected, its body included: all of it, in memory. `duplex` is what fetch
  // demands beside a stream; the types of browsers do not know it yet.
  return { body, duplex: "half", redirect: "error" } as RequestInit;
}

export async function readJson(
  response: Response,
  watch: Watch,
  parseJson: (text: string) => unknown = JSON.parse,
): Promise<unknown> {
  const text = await response.text();
  watch.close();
  if (response.status === 204) return undefined;
  try {
    return parseJson(text);
  } catch {
    throw new RowmillApiError(
      response.status,
      response.headers,
      {},
      "the response is not JSON: does baseUrl name the service?",
    );
  }
}

async function readError(response: Response, url: string): Promise<RowmillApiError> {
  const redirect = describeRedirect(response, url);
  if (redirect !== undefined) {
    await response.body?.cancel();
    return new RowmillApiError(response.status, response.headers, {}, redirect);
  }
  const text = await textUpTo(response, MAX_ERROR_BYTES);
  return new RowmillApiError(response.status, response.headers, errorIn(text));
}

/** Of a request that may have changed something, and of one that arrived elsewhere without its key. */
function describeRedirect(response: Response, url: string): string | undefined {
  const { origin } = new URL(url);
  if (response.type === "opaqueredirect" || (response.status >= 300 && response.status < 400)) {
    // Browsers do not show where it leads.
    const location = response.headers.get("location");
    const target = location !== null && URL.canParse(location, url) ? new URL(location, url).origin : "where it leads";
    return `${origin} responds with a redirect: set baseUrl to ${target}`;
  }
  const arrived = response.redirected ? new URL(response.url).origin : origin;
  if (response.status !== 401 || arrived === origin) return undefined;
  return `${origin} redirects to ${arrived}, which does not get the key of another address: set baseUrl to ${arrived}`;
}

async function textUpTo(response: Response, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  if (response.body === null) return text;
  for await (const chunk of chunksOf(response.body)) {
    text += decoder.decode(chunk, { stream: true });
    bytes += chunk.length;
    if (bytes > maxBytes) break;
  }
  return text;
}

/** The envelope's error; empty when another server than the service responded. */
function errorIn(text: string): Partial<ErrorEnvelope> {
  try {
    const envelope = JSON.parse(text) as { error?: Partial<ErrorEnvelope> } | null;
    return typeof envelope?.error?.code === "string" ? envelope.error : {};
  } catch {
    return {};
  }
}

/** fetch itself only says that it failed; its cause says why. */
function reasonOf(error: unknown): { text: string; code: string; wasConnected: boolean } {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return { text: String(cause), code: "", wasConnected: false };
  const code = "code" in cause ? String(cause.code) : "";
  const text =
    code === "ERR_SSL_WRONG_VERSION_NUMBER"
      ? "it does not speak TLS: an address that begins with http:// may be meant"
      : cause.message || code || cause.name;
  const wasConnected = "syscall" in cause && (cause.syscall === "read" || cause.syscall === "write");
  return { text, code, wasConnected };
}
