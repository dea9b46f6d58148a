/**
 * The events of an organization as they happen (server-sent events), in the order of its log, from a position on. Positions
 * have no gaps when they are given, so a missing one was deleted, and the stream reports it. A replay and what is live are one:
 * the stream always reads on from its position up to the newest.
 */
import {
  defaultStreamPatterns,
  scopeOfEventType,
  streamableEventTypes,
  streamablePatterns,
} from "@rowmill/contract/event-stream";
import { alertableEventTypes, matchesEventType } from "@rowmill/contract/events";
import type { EventType } from "@rowmill/contract/events";
import type { Run } from "@rowmill/contract/runs";
import type { Operations } from "@rowmill/contract";
import type { Scope } from "@rowmill/contract/scopes";
import type { OrganizationCaller } from "../../platform/auth/caller.ts";
import { requireScopes } from "../../platform/http/require-scopes.ts";
import { isUnavailable } from "../../platform/database/database.ts";
import type { Queryable } from "../../platform/database/database.ts";
import { ApiError } from "../../platform/http/errors.ts";
import {
  KEEP_ALIVE_EVERY_MS,
  MAX_STREAM_MS,
  formatMessage,
  readLastEventId,
  sendEventStream,
} from "../../platform/http/server-sent-events.ts";
import type { PlainHandler } from "../../platform/http/handlers.ts";
import { didYouMean } from "../../platform/nearest-name.ts";
import { PROGRESS_EVERY_MS } from "./event-feed.ts";
import type { EventFeeds, EventFollower } from "./event-feed.ts";
import { newestPosition, rowEventTypes } from "./event-log.ts";
import type { LoggedEvent, RowListener } from "./event-log.ts";

/** Envelopes have a few hundred bytes, and 4 KB at most. */
const EVENTS_AT_ONCE = 500;

interface Wanted {
  types: readonly EventType[];
  /** The counts of runs in progress. */
  progress: boolean;
}

interface Streamed extends Wanted {
  organizationId: string;
  after: number;
  /** Ends there; undefined: follows. */
  upTo: number | undefined;
}

/** `closing` aborts when the service stops. */
export const createEventStream =
  ({
    eventFeeds: feeds,
    closing,
  }: {
    eventFeeds: EventFeeds;
    closing: AbortSignal;
  }): PlainHandler<Operations["streamEvents"]> =>
  async ({ db }, request, reply, caller, _params, query) => {
    const wanted = readTypes(caller, query.type);
    const { organizationId } = caller;
    const newest = await newestPosition(db, organizationId);
    const after = readLastEventId(request, "the position of an event", newest) ?? newest;
    // The stream ends when the key loses one of these.
    request.scopesInUse = scopesOf(wanted);
    const streamed = { ...wanted, organizationId, after, upTo: query.follow === false ? newest : undefined };
    const rowTypes = wanted.types.filter((type) => rowEventTypes.includes(type));
    const listener =
      rowTypes.length === 0 || query.follow === false ? undefined : await feeds.listenToRows(organizationId, rowTypes);
    return sendEventStream(reply, closing, (signal) => messages(db, feeds, streamed, listener, signal));
  };

/** What is named must be readable; `*`, and nothing, stand for everything that is. */
function readTypes(caller: OrganizationCaller, text: string | undefined): Wanted {
  const known = [...streamableEventTypes, ...streamablePatterns];
  const named = text === undefined ? defaultStreamPatterns : text.split(",").map((part) => part.trim());
  const unknown = named.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new ApiError(
      "invalid_parameter",
      `There is no event type ${JSON.stringify(unknown)} to follow.${didYouMean(unknown, known)} Types are ${streamableEventTypes.join(", ")}; patterns are ${streamablePatterns.join(", ")}.`,
      { param: "type" },
    );
  const progress = named.includes("run.progress");
  const asked = alertableEventTypes.filter((type) => matchesEventType(named, type));
  const readable = asked.filter((type) => caller.scopes.has(scopeOfEventType(type)));
  const isEverything = text === undefined || named.includes("*");
  requireScopes(caller, scopesOf({ types: isEverything && readable.length > 0 ? readable : asked, progress }));
  return { types: readable, progress };
}

const scopesOf = ({ types, progress }: Wanted): Scope[] => [
  ...new Set([...types, ...(progress ? (["run.progress"] as const) : [])].map(scopeOfEventType)),
];

async function* messages(
  db: Queryable,
  feeds: EventFeeds,
  streamed: Streamed,
  listener: RowListener | undefined,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const follower = feeds.follow(streamed.organizationId);
  const until = performance.now() + MAX_STREAM_MS;
  const progress = new ProgressMessages();
  let position = streamed.after;
  let beatAt = performance.now();
  try {
    yield beat(position);
    while (!signal.aborted && performance.now() < until) {
      const newest = streamed.upTo ?? (await follower.newest(position, pauseOf(streamed), signal));
      while (position < newest && !signal.aborted) {
        const page = await readPage(db, follower, streamed, position, newest);
        ({ position } = page);
        if (page.text !== "") yield page.text;
      }
      if (streamed.upTo !== undefined) return;
      if (streamed.progress) {
        const text = progress.of(await follower.runsInProgress(db));
        if (text !== "") yield text;
      }
      if (performance.now() - beatAt >= KEEP_ALIVE_EVERY_MS) {
        await listener?.renew();
        yield beat(position);
        beatAt = performance.now();
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    follower.close();
    // Where the database is away, the entry expires by itself.
    await listener?.close().catch((error: unknown) => {
      if (!isUnavailable(error)) throw error;
    });
  }
}

const pauseOf = ({ progress }: Wanted): number => (progress ? PROGRESS_EVERY_MS : KEEP_ALIVE_EVERY_MS);

/** Without data it is no message, but browsers remember the id: a stream without events for it does not fall behind. */
const beat = (position: number): string => `: still here\nid: ${position}\n\n`;

/** The messages of the next positions, and the last one of them. */
async function readPage(
  db: Queryable,
  follower: EventFollower,
  { organizationId, types }: Streamed,
  after: number,
  upTo: number,
): Promise<{ text: string; position: number }> {
  const events = await follower.read(db, { organizationId, after, upTo, types, limit: EVENTS_AT_ONCE });
  let position = after;
  let text = "";
  for (const event of events) {
    text += gap(position, event.position) + show(event);
    ({ position } = event);
  }
  if (events.length === EVENTS_AT_ONCE) return { text, position };
  return { text: text + gap(position, upTo + 1), position: upTo };
}

/** Between a position and the next one that is there. */
function gap(before: number, next: number): string {
  const missed = next - before - 1;
  if (missed === 0) return "";
  const data = JSON.stringify({ missedFrom: before + 1, missedTo: next - 1, missed });
  return formatMessage({ id: next - 1, event: "stream.gap", data });
}

const show = ({ position, type, payload }: LoggedEvent): string =>
  payload === null ? "" : formatMessage({ id: position, event: type, data: payload });

/** Reports runs whose counts have changed since the last look. */
class ProgressMessages {
  #last = new Map<string, string>();

  of(runs: readonly Run[]): string {
    const now = new Map(runs.map((run) => [run.id, JSON.stringify(progressOf(run))]));
    const changed = [...now].filter(([id, text]) => this.#last.get(id) !== text);
    this.#last = now;
    return changed.map(([, data]) => formatMessage({ event: "run.progress", data })).join("");
  }
}

const progressOf = ({ id, state, rows, progress }: Run) => ({
  runId: id,
  state,
  rows,
  progress,
});
