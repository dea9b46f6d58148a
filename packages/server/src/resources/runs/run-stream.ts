/**
 * A run's events as they happen (server-sent events). Events of the log come with their sequence as `id`, so `Last-Event-ID`
 * takes a stream up again without a gap; `run.progress` has no id and is not stored. The stream ends after the run's last event.
 */
import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { OrganizationCaller } from "../../platform/auth/caller.ts";
import type { Queryable } from "../../platform/database/database.ts";
import { ApiError } from "../../platform/http/errors.ts";
import { pause } from "../../platform/pause.ts";
import { listRunEvents } from "./run-events.ts";
import { findRun, showRun } from "./runs.ts";

/** How often the log is looked at. A person watches: half a second is at once. */
const LOOK_EVERY_MS = 500;
const PROGRESS_EVERY_MS = 1_000;
/** Below the idle times of proxies, and below our own. */
const KEEP_ALIVE_EVERY_MS = 15_000;
/** Then the client comes again with `Last-Event-ID`, and its key is looked at again. */
const MAX_STREAM_MS = 30 * 60_000;
const EVENTS_AT_ONCE = 500;

/** `closing` aborts when the service stops: streams end, and clients come again. */
export async function streamRunEvents(
  db: Queryable,
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
    .send(Readable.from(messages(db, caller, runId, after, signal), { objectMode: false }));
}

async function* messages(
  db: Queryable,
  caller: OrganizationCaller,
  runId: string,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const until = Date.now() + MAX_STREAM_MS;
  let sequence = after;
  let wroteAt = Date.now();
  let progressAt = 0;
  let lastProgress = "";
  yield ": stream of a run's events\n\n";
  while (!signal.aborted && Date.now() < until) {
    // The state is read first: the events of an end are in the log when the end can be seen.
    const run = await findRun(db, caller.organizationId, runId);
    const page = { limit: EVENTS_AT_ONCE, after: [sequence] };
    const { data, next } = await listRunEvents(db, caller, runId, {}, page);
    for (const event of data) {
      yield `id: ${event.sequence}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
      sequence = event.sequence;
      wroteAt = Date.now();
    }
    if (next !== null) continue;
    if (run.finishedAt !== null) return;
    const now = Date.now();
    if (now - progressAt >= PROGRESS_EVERY_MS) {
      progressAt = now;
      const { id, state, rows, progress } = await showRun(db, run);
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
    await pause(LOOK_EVERY_MS, signal);
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
