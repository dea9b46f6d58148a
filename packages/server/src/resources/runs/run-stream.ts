/**
 * A run's events as they happen (server-sent events). Events of the log come with their sequence as `id`, so `Last-Event-ID`
 * takes a stream up again without a gap; `run.progress` has no id and is not stored. The stream ends after the run's last event.
 */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { OrganizationCaller } from "../../platform/auth/caller.ts";
import type { OrganizationDatabase } from "../../platform/database/database.ts";
import {
  KEEP_ALIVE_EVERY_MS,
  MAX_STREAM_MS,
  formatMessage,
  readLastEventId,
  sendEventStream,
} from "../../platform/http/server-sent-events.ts";
import { showRunEvent } from "./run-events.ts";
import type { RunFollower } from "./run-feed.ts";
import { findRun } from "./runs.ts";
import type { FollowParts } from "./wait-for-run.ts";

const PROGRESS_EVERY_MS = 1_000;
/** The highest sequence of a run's log: the column is a 32-bit integer. */
const MAX_SEQUENCE = 999_999_999;
const EVENTS_AT_ONCE = 500;

/** When the service stops, streams end, and clients come again. */
export const createRunStream =
  ({ runFeeds, closing, publicUrl }: FollowParts & { publicUrl: () => string }) =>
  async (
    { db }: OrganizationDatabase,
    request: FastifyRequest,
    reply: FastifyReply,
    { organizationId }: OrganizationCaller,
    { runId }: { runId: string },
  ): Promise<FastifyReply> => {
    const after = readLastEventId(request, "a number", MAX_SEQUENCE) ?? 0;
    await findRun(db, { organizationId }, runId);
    return sendEventStream(reply, closing, (signal) =>
      messages(runFeeds.follow(db, organizationId, runId), runId, publicUrl(), after, signal),
    );
  };

async function* messages(
  follower: RunFollower,
  runId: string,
  publicUrl: string,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const until = performance.now() + MAX_STREAM_MS;
  let sequence = after;
  let wroteAt = performance.now();
  let progressAt = Number.NEGATIVE_INFINITY;
  let lastProgress = "";
  try {
    yield ": stream of a run's events\n\n";
    while (!signal.aborted && performance.now() < until) {
      // The state is read first: the events of an end are in the log when the end can be seen.
      const run = await follower.next(signal);
      if (run === undefined) return;
      while (run.eventSequence > sequence && !signal.aborted) {
        const events = await follower.eventsAfter(sequence, EVENTS_AT_ONCE);
        for (const event of events) {
          const shown = showRunEvent(runId, event, publicUrl);
          yield formatMessage({ id: shown.sequence, event: shown.type, data: JSON.stringify(shown) });
          ({ sequence } = shown);
          wroteAt = performance.now();
        }
        if (events.length < EVENTS_AT_ONCE) break;
      }
      if (run.finishedAt !== null) return;
      const now = performance.now();
      if (now - progressAt >= PROGRESS_EVERY_MS) {
        progressAt = now;
        const { id, state, rows, progress } = await follower.shown(run);
        const text = JSON.stringify({ runId: id, state, rows, progress });
        if (text !== lastProgress) {
          yield formatMessage({ event: "run.progress", data: text });
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
