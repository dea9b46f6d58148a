/**
 * A client as the documentation asks for one: it repeats a request that got no response, or one that asks for it, under the same
 * `Idempotency-Key`, until the service has acknowledged it. What it returns is therefore an acknowledged fact.
 */
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { StuckError } from "./findings.ts";

/** A request that a stopped process has taken gets no response: the client asks again after this time. */
const ATTEMPT_TIMEOUT_MS = 12_000;
const REPEAT_PAUSE_MS = 100;

/** What a client repeats: overload, outages, and a first request that is still under way. */
const REPEATED = new Set([429, 502, 503, 504]);

export interface Sent {
  body?: unknown;
  /** Instead of a body: the bytes of an upload, made again for each attempt. */
  content?: () => AsyncIterable<Uint8Array>;
  accept?: string;
}

export interface Received {
  status: number;
  text: string;
  bytes: Uint8Array;
}

export interface Client {
  readonly url: string;
  /** Repeated until there is a response that is final; throws where that is not a success, or none came in time. */
  request<T>(method: string, path: string, sent?: Sent): Promise<T>;
  download(path: string): Promise<Uint8Array>;
  /** One attempt; undefined without a response, or with one that asks for a repetition. */
  attempt(method: string, path: string, sent?: Sent, idempotencyKey?: string): Promise<Received | undefined>;
  /** Responses 500: the service may never give one. */
  internalErrors(): readonly string[];
}

export function createClient(url: string, key: string, boundMs: number): Client {
  const internalErrors: string[] = [];

  async function attempt(
    method: string,
    path: string,
    { body, content, accept }: Sent = {},
    idempotencyKey?: string,
  ): Promise<Received | undefined> {
    const headers: Record<string, string> = { Authorization: `Bearer ${key}`, Accept: accept ?? "application/json" };
    if (body !== undefined) headers["Content-Type"] = "application/json";
    if (content !== undefined) headers["Content-Type"] = "application/octet-stream";
    if (idempotencyKey !== undefined) headers["Idempotency-Key"] = idempotencyKey;
    let received: Received;
    try {
      const response = await fetch(url + path, {
        method,
        headers,
        signal: AbortSignal.timeout(ATTEMPT_TIMEOUT_MS),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(content === undefined ? {} : { body: ReadableStream.from(content()), duplex: "half" as const }),
      });
      const bytes = new Uint8Array(await response.arrayBuffer());
      received = { status: response.status, bytes, text: new TextDecoder().decode(bytes) };
    } catch {
      // The process died, or the connection did: nothing is acknowledged.
      return undefined;
    }
    if (received.status === 500) internalErrors.push(`${method} ${path}: ${received.text}`);
    const isInProgress = received.status === 409 && received.text.includes("idempotency_in_progress");
    return REPEATED.has(received.status) || received.status === 500 || isInProgress ? undefined : received;
  }

  async function final(method: string, path: string, sent?: Sent): Promise<Received> {
    const idempotencyKey = method === "POST" ? randomUUID() : undefined;
    const deadline = Date.now() + boundMs;
    for (;;) {
      const received = await attempt(method, path, sent, idempotencyKey);
      if (received !== undefined) {
        if (received.status >= 200 && received.status < 300) return received;
        throw new Error(`${method} ${path} was refused: ${received.status} ${received.text}`);
      }
      if (Date.now() > deadline) throw new StuckError(`${method} ${path} got no response within ${boundMs} ms`);
      await pause(REPEAT_PAUSE_MS);
    }
  }

  return {
    url,
    attempt,
    async request<T>(method: string, path: string, sent?: Sent): Promise<T> {
      const { text } = await final(method, path, sent);
      return (text === "" ? undefined : JSON.parse(text)) as T; // the contract's shape
    },
    download: async (path) => (await final("GET", path, { accept: "*/*" })).bytes,
    internalErrors: () => internalErrors,
  };
}

/** All items of a list. */
export async function readList<T>(client: Client, path: string): Promise<T[]> {
  const items: T[] = [];
  let cursor: string | null = null;
  do {
    const query: string = `limit=1000${cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`}`;
    const page: { data: T[]; nextCursor: string | null } = await client.request(
      "GET",
      `${path}${path.includes("?") ? "&" : "?"}${query}`,
    );
    items.push(...page.data);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return items;
}
