/**
 * When the logs of organizations have grown. One statement reads the newest positions of all organizations with open streams,
 * after a notification of the fan-out or by a timer; and streams of an organization that want the same events share the read.
 * A process without streams listens to nothing.
 */
import type { EventType } from "@rowmill/contract/events";
import type { Run } from "@rowmill/contract/runs";
import { listen, warnOfLoss } from "../../platform/database/notifications.ts";
import type { Listener } from "../../platform/database/notifications.ts";
import type { Database, Queryable } from "../../platform/database/database.ts";
import type { Log } from "../../platform/log.ts";
import { startWakefulLoop } from "../../platform/wakeful-loop.ts";
import type { WakefulLoop } from "../../platform/wakeful-loop.ts";
import { renderEnvelope } from "../../resources/events/events.ts";
import { EVENT_LOG_CHANNEL } from "../fan-out/fan-out.ts";
import { listenToRows, readEventLog, readRunsInProgress } from "./event-log.ts";
import type { LoggedEvent, LogRange, RowListener } from "./event-log.ts";

/** However many transactions commit events. */
const LEAST_PAUSE_MS = 20;
/** A lost notification costs this much. */
const LOOK_EVERY_MS = 1_000;
export const PROGRESS_EVERY_MS = 1_000;

export interface EventFollower {
  /** The newest position once it is beyond this one, or when the time is over. Rejects when `signal` aborts. */
  newest(beyond: number, timeoutMs: number, signal: AbortSignal): Promise<number>;
  read(db: Queryable, range: LogRange): Promise<LoggedEvent[]>;
  /** Runs in progress, as they were within the last second. */
  runsInProgress(db: Queryable): Promise<Run[]>;
  close(): void;
}

export interface EventFeeds {
  follow(organizationId: string): EventFollower;
  /** While it is renewed, runs record the events of their rows. */
  listenToRows(organizationId: string, types: readonly EventType[]): Promise<RowListener>;
  stop(): Promise<void>;
}

interface Feed {
  followers: number;
  newest: number;
  waiters: Set<{ beyond: number; resolve: () => void }>;
  /** Reads up to the newest position, by what they read. */
  reads: Map<string, Promise<LoggedEvent[]>>;
  progress: { at: number; runs: Promise<Run[]> } | undefined;
}

export function createEventFeeds(database: Database, log: Log, publicUrl: () => string): EventFeeds {
  const feeds = new Map<string, Feed>();
  let loop: WakefulLoop | undefined;
  let listener: Listener | undefined;

  async function look(): Promise<number> {
    const asked = [...feeds.keys()];
    if (asked.length === 0) return LOOK_EVERY_MS;
    const logs = await database.db.selectFrom("eventLogs").selectAll().where("organizationId", "in", asked).execute();
    for (const { organizationId, lastPosition } of logs) noteNewest(feeds.get(organizationId), lastPosition);
    return LOOK_EVERY_MS;
  }

  function start(): void {
    const started = startWakefulLoop(log, {
      name: "look for events of open streams",
      leastPauseMs: LEAST_PAUSE_MS,
      pass: look,
    });
    loop = started;
    listener = listen(database, { [EVENT_LOG_CHANNEL]: () => started.wake() }, warnOfLoss(log));
  }

  async function stop(): Promise<void> {
    listener?.stop();
    const ending = loop;
    [loop, listener] = [undefined, undefined];
    await ending?.stop();
  }

  function leave(organizationId: string, feed: Feed): void {
    feed.followers--;
    if (feed.followers > 0) return;
    feeds.delete(organizationId);
    // A look that is under way ends by itself.
    if (feeds.size === 0) void stop();
  }

  return {
    follow(organizationId) {
      const feed = feeds.get(organizationId) ?? newFeed();
      feeds.set(organizationId, feed);
      feed.followers++;
      if (loop === undefined) start();
      else loop.wake();
      let isOpen = true;
      return {
        newest: (beyond, timeoutMs, signal) => waitFor(feed, beyond, timeoutMs, signal),
        read: (db, range) => sharedRead(feed, () => readRendered(db, range, publicUrl()), range),
        runsInProgress: (db) => sharedProgress(db, organizationId, feed),
        close: () => {
          if (isOpen) leave(organizationId, feed);
          isOpen = false;
        },
      };
    },
    listenToRows: (organizationId, types) => listenToRows(database.db, organizationId, types),
    stop,
  };
}

const newFeed = (): Feed => ({ followers: 0, newest: 0, waiters: new Set(), reads: new Map(), progress: undefined });

function noteNewest(feed: Feed | undefined, position: number): void {
  if (feed === undefined || position <= feed.newest) return;
  feed.newest = position;
  feed.reads.clear();
  for (const { beyond, resolve } of feed.waiters) if (position > beyond) resolve();
}

async function waitFor(feed: Feed, beyond: number, timeoutMs: number, signal: AbortSignal): Promise<number> {
  signal.throwIfAborted();
  if (feed.newest > beyond) return feed.newest;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const waiter = { beyond, resolve };
  const timer = setTimeout(resolve, timeoutMs);
  const onAbort = (): void => reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  feed.waiters.add(waiter);
  try {
    await promise;
    return feed.newest;
  } finally {
    feed.waiters.delete(waiter);
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  }
}

/** What many follow is the end of the log. A replay reads pages of its own, which would only take memory here. */
function sharedRead(feed: Feed, read: () => Promise<LoggedEvent[]>, range: LogRange): Promise<LoggedEvent[]> {
  const { after, upTo, types, limit } = range;
  if (upTo !== feed.newest || upTo - after > limit) return read();
  const name = `${after} ${types.join(",")}`;
  const known = feed.reads.get(name);
  if (known !== undefined) return known;
  const reading = read();
  // The caller gets the error; the next one reads again.
  reading.catch(() => feed.reads.delete(name));
  feed.reads.set(name, reading);
  return reading;
}

async function readRendered(db: Queryable, range: LogRange, publicUrl: string): Promise<LoggedEvent[]> {
  const events = await readEventLog(db, range);
  return events.map((event) => ({
    ...event,
    payload: event.payload === null ? null : renderEnvelope(event.payload, publicUrl),
  }));
}

function sharedProgress(db: Queryable, organizationId: string, feed: Feed): Promise<Run[]> {
  const now = performance.now();
  if (feed.progress !== undefined && now - feed.progress.at < PROGRESS_EVERY_MS) return feed.progress.runs;
  feed.progress = { at: now, runs: readRunsInProgress(db, organizationId) };
  return feed.progress.runs;
}
