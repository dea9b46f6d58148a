/**
 * Records that requests wait for. All who follow records of one reader share each look at the database: one statement for
 * all records that somebody waits for. Looks come at intervals that grow with the time since the last follower came.
 */

/** Short work ends soon after somebody begins to wait for it. A look takes a fraction of a millisecond. */
const LEAST_PAUSE_MS = 20;
/** A person watches: half a second is at once. */
const MOST_PAUSE_MS = 500;
/** The pause before the next look as a share of the time since the last follower came: no end is seen much later than it is. */
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

export function shareLooks<T extends { id: string }>(reader: Reader<T>): SharedLooks<T> {
  /** Numbers of followers by record. */
  const followers = new Map<string, number>();
  const waiting = new Map<string, Set<Waiter<T>>>();
  let followedAt = 0;
  let timer: NodeJS.Timeout | undefined;

  function leave(id: string): void {
    const left = (followers.get(id) ?? 1) - 1;
    if (left > 0) return void followers.set(id, left);
    followers.delete(id);
    reader.onLeft?.(id);
    if (followers.size > 0) return;
    clearTimeout(timer);
    reader.onEmpty();
  }

  async function next(id: string, signal: AbortSignal): Promise<T | undefined> {
    signal.throwIfAborted();
    const waiter: Waiter<T> = Promise.withResolvers();
    const ofRecord = waiting.get(id) ?? new Set();
    waiting.set(id, ofRecord.add(waiter));
    lookLater();
    const onAbort = (): void => waiter.reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      return await waiter.promise;
    } finally {
      signal.removeEventListener("abort", onAbort);
      ofRecord.delete(waiter);
      if (ofRecord.size === 0 && waiting.get(id) === ofRecord) waiting.delete(id);
    }
  }

  function lookLater(): void {
    const pauseMs = (performance.now() - followedAt) * PAUSE_SHARE;
    timer ??= setTimeout(() => void look(), Math.min(MOST_PAUSE_MS, Math.max(LEAST_PAUSE_MS, pauseMs)));
  }

  async function look(): Promise<void> {
    const asked = [...waiting].flatMap(([id, waiters]) => [...waiters].map((waiter) => ({ id, waiter })));
    waiting.clear();
    try {
      const records = await reader.read([...new Set(asked.map(({ id }) => id))]);
      reader.onLook?.(records);
      const byId = new Map(records.map((record) => [record.id, record]));
      for (const { id, waiter } of asked) waiter.resolve(byId.get(id));
    } catch (error) {
      for (const { waiter } of asked) waiter.reject(error);
    }
    timer = undefined;
    if (waiting.size > 0) lookLater();
  }

  return {
    follow(id) {
      followers.set(id, (followers.get(id) ?? 0) + 1);
      followedAt = performance.now();
      let isOpen = true;
      return {
        next: (signal) => next(id, signal),
        close() {
          if (isOpen) leave(id);
          isOpen = false;
        },
      };
    },
  };
}

/** Returns when the record has ended or is deleted, `waitSeconds` are over, or `closing` aborts. Closes the follower. */
export async function waitForEnd<T extends { finishedAt: Date | null }>(
  follower: Follower<T>,
  waitSeconds: number,
  closing: AbortSignal,
): Promise<void> {
  const signal = AbortSignal.any([closing, AbortSignal.timeout(waitSeconds * 1000)]);
  try {
    for (;;) {
      const current = await follower.next(signal);
      if (current === undefined || current.finishedAt !== null) return;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    follower.close();
  }
}
