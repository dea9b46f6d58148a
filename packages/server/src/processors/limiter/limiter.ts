/**
 * One limiter per (connection, model), shared by all worker processes through the database: requests and tokens per
 * minute, as configured and as learned from the provider's responses. The rules are a function of the database (`take-slots.ts`); how callers
 * of one process wait is in `waiting-line.ts`.
 */
import { serviceStopping } from "../../platform/http/errors.ts";
import { isUnavailable, pgCode } from "../../platform/database/database.ts";
import type { Database } from "../../platform/database/database.ts";
import { parseId } from "../../platform/ids.ts";
import type { Log } from "../../platform/log.ts";
import { createSemaphore } from "../../platform/semaphore.ts";
import type { Connections } from "../connection-parts.ts";
import { countedTokens } from "./feedback.ts";
import type { Limiter, PermitRequest } from "./permits.ts";
import { takeSlots } from "./take-slots.ts";
import type { LimiterKey, Limits, Slots } from "./take-slots.ts";
import { WaitingLine } from "./waiting-line.ts";
import type { Call, OpenRequest, Time, Waiter } from "./waiting-line.ts";

/** Of the database's connections. A request takes a millisecond or two, and covers all callers that wait for a connection and model. */
const REQUESTS_AT_ONCE = 2;
/** A changed limit of a connection applies to waiting callers after this. */
const LIMITS_AGE_MS = 1_000;

/** Of runs that say nothing else. */
const USUAL_PRIORITY = 3;

export interface LimiterParts {
  database: Pick<Database, "pool">;
  log: Log;
  /** Where limits are looked up again while calls wait; otherwise the latest call carries them. */
  connections?: Pick<Connections, "find">;
  /** For tests. */
  time?: Time & { databaseNow(): number };
}

/** What one process knows of a connection and model. */
interface Entry {
  key: LimiterKey;
  limits: Limits;
  limitsReadAt: number;
  line: WaitingLine;
}

export function createLimiter({ database, log, connections, time }: LimiterParts): Limiter {
  const { now, after } = time ?? processTime;
  const entries = new Map<string, Entry>();
  const withSlot = createSemaphore(REQUESTS_AT_ONCE);
  let isFailing = false;
  let isClosed = false;

  function entryOf(connection: PermitRequest["connection"], model: string): Entry {
    const name = JSON.stringify([connection.organizationId, connection.id, model]);
    let entry = entries.get(name);
    if (entry === undefined) {
      const connectionId = parseId("connection", connection.id);
      if (connectionId === undefined) throw new Error(`not the id of a connection: ${connection.id}`);
      const made: Entry = {
        key: { organizationId: connection.organizationId, connectionId, model },
        limits: connection.rateLimit,
        // A call that ends now may have started with old limits.
        limitsReadAt: Number.NEGATIVE_INFINITY,
        line: new WaitingLine({
          time: { now, after },
          requestSlots: (request) => withSlot(() => requestSlots(made, connection.id, request)),
          isPassing,
          onIdle: () => {
            if (entries.get(name) === made) entries.delete(name);
          },
        }),
      };
      entry = made;
      entries.set(name, entry);
    }
    return entry;
  }

  async function requestSlots(entry: Entry, connectionId: string, request: OpenRequest): Promise<Slots> {
    try {
      if (connections !== undefined && now() - entry.limitsReadAt >= LIMITS_AGE_MS) {
        entry.limitsReadAt = now();
        // Callers of a deleted connection find out when they use it.
        entry.limits = (await connections.find(entry.key.organizationId, connectionId))?.rateLimit ?? entry.limits;
      }
      const slots = await takeSlots(
        database.pool,
        { ...entry.key, limits: entry.limits, ...request },
        time?.databaseNow(),
      );
      isFailing = false;
      return slots;
    } catch (error) {
      // Once, however many wait.
      if (!isPassing(error)) log.error({ err: error }, "the limiter of a connection failed");
      else if (!isFailing) {
        isFailing = true;
        log.warn({ err: error }, "the database does not respond: calls wait for their slots until it does");
      }
      throw error;
    }
  }

  return {
    async acquire({ connection, model, tokens, priority = USUAL_PRIORITY }, signal) {
      signal.throwIfAborted();
      if (isClosed) throw closedError();
      const entry = entryOf(connection, model);
      if (connections === undefined) entry.limits = connection.rateLimit;
      const { line } = entry;
      const call = await new Promise<Call | undefined>((resolve, reject) => {
        const waiter: Waiter = {
          tokens: countedTokens(tokens),
          priority,
          admit: (admitted) => {
            signal.removeEventListener("abort", leave);
            resolve(admitted);
          },
          refuse: (error) => {
            signal.removeEventListener("abort", leave);
            reject(error);
          },
        };
        const leave = (): void => {
          line.leave(waiter);
          resolve(undefined);
        };
        signal.addEventListener("abort", leave, { once: true });
        line.join(waiter);
      });
      if (call === undefined) throw signal.reason;
      let isSettled = false;
      return {
        settle(end) {
          if (isSettled || isClosed) return;
          isSettled = true;
          entryOf(connection, model).line.settle(call, end);
        },
      };
    },
    async close() {
      isClosed = true;
      const lines = [...entries.values()].map(({ line }) => line);
      entries.clear();
      // Feedback that cannot be sent any more was logged.
      await Promise.allSettled(lines.map((line) => line.close(closedError())));
    },
  };
}

const processTime: Time = {
  now: () => performance.now(),
  after(ms, call) {
    const timer = setTimeout(call, Math.ceil(ms));
    return () => clearTimeout(timer);
  },
};

const closedError = (): Error => serviceStopping("no further calls begin");

/** Beside an unavailable database: statements that lost a conflict or timed out. */
function isPassing(error: unknown): boolean {
  if (isUnavailable(error) || /^(40|55|57014)/.test(pgCode(error) ?? "")) return true;
  return error instanceof Error && error.message === "Query read timeout";
}
