/** Notifications of PostgreSQL, on one connection of the pool that is reserved for it. */
import type { PoolClient } from "pg";
import { createFailureLog } from "../log-failures.ts";
import type { Log } from "../log.ts";
import type { Database } from "./database.ts";

/** Listeners also have a timer, so a lost connection may be restored after a pause. */
export const RECONNECT_PAUSE_MS = 1_000;

/** A connection whose other end is gone without a word is noticed by a statement that gets no response. */
const HEARTBEAT: Heartbeat = { pauseMs: 10_000, timeoutMs: 5_000 };

export interface Heartbeat {
  /** Between two statements. */
  pauseMs: number;
  /** After this long without a response the connection is lost. */
  timeoutMs: number;
}

export interface Listener {
  stop(): void;
}

/** While the database is away, each second would have one: that is logged once a minute. */
export function warnOfLoss(log: Log): (error: unknown) => void {
  const warn = createFailureLog(log, "warn");
  return (error) => warn(error, "lost the connection for notifications");
}

/**
 * Calls a channel's function for each notification, with what it says, and all of them once, with nothing, after every (re)connection, since
 * what was sent before is lost. The functions only wake somebody: they must not throw or take long.
 */
export function listen(
  database: Pick<Database, "pool">,
  channels: Readonly<Record<string, (payload?: string) => void>>,
  onLost: (error: unknown) => void,
  heartbeat = HEARTBEAT,
): Listener {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  /** Closes the reserved connection. It is never returned to the pool: another user of it would get the notifications. */
  let close: ((error: Error) => void) | undefined;

  function retryLater(error: unknown): void {
    if (isStopped) return;
    onLost(error);
    timer = setTimeout(() => void connect(), RECONNECT_PAUSE_MS);
  }

  async function connect(): Promise<void> {
    let client: PoolClient;
    try {
      client = await database.pool.connect();
    } catch (error) {
      return retryLater(error);
    }
    let isClosed = false;
    let stopChecks: (() => void) | undefined;
    const closeThis = (error: Error): void => {
      if (isClosed) return;
      isClosed = true;
      stopChecks?.();
      client.release(error);
      retryLater(error);
    };
    close = closeThis;
    client.on("error", closeThis);
    client.on("notification", ({ channel, payload }) => channels[channel]?.(payload));
    if (isStopped) return close(new Error("stopped"));
    try {
      for (const channel of Object.keys(channels)) await client.query(`listen ${client.escapeIdentifier(channel)}`);
    } catch (error) {
      return close(error instanceof Error ? error : new Error(String(error)));
    }
    // It may have broken with the last response.
    if (!isClosed) stopChecks = checkFromTimeToTime(client, heartbeat, closeThis);
    for (const wake of Object.values(channels)) wake();
  }

  void connect();
  return {
    stop() {
      isStopped = true;
      clearTimeout(timer);
      close?.(new Error("stopped"));
    },
  };
}

/** Returns what ends it. */
function checkFromTimeToTime(client: PoolClient, heartbeat: Heartbeat, onDead: (error: Error) => void): () => void {
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  const checkLater = (): void => {
    if (isStopped) return;
    timer = setTimeout(() => {
      timer = setTimeout(() => onDead(noResponse()), heartbeat.timeoutMs);
      client.query("select").then(() => {
        clearTimeout(timer);
        checkLater();
      }, onDead);
    }, heartbeat.pauseMs);
  };
  checkLater();
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}

/** With the code of a socket whose other end is silent: it is an outage (`isUnavailable`). */
const noResponse = (): Error => Object.assign(new Error("the connection does not respond"), { code: "ETIMEDOUT" });
