/**
 * The way out for connections and job specs: many calls to few hosts, so sockets are kept and used again. Every socket is
 * opened under the same guard as that of a webhook, and lives a minute at most, after which the host is resolved and
 * checked anew. Only origins that the operator has admitted are reached without it.
 *
 *     dispatcherFor(url) ── judged ──► a dispatcher of the origin ── dispatch ──► its pool, made when it is needed
 *                                                                                  │ last socket closed, or too many pools
 *                                                                                  ▼
 *                                                                                closed
 */
import { Dispatcher, Pool } from "undici";
import { judgeConnectionUrl } from "./allowed-origins.ts";
import { EgressError } from "./failure.ts";
import { createGuardedConnect, createPlainConnect, undiciConnector } from "./guarded-connect.ts";
import type { ConnectOverrides, GuardOptions, HostAndPort } from "./guarded-connect.ts";
import { createResolve } from "./resolver.ts";
import type { Resolve } from "./resolver.ts";

/**
 * Of one origin; further requests wait for their turn. HTTP/1.1 carries one request a socket, and a run may have a thousand
 * rows in flight, each for the minute that a model takes.
 */
const MAX_SOCKETS_PER_ORIGIN = 1_024;

/**
 * Origins whose sockets are kept. Job specs can name a host per row, so there may be as many as rows: beyond these, the
 * pool that was used least recently, and is idle, is closed. What is in flight at once is limited by who calls.
 */
const MAX_POOLS = 256;

/** The age at which a socket is closed after the answer in hand: for so long may the check of its address be trusted. */
const MAX_SOCKET_AGE_MS = 60_000;

/** Of a socket whose server does not say how long it keeps it: below the five seconds after which many hang up unasked. */
const IDLE_SOCKET_MS = 4_000;

/** Of one whose server does say: no longer than a socket lives. */
const MAX_IDLE_SOCKET_MS = MAX_SOCKET_AGE_MS;

/** Providers send some twenty headers of limits and tracing; no honest one sends more than this. */
const MAX_RESPONSE_HEADER_BYTES = 32 * 1024;

/** The last line: who calls has a lower limit, the largest of which is 8 MiB. */
const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;

/** The last line, too: who calls has a clock of its own, and no row may take longer than an hour. */
const MAX_SILENCE_MS = 3_600_000;

/** Out to the addresses that connections and job specs name: kept-alive sockets, opened under the egress guard. */
export interface ConnectionEgress {
  /**
   * The dispatcher for this URL's origin, good for as long as one likes; it goes to no other origin. Undefined, with a
   * sentence for the customer: it may not be called. What the guard finds out while it connects comes as an `EgressError`
   * from the dispatcher. Redirects are not followed here, and a client that follows one asks again for its dispatcher.
   */
  dispatcherFor(url: URL): { dispatcher: Dispatcher } | { dispatcher?: undefined; message: string };
  close(): Promise<void>;
}

export interface ConnectionEgressOptions extends GuardOptions {
  /** As the WHATWG parser writes them: `http://127.0.0.1:11434`. */
  allowedOrigins: ReadonlySet<string>;
}

export function createConnectionEgress(options: ConnectionEgressOptions): ConnectionEgress {
  const closing = new AbortController();
  const pools = new Map<string, Pool>();
  const connectPlainly = createPlainConnect(options);
  const connect = createGuardedConnect({
    ...options,
    connectOverrides: new Map([...targetsOf(options.allowedOrigins), ...options.connectOverrides]),
    resolve: shareAnswers(options.resolve ?? createResolve(), closing.signal),
  });

  /** The most recently used stands last. */
  function poolOf(origin: string): Pool {
    const known = pools.get(origin);
    if (known !== undefined) {
      pools.delete(origin);
      pools.set(origin, known);
      return known;
    }
    if (pools.size >= MAX_POOLS) closeLeastRecentlyUsed();
    const pool = new Pool(origin, {
      connect: undiciConnector(
        connect,
        closing.signal,
        options.allowedOrigins.has(origin) ? connectPlainly : undefined,
      ),
      connections: MAX_SOCKETS_PER_ORIGIN,
      clientTtl: MAX_SOCKET_AGE_MS,
      keepAliveTimeout: IDLE_SOCKET_MS,
      keepAliveMaxTimeout: MAX_IDLE_SOCKET_MS,
      maxHeaderSize: MAX_RESPONSE_HEADER_BYTES,
      maxResponseSize: MAX_RESPONSE_BYTES,
      headersTimeout: MAX_SILENCE_MS,
      bodyTimeout: MAX_SILENCE_MS,
      allowH2: false,
    });
    const closeIfIdle = () => {
      if (pool.stats.connected === 0 && pool.stats.size === 0) forget(origin, pool);
    };
    // Told while the pool still counts the request whose end it was.
    pool.on("disconnect", () => setImmediate(closeIfIdle)).on("connectionError", () => setImmediate(closeIfIdle));
    pools.set(origin, pool);
    return pool;
  }

  function closeLeastRecentlyUsed(): void {
    for (const [origin, pool] of pools) if (pool.stats.size === 0) return forget(origin, pool);
  }

  function forget(origin: string, pool: Pool): void {
    if (pools.get(origin) === pool) pools.delete(origin);
    // Closing waits for what is in hand; it fails only when the pool is gone already.
    if (!pool.closed && !pool.destroyed) void pool.close().catch(() => {});
  }

  /** Which origins may be called does not change, and is asked for every row. */
  const judgements = new Map<string, string | undefined>();
  function judge({ origin, username, password }: URL): string | undefined {
    if (username !== "" || password !== "") return "The URL must not contain a user name or password.";
    if (judgements.has(origin)) return judgements.get(origin);
    const judgement = judgeConnectionUrl(`${origin}/`, options.allowedOrigins);
    const message = judgement.accepted ? undefined : judgement.message;
    if (judgements.size >= MAX_POOLS) judgements.clear();
    judgements.set(origin, message);
    return message;
  }

  return {
    dispatcherFor(url) {
      const message = judge(url);
      if (message !== undefined) return { message };
      return {
        dispatcher: new OriginDispatcher(url.origin, (request, handler) => {
          closing.signal.throwIfAborted();
          return poolOf(url.origin).dispatch(request, handler);
        }),
      };
    },
    async close() {
      closing.abort(new EgressError("canceled", "The service is stopping."));
      const open = [...pools.values()];
      pools.clear();
      await Promise.all(open.map((pool) => pool.destroy(new EgressError("canceled", "The service is stopping."))));
    },
  };
}

/** Holds nothing, so that it does not matter how many there are. */
class OriginDispatcher extends Dispatcher {
  readonly #origin: string;
  readonly #dispatch: Dispatcher["dispatch"];

  constructor(origin: string, dispatch: Dispatcher["dispatch"]) {
    super();
    this.#origin = origin;
    this.#dispatch = dispatch;
  }

  override dispatch(request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    // A client that follows redirects would come here with another origin, for which nobody has asked.
    if (request.origin !== undefined && new URL(request.origin).origin !== this.#origin)
      throw new EgressError("blocked_address", "The answer is a redirect to another origin, which is not followed.");
    return this.#dispatch({ ...request, origin: this.#origin }, handler);
  }
}

/** Where connections to admitted origins that speak TLS go: where they say. */
function targetsOf(origins: ReadonlySet<string>): ConnectOverrides {
  const targets = new Map<string, HostAndPort>();
  for (const origin of origins) {
    const { protocol, hostname, port } = new URL(origin);
    if (protocol !== "https:") continue;
    const target = { host: hostname.replace(/^\[|\]$/g, ""), port: Number(port || 443) };
    targets.set(`${hostname}:${target.port}`, target);
  }
  return targets;
}

/**
 * A pool opens hundreds of sockets at once. Those that begin while the name is being looked up take that answer, where each
 * on its own would be a burst of questions that name servers throw away. Nothing is kept once it is answered.
 */
function shareAnswers(resolve: Resolve, closing: AbortSignal): Resolve {
  const underWay = new Map<string, Promise<string[]>>();
  return (name, signal) => {
    let answer = underWay.get(name);
    if (answer === undefined) {
      // Not ended by the signal of the one that asked first; it ends by itself within seconds.
      answer = resolve(name, closing).finally(() => underWay.delete(name));
      underWay.set(name, answer);
    }
    return untilAborted(answer, signal);
  };
}

function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const aborted = () => reject(signal.reason as Error); // of the connect timeout, or of the end of the process
    if (signal.aborted) aborted();
    signal.addEventListener("abort", aborted, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", aborted));
  });
}
