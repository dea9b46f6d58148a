/**
 * A run's events as they happen (server-sent events). Events of the log come with their sequence as `id`, so `Last-Event-ID`
 * takes a stream up again without a gap; `run.progress` has no id and is not stored. The stream ends after the run's last event.
 */
import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { OrganizationCaller } from "../../platform/auth/caller.ts";
import type { Queryable } from "../../platform/database/database.ts";
import { ApiError } from "../../platform/http/errors.ts";
import { showRunEvent } from "./run-events.ts";
import type { RunFeeds, RunFollower } from "./run-feed.ts";
import { findRun } from "./runs.ts";

const PROGRESS_EVERY_MS = 1_000;
/** Below the idle times of proxies, and below our own. */
const KEEP_ALIVE_EVERY_MS = 15_000;
/** Then the client comes again with `Last-Event-ID`; proxies forget longer connections. */
const MAX_STREAM_MS = 30 * 60_000;
const EVENTS_AT_ONCE = 500;

/** `closing` aborts when the service stops: streams end, and clients come again. */
export async function streamRunEvents(
  db: Queryable,
  feeds: RunFeeds,
  request: FastifyRequest,
  reply: FastifyReply,
  caller: OrganizationCaller,
  runId: string,
  closing: AbortSignal,
): Promise<FastifyReply> {
  const after = readLastEventId(request.headers["last-event-id"]);
  await findRun(db, caller.organizationId, runId);
  const ended = new AbortController();
  reply.raw.once("close", () => ended.abort());
  const signal = AbortSignal.any([closing, ended.signal]);
  return reply
    .type("text/event-stream; charset=utf-8")
    .header("Cache-Control", "no-store")
    .header("X-Accel-Buffering", "no")
    .send(
      Readable.from(messages(feeds.follow(db, caller.organizationId, runId), runId, after, signal), {
        objectMode: false,
      }),
    );
}

async function* messages(
  follower: RunFollower,
  runId: string,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const until = Date.now() + MAX_STREAM_MS;
  let sequence = after;
  let wroteAt = Date.now();
  let progressAt = 0;
  let lastProgress = "";
  try {
    yield ": stream of a run's events\n\n";
    while (!signal.aborted && Date.now() < until) {
      // The state is read first: the events of an end are in the log when the end can be seen.
      const run = await follower.next(signal);
      if (run === undefined) return;
      while (run.eventSequence > sequence) {
        const events = await follower.eventsAfter(sequence, EVENTS_AT_ONCE);
        for (const event of events) {
          const shown = showRunEvent(runId, event);
          yield `id: ${shown.sequence}\nevent: ${shown.type}\ndata: ${JSON.stringify(shown)}\n\n`;
          ({ sequence } = shown);
          wroteAt = Date.now();
        }
        if (events.length < EVENTS_AT_ONCE) break;
      }
      if (run.finishedAt !== null) return;
      const now = Date.now();
      if (now - progressAt >= PROGRESS_EVERY_MS) {
        progressAt = now;
        const { id, state, rows, progress } = await follower.shown(run);
        const text = JSON.stringify({ runId: id, state, rows, progress });
        if (text !== lastProgress) {
          yield `event: run.progress\ndata: ${text}\n\n`;
          lastProgress = text;
          wroteAt = now;
        }
      }
      if (now - wroteAt >= KEEP_ALIVE_EVERY_MS) {
        yield ": still here\n\n";
        wroteAt = now;
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    follower.close();
  }
}

function readLastEventId(header: string | string[] | undefined): number {
  if (header === undefined || header === "") return 0;
  if (typeof header !== "string" || !/^\d{1,9}$/.test(header))
    throw new ApiError(
      "invalid_parameter",
      "`Last-Event-ID` must be the `id` of an event of this stream, a number from 0 to 999999999.",
      {
        param: "Last-Event-ID",
      },
    );
  return Number(header);
}
