/**
 * One limiter per (connection, model), shared by all worker processes through the database: requests and tokens per
 * minute, as configured and as learned from the provider's responses. The rules are a function of the database (`take-slots.ts`); how
 * callers of one process wait is in `waiting-line.ts`.
 */
import { serviceStopping } from "../../platform/http/errors.ts";
import { isUnavailable, pgCode } from "../../platform/database/database.ts";
import type { Database } from "../../platform/database/database.ts";
import { parseId } from "../../platform/ids.ts";
import type { Log } from "../../platform/log.ts";
import { createSemaphore } from "../../platform/semaphore.ts";
import { countedTokens } from "./feedback.ts";
import type { LimitedConnections, Limiter, Permit, PermitRequest } from "./permits.ts";
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
  connections?: LimitedConnections;
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

export const createLimiter = (parts: LimiterParts): Limiter => new LimiterOfProcess(parts);

class LimiterOfProcess implements Limiter {
  readonly #parts: LimiterParts;
  readonly #time: Time;
  readonly #entries = new Map<string, Entry>();
  readonly #withSlot = createSemaphore(REQUESTS_AT_ONCE);
  #isFailing = false;
  #isClosed = false;

  constructor(parts: LimiterParts) {
    this.#parts = parts;
    this.#time = parts.time ?? processTime;
  }

  async acquire(request: PermitRequest, signal: AbortSignal): Promise<Permit> {
    const { connection, model, tokens, priority = USUAL_PRIORITY } = request;
    signal.throwIfAborted();
    if (this.#isClosed) throw closedError();
    const entry = this.#entryOf(connection, model);
    if (this.#parts.connections === undefined) entry.limits = connection.rateLimit;
    const asked = { tokens: countedTokens(tokens), priority, notePause: request.notePause };
    const call = await waitForSlot(entry.line, asked, signal);
    if (call === undefined) throw signal.reason;
    let isSettled = false;
    return {
      settle: (end) => {
        if (isSettled || this.#isClosed) return;
        isSettled = true;
        this.#entryOf(connection, model).line.settle(call, end);
      },
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const lines = [...this.#entries.values()].map(({ line }) => line);
    this.#entries.clear();
    // Feedback that cannot be sent any more was logged.
    await Promise.allSettled(lines.map((line) => line.close(closedError())));
  }

  #entryOf(connection: PermitRequest["connection"], model: string): Entry {
    // Ids have no spaces.
    const name = `${connection.organizationId} ${connection.id} ${model}`;
    const known = this.#entries.get(name);
    if (known !== undefined) return known;
    const connectionId = parseId("connection", connection.id);
    if (connectionId === undefined) throw new Error(`not the id of a connection: ${connection.id}`);
    const entry: Entry = {
      key: { organizationId: connection.organizationId, connectionId, model },
      limits: connection.rateLimit,
      // A call that ends now may have started with old limits.
      limitsReadAt: Number.NEGATIVE_INFINITY,
      line: new WaitingLine({
        time: this.#time,
        requestSlots: (request) => this.#withSlot(() => this.#requestSlots(entry, connection.id, request)),
        isPassing,
        onIdle: () => {
          if (this.#entries.get(name) === entry) this.#entries.delete(name);
        },
      }),
    };
    this.#entries.set(name, entry);
    return entry;
  }

  async #requestSlots(entry: Entry, connectionId: string, request: OpenRequest): Promise<Slots> {
    const { database, time } = this.#parts;
    try {
      await this.#refreshLimits(entry, connectionId);
      const asked = { ...entry.key, limits: entry.limits, ...request };
      const slots = await takeSlots(database.pool, asked, time?.databaseNow());
      this.#isFailing = false;
      return slots;
    } catch (error) {
      this.#logFailure(error);
      throw error;
    }
  }

  async #refreshLimits(entry: Entry, connectionId: string): Promise<void> {
    const { connections } = this.#parts;
    const now = this.#time.now();
    if (connections === undefined || now - entry.limitsReadAt < LIMITS_AGE_MS) return;
    entry.limitsReadAt = now;
    // Callers of a deleted connection find out when they use it.
    entry.limits = (await connections.find(entry.key.organizationId, connectionId))?.rateLimit ?? entry.limits;
  }

  /** An outage is logged once, however many calls wait. */
  #logFailure(error: unknown): void {
    const { log } = this.#parts;
    if (!isPassing(error)) {
      log.error({ err: error }, "the limiter of a connection failed");
      return;
    }
    if (this.#isFailing) return;
    this.#isFailing = true;
    log.warn({ err: error }, "the database does not respond: calls wait for their slots until it does");
  }
}

/** Undefined when `signal` is aborted first. */
function waitForSlot(
  line: WaitingLine,
  asked: Pick<Waiter, "tokens" | "priority" | "notePause">,
  signal: AbortSignal,
): Promise<Call | undefined> {
  return new Promise((resolve, reject) => {
    const waiter: Waiter = {
      ...asked,
      admit: (call) => {
        signal.removeEventListener("abort", leave);
        resolve(call);
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
