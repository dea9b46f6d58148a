/**
 * Records that requests wait for. All who follow records of one reader share each look at the database: one statement for
 * all records that somebody waits for. Looks come at intervals that grow with the time since somebody began to follow the newest
 * of these records.
 */
import type { FirstFollows } from "./first-follows.ts";

/** Short work ends soon after somebody begins to wait for it. A look takes a fraction of a millisecond. */
const LEAST_PAUSE_MS = 20;
/** A person watches: half a second is at once. */
const MOST_PAUSE_MS = 500;
/** The pause before the next look as a share of the time since the first follow: no end is seen much later than it is. */
const PAUSE_SHARE = 1 / 16;

export interface Follower<T> {
  /** The record at the next look; undefined when it was deleted. Rejects when the database could not be asked, or `signal` aborts. */
  next(signal: AbortSignal): Promise<T | undefined>;
  close(): void;
}

export interface SharedLooks<T> {
  follow(id: string): Follower<T>;
}

interface Reader<T> {
  /** Outlives the reader: clients follow a record again after each request. */
  firstFollows: FirstFollows;
  /** Those of the records that exist. */
  read: (ids: string[]) => Promise<T[]>;
  /** After each look, before the followers learn of it. */
  onLook?: (records: T[]) => void;
  /** Nobody follows this record any more. */
  onLeft?: (id: string) => void;
  /** Nobody follows any record. */
  onEmpty: () => void;
}

type Waiter<T> = PromiseWithResolvers<T | undefined>;

export const shareLooks = <T extends { id: string }>(reader: Reader<T>): SharedLooks<T> => new Looks(reader);

class Looks<T extends { id: string }> implements SharedLooks<T> {
  readonly #reader: Reader<T>;
  /** By record: how many there are, and since when it is followed. */
  readonly #followers = new Map<string, { count: number; firstAt: number }>();
  readonly #waiting = new Map<string, Set<Waiter<T>>>();
  /** The next look, where one is due. */
  #next: { timer: NodeJS.Timeout; at: number } | undefined;
  #isLooking = false;

  constructor(reader: Reader<T>) {
    this.#reader = reader;
  }

  follow(id: string): Follower<T> {
    const ofRecord = this.#followers.get(id) ?? { count: 0, firstAt: this.#reader.firstFollows.begin(id) };
    ofRecord.count += 1;
    this.#followers.set(id, ofRecord);
    let isOpen = true;
    return {
      next: (signal) => this.#nextOf(id, signal),
      close: () => {
        if (isOpen) this.#leave(id);
        isOpen = false;
      },
    };
  }

  async #nextOf(id: string, signal: AbortSignal): Promise<T | undefined> {
    signal.throwIfAborted();
    const waiter: Waiter<T> = Promise.withResolvers();
    const ofRecord = this.#waiting.get(id) ?? new Set();
    this.#waiting.set(id, ofRecord.add(waiter));
    this.#lookLater([id]);
    const onAbort = (): void => waiter.reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      return await waiter.promise;
    } finally {
      signal.removeEventListener("abort", onAbort);
      ofRecord.delete(waiter);
      if (ofRecord.size === 0 && this.#waiting.get(id) === ofRecord) this.#waiting.delete(id);
    }
  }

  /** Some time after somebody began to wait for these: what is new brings the next look forward. */
  #lookLater(ids: Iterable<string>): void {
    if (this.#isLooking) return;
    const now = performance.now();
    const ages = Array.from(ids, (id) => now - (this.#followers.get(id)?.firstAt ?? now));
    const pauseMs = Math.min(MOST_PAUSE_MS, Math.max(LEAST_PAUSE_MS, Math.min(...ages) * PAUSE_SHARE));
    if (this.#next !== undefined && this.#next.at <= now + pauseMs) return;
    clearTimeout(this.#next?.timer);
    this.#next = { timer: setTimeout(() => void this.#look(), pauseMs), at: now + pauseMs };
  }

  async #look(): Promise<void> {
    this.#next = undefined;
    const asked = [...this.#waiting].flatMap(([id, waiters]) => [...waiters].map((waiter) => ({ id, waiter })));
    this.#waiting.clear();
    // All may have gone since, while a follower is still open.
    if (asked.length === 0) return;
    this.#isLooking = true;
    try {
      const records = await this.#reader.read([...new Set(asked.map(({ id }) => id))]);
      this.#reader.onLook?.(records);
      const byId = new Map(records.map((record) => [record.id, record]));
      for (const { id, waiter } of asked) waiter.resolve(byId.get(id));
    } catch (error) {
      for (const { waiter } of asked) waiter.reject(error);
    }
    this.#isLooking = false;
    if (this.#waiting.size > 0) this.#lookLater(this.#waiting.keys());
  }

  #leave(id: string): void {
    const ofRecord = this.#followers.get(id);
    if (ofRecord === undefined) return;
    ofRecord.count -= 1;
    if (ofRecord.count > 0) return;
    this.#followers.delete(id);
    this.#reader.firstFollows.leave(id, ofRecord.firstAt);
    this.#reader.onLeft?.(id);
    if (this.#followers.size > 0) return;
    clearTimeout(this.#next?.timer);
    this.#next = undefined;
    this.#reader.onEmpty();
  }
}

/** Returns when `isOver`, the record is deleted, `waitSeconds` are over, or `closing` aborts. Closes the follower. */
export async function waitUntil<T>(
  follower: Follower<T>,
  isOver: (record: T) => boolean,
  waitSeconds: number,
  closing: AbortSignal,
): Promise<void> {
  const signal = AbortSignal.any([closing, AbortSignal.timeout(waitSeconds * 1000)]);
  try {
    for (;;) {
      const current = await follower.next(signal);
      if (current === undefined || isOver(current)) return;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    follower.close();
  }
}
