/**
 * The way out for connections and job specs: many calls to few hosts, so sockets are kept and used again. Every socket is
 * opened under the same guard as that of a webhook, and lives a minute at most, after which the host is resolved and
 * checked again. Only origins that the operator has allowed are reached without it.
 *
 *     dispatcherFor(url) ── checked ─► a dispatcher of the origin ── dispatch ──► a pool of the origin, made when it is needed
 */
import { Dispatcher } from "undici";
import { checkConnectionUrl } from "./allowed-origins.ts";
import { EgressError } from "./failure.ts";
import { checkedAddresses, createGuardedConnect, createPlainConnect, undiciConnector } from "./guarded-connect.ts";
import type { ConnectOverrides, GuardOptions, HostAndPort } from "./guarded-connect.ts";
import { createOriginPools } from "./origin-pools.ts";
import type { OriginPools } from "./origin-pools.ts";
import { createResolve } from "./resolver.ts";
import type { Resolve } from "./resolver.ts";

/** Origins that were checked lately. Job specs can name as many as there are rows. */
const MAX_REMEMBERED_ORIGINS = 1_000;

/** The last limit for responses that go to a file as they come: those to a batch of a model provider. */
const MAX_LARGE_RESPONSE_BYTES = 4 * 1024 * 1024 * 1024;

type Way = { dispatcher: Dispatcher; message?: undefined } | { dispatcher?: undefined; message: string };

/** Out to the addresses that connections and job specs name: kept-alive sockets, opened under the egress guard. */
export interface ConnectionEgress {
  /**
   * The dispatcher for this URL's origin, good for as long as one likes; it goes to no other origin. Undefined, with a
   * sentence for the customer: it may not be called. What the guard finds out while it connects comes as an `EgressError`
   * from the dispatcher. Redirects are not followed here, and a client that follows one asks again for its dispatcher.
   * `large` is for responses beyond 16 MiB.
   */
  dispatcherFor(url: URL, responses?: "large"): Way;
  /**
   * Why the service at `provider` must not be asked to fetch `url`, as a sentence for the customer. One that the operator has
   * allowed stands inside the network and would fetch from there, so the name is resolved and checked as for a call of ours;
   * others see what everybody sees. A name can lead elsewhere a moment later, which the network of such a service must withstand.
   */
  findObjection(provider: URL, url: URL, signal: AbortSignal): Promise<string | undefined>;
  close(): Promise<void>;
}

/** Without the overrides, which are for what is sent and never shown: through a connection every customer could read the receiver. */
export interface ConnectionEgressOptions extends Omit<GuardOptions, "connectOverrides"> {
  /** As the WHATWG parser writes them: `http://127.0.0.1:11434`. */
  allowedOrigins: ReadonlySet<string>;
}

export function createConnectionEgress(options: ConnectionEgressOptions): ConnectionEgress {
  const closing = new AbortController();
  const connectPlainly = createPlainConnect(options);
  const resolve = shareLookups(options.resolve ?? createResolve(), closing.signal);
  const connect = createGuardedConnect({ ...options, connectOverrides: targetsOf(options.allowedOrigins), resolve });

  const connectorOf = (origin: string) =>
    undiciConnector(connect, closing.signal, options.allowedOrigins.has(origin) ? connectPlainly : undefined);
  const pools = createOriginPools(connectorOf);
  const largePools = createOriginPools(connectorOf, MAX_LARGE_RESPONSE_BYTES);

  const dispatcherOf = (origin: string, to: OriginPools): Dispatcher =>
    new OriginDispatcher(origin, (request, handler) => {
      closing.signal.throwIfAborted();
      return to.dispatch(origin, request, handler);
    });

  /** Which origins may be called does not change, and is asked for every row. */
  const ways = new Map<string, Way>();
  function wayTo({ origin, username, password }: URL): Way {
    if (username !== "" || password !== "") return { message: "The URL must not contain a user name or password." };
    const known = ways.get(origin);
    if (known !== undefined) return known;
    const checked = checkConnectionUrl(`${origin}/`, options.allowedOrigins);
    const way = checked.accepted ? { dispatcher: dispatcherOf(origin, pools) } : { message: checked.message };
    if (ways.size >= MAX_REMEMBERED_ORIGINS) ways.clear();
    ways.set(origin, way);
    return way;
  }
  const objectionTo = (url: URL): string | undefined => wayTo(url).message;

  return {
    dispatcherFor(url, responses) {
      const way = wayTo(url);
      return way.dispatcher === undefined || responses !== "large"
        ? way
        : { dispatcher: dispatcherOf(url.origin, largePools) };
    },
    async findObjection(provider, url, signal) {
      if (!options.allowedOrigins.has(provider.origin) || options.allowedOrigins.has(url.origin))
        return objectionTo(url);
      const objection = objectionTo(url);
      if (objection !== undefined) return objection;
      try {
        await checkedAddresses(url.hostname.replace(/^\[|\]$/g, ""), resolve, signal);
        return undefined;
      } catch (error) {
        if (error instanceof EgressError) return error.message;
        throw error;
      }
    },
    async close() {
      const error = new EgressError("canceled", "The service is stopping.");
      closing.abort(error);
      await Promise.all([pools.destroy(error), largePools.destroy(error)]);
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
    const { origin = this.#origin } = request;
    if (origin !== this.#origin && new URL(origin).origin !== this.#origin)
      throw new EgressError("blocked_address", "The response is a redirect to another origin, which is not followed.");
    return this.#dispatch({ ...request, origin: this.#origin }, handler);
  }
}

/** Where connections to allowed origins that speak TLS go: where they say. */
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
 * A pool opens hundreds of sockets at once. Those that begin while the name is being looked up share that result, where each
 * on its own would be a burst of queries that name servers drop. Nothing is kept after the result.
 */
function shareLookups(resolve: Resolve, closing: AbortSignal): Resolve {
  const underWay = new Map<string, Promise<string[]>>();
  return (name, signal) => {
    let response = underWay.get(name);
    if (response === undefined) {
      // Not ended by the signal of the one that asked first; it ends by itself within seconds.
      response = resolve(name, closing).finally(() => underWay.delete(name));
      underWay.set(name, response);
    }
    return untilAborted(response, signal);
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
