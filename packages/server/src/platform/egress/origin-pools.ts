/**
 * Kept sockets by origin. An origin has up to sixteen pools of 64 sockets, filled one after the other: a pool looks through
 * its sockets for every request, so a single one of a thousand would cost five times as much, and a fast server is served best
 * by few. A pool is closed with its last socket; of origins, those used last are kept.
 *
 *     dispatch ──► first pool of the origin that has a free socket, or room for one ──► a further pool ──► all full: round robin
 */
import { Pool } from "undici";
import type { buildConnector, Dispatcher } from "undici";

const SOCKETS_PER_POOL = 64;

/**
 * A thousand sockets an origin; further requests wait for a socket. HTTP/1.1 carries one request a socket, and a run may
 * have a thousand rows in flight, each for the minute that a model takes.
 */
const POOLS_PER_ORIGIN = 16;

/**
 * Origins whose sockets are kept. Job specs can name a host per row, so there may be as many as rows: beyond these, the one
 * that was used least recently, and is idle, is closed. What is in flight at once is limited by who calls.
 */
const MAX_ORIGINS = 256;

/** The age at which a socket is closed after its current response: the check of its address is trusted for this long. */
const MAX_SOCKET_AGE_MS = 60_000;

/** Of a socket whose server does not say how long it keeps it: below the five seconds after which many hang up unasked. */
const IDLE_SOCKET_MS = 4_000;

/** Of one whose server does say: no longer than a socket lives. */
const MAX_IDLE_SOCKET_MS = MAX_SOCKET_AGE_MS;

/** Providers send some twenty headers of limits and tracing; no honest one sends more than this. */
const MAX_RESPONSE_HEADER_BYTES = 32 * 1024;

/** The last line of defence: callers have lower limits, at most 8 MiB. */
const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;

/** The last line of defence, too: callers have timeouts of their own, and no row may take longer than an hour. */
const MAX_SILENCE_MS = 3_600_000;

export interface OriginPools {
  dispatch(origin: string, request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean;
  /** What is in flight ends with this. */
  destroy(reason: Error): Promise<void>;
}

interface Filled {
  pool: Pool;
  /** All of its sockets have a request. */
  isFull: boolean;
}

/** `connectorOf` opens the sockets of an origin. */
export function createOriginPools(
  connectorOf: (origin: string) => buildConnector.connector,
  maxResponseBytes = MAX_RESPONSE_BYTES,
): OriginPools {
  /** The most recently used origin stands last. */
  const origins = new Map<string, Filled[]>();
  let next = 0;

  function poolsOf(origin: string): Filled[] {
    const pools = origins.get(origin) ?? [];
    if (origins.size >= MAX_ORIGINS && pools.length === 0) closeLeastRecentlyUsed(origins);
    origins.delete(origin);
    origins.set(origin, pools);
    return pools;
  }

  function choose(origin: string): Filled {
    const pools = poolsOf(origin);
    const free =
      pools.find(({ isFull }) => !isFull) ?? (pools.length < POOLS_PER_ORIGIN ? addPool(origin, pools) : undefined);
    const chosen = free ?? pools[next++ % pools.length];
    if (chosen === undefined) throw new Error("an origin has no pool");
    return chosen;
  }

  function addPool(origin: string, pools: Filled[]): Filled {
    const pool = openPool(origin, connectorOf(origin), maxResponseBytes);
    const added: Filled = { pool, isFull: false };
    pools.push(added);
    const closeIfUnused = () => {
      if (pool.stats.connected > 0 || pool.stats.size > 0) return;
      const place = pools.indexOf(added);
      if (place !== -1) pools.splice(place, 1);
      if (pools.length === 0 && origins.get(origin) === pools) origins.delete(origin);
      close(pool);
    };
    pool
      .on("drain", () => (added.isFull = false))
      // Reported while the pool still counts the request whose end it was.
      .on("disconnect", () => setImmediate(closeIfUnused))
      .on("connectionError", () => setImmediate(closeIfUnused));
    return added;
  }

  return {
    dispatch(origin, request, handler) {
      const chosen = choose(origin);
      const takesMore = chosen.pool.dispatch(request, handler);
      if (!takesMore) chosen.isFull = true;
      return takesMore;
    },
    async destroy(reason) {
      const pools = [...origins.values()].flat();
      origins.clear();
      await Promise.all(pools.map(({ pool }) => pool.destroy(reason)));
    },
  };
}

function closeLeastRecentlyUsed(origins: Map<string, Filled[]>): void {
  for (const [origin, pools] of origins) {
    if (pools.some(({ pool }) => pool.stats.size > 0)) continue;
    origins.delete(origin);
    for (const { pool } of pools) close(pool);
    return;
  }
}

const openPool = (origin: string, connect: buildConnector.connector, maxResponseSize: number): Pool =>
  new Pool(origin, {
    connect,
    connections: SOCKETS_PER_POOL,
    clientTtl: MAX_SOCKET_AGE_MS,
    keepAliveTimeout: IDLE_SOCKET_MS,
    keepAliveMaxTimeout: MAX_IDLE_SOCKET_MS,
    maxHeaderSize: MAX_RESPONSE_HEADER_BYTES,
    maxResponseSize,
    headersTimeout: MAX_SILENCE_MS,
    bodyTimeout: MAX_SILENCE_MS,
    allowH2: false,
  });

/** Waits for running requests. It fails only if the pool is already closed. */
function close(pool: Pool): void {
  if (!pool.closed && !pool.destroyed) void pool.close().catch(() => {});
}
