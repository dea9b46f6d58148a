/**
 * What streams and waiting requests learn of their runs. All of an organization share one look at the database: one statement
 * for its runs, one for the counts of those that are streamed, and one for the new events of a run, however many follow it.
 * So each organization costs the same, whether it has one stream open or hundreds.
 */
import type { Selectable } from "kysely";
import type { Queryable } from "../../platform/database/database.ts";
import type { EventsTable } from "../../platform/database/event-tables.ts";
import type { Run } from "@rowmill/contract/runs";
import { readRunEvents } from "./run-events.ts";
import { showRuns } from "./runs.ts";
import type { RunRecord } from "./runs.ts";

/** Most short runs end soon: while somebody has just begun to follow one, looks come quickly. */
const QUICK_LOOK_MS = 50;
const QUICK_FOR_MS = 1_000;
/** A person watches: half a second is at once. */
const LOOK_EVERY_MS = 500;
const COUNT_EVERY_MS = 1_000;

export interface RunFollower {
  /** The run at the next look; undefined when it was deleted. Rejects when the database could not be asked, or `signal` aborts. */
  next(signal: AbortSignal): Promise<RunRecord | undefined>;
  /** Of the log, after this sequence. */
  eventsAfter(sequence: number, limit: number): Promise<Selectable<EventsTable>[]>;
  /** As it was within the last second. */
  shown(run: RunRecord): Promise<Run>;
  close(): void;
}

export interface RunFeeds {
  follow(db: Queryable, organizationId: string, runId: string): RunFollower;
}

export function createRunFeeds(): RunFeeds {
  const feeds = new Map<string, OrganizationFeed>();
  return {
    follow(db, organizationId, runId) {
      let feed = feeds.get(organizationId);
      if (feed === undefined) {
        feed = new OrganizationFeed(db, organizationId, () => feeds.delete(organizationId));
        feeds.set(organizationId, feed);
      }
      return feed.follow(runId);
    },
  };
}

type Waiter = PromiseWithResolvers<RunRecord | undefined>;

class OrganizationFeed {
  readonly #db: Queryable;
  readonly #organizationId: string;
  readonly #forget: () => void;
  /** Followers by run. */
  readonly #followers = new Map<string, number>();
  readonly #waiting = new Map<string, Set<Waiter>>();
  /** Statements under way or done since the last look, shared by all who want the same. */
  #events = new Map<string, Promise<Selectable<EventsTable>[]>>();
  #counted: { at: number; runs: Map<string, Promise<Run>> } = { at: 0, runs: new Map() };
  #records = new Map<string, RunRecord>();
  #quickUntil = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(db: Queryable, organizationId: string, forget: () => void) {
    this.#db = db;
    this.#organizationId = organizationId;
    this.#forget = forget;
  }

  follow(runId: string): RunFollower {
    this.#followers.set(runId, (this.#followers.get(runId) ?? 0) + 1);
    this.#quickUntil = Date.now() + QUICK_FOR_MS;
    let isOpen = true;
    return {
      next: (signal) => this.#next(runId, signal),
      eventsAfter: (sequence, limit) => this.#eventsAfter(runId, sequence, limit),
      shown: (run) => this.#shown(run),
      close: () => {
        if (isOpen) this.#leave(runId);
        isOpen = false;
      },
    };
  }

  #leave(runId: string): void {
    const left = (this.#followers.get(runId) ?? 1) - 1;
    if (left > 0) return void this.#followers.set(runId, left);
    this.#followers.delete(runId);
    this.#records.delete(runId);
    if (this.#followers.size > 0) return;
    clearTimeout(this.#timer);
    this.#forget();
  }

  async #next(runId: string, signal: AbortSignal): Promise<RunRecord | undefined> {
    signal.throwIfAborted();
    const waiter: Waiter = Promise.withResolvers();
    const waiting = this.#waiting.get(runId) ?? new Set();
    this.#waiting.set(runId, waiting.add(waiter));
    this.#lookLater();
    const onAbort = (): void => waiter.reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      return await waiter.promise;
    } finally {
      signal.removeEventListener("abort", onAbort);
      waiting.delete(waiter);
      if (waiting.size === 0 && this.#waiting.get(runId) === waiting) this.#waiting.delete(runId);
    }
  }

  #lookLater(): void {
    const pauseMs = Date.now() < this.#quickUntil ? QUICK_LOOK_MS : LOOK_EVERY_MS;
    this.#timer ??= setTimeout(() => void this.#look(), pauseMs);
  }

  async #look(): Promise<void> {
    const waiting = [...this.#waiting].flatMap(([runId, waiters]) => [...waiters].map((waiter) => ({ runId, waiter })));
    this.#waiting.clear();
    try {
      const ids = [...new Set(waiting.map(({ runId }) => runId))];
      const runs = await this.#db
        .selectFrom("runs")
        .selectAll()
        .where("organizationId", "=", this.#organizationId)
        .where("id", "in", ids)
        .where("deletedAt", "is", null)
        .execute();
      this.#events = new Map();
      for (const run of runs) this.#records.set(run.id, run);
      const byId = new Map(runs.map((run) => [run.id, run]));
      for (const { runId, waiter } of waiting) waiter.resolve(byId.get(runId));
    } catch (error) {
      for (const { waiter } of waiting) waiter.reject(error);
    }
    this.#timer = undefined;
    if (this.#waiting.size > 0) this.#lookLater();
  }

  #eventsAfter(runId: string, sequence: number, limit: number): Promise<Selectable<EventsTable>[]> {
    const name = `${runId} ${sequence} ${limit}`;
    const known = this.#events.get(name) ?? readRunEvents(this.#db, runId, { after: sequence, limit });
    this.#events.set(name, known);
    return known;
  }

  /** Counts all runs that are followed, once a second at most. */
  async #shown(run: RunRecord): Promise<Run> {
    const now = Date.now();
    if (now - this.#counted.at >= COUNT_EVERY_MS) {
      const records = [...this.#records.values()];
      const all = showRuns(this.#db, records);
      // Callers that wait for one of them get the error.
      all.catch(() => undefined);
      const runs = new Map(records.map(({ id }, i) => [id, all.then((shown) => shown[i] as Run)])); // one for each record
      for (const shown of runs.values()) shown.catch(() => undefined);
      this.#counted = { at: now, runs };
    }
    const known = this.#counted.runs.get(run.id);
    if (known !== undefined) return known;
    const [shown] = await showRuns(this.#db, [run]);
    if (shown === undefined) throw new Error("a run was not shown");
    return shown;
  }
}
