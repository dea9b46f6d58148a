/** Server-sent events: what the streams of the interface have in common. */
import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import { ApiError } from "./errors.ts";

/** Below the idle times of proxies, and below our own. */
export const KEEP_ALIVE_EVERY_MS = 15_000;
/** Then the client comes again with `Last-Event-ID`; proxies forget longer connections. */
export const MAX_STREAM_MS = 30 * 60_000;

/**
 * Writes messages as fast as the client reads them. Their signal aborts when the client leaves, or with `closing`, when the
 * service stops: streams end, and clients come again.
 */
export function sendEventStream(
  reply: FastifyReply,
  closing: AbortSignal,
  messages: (signal: AbortSignal) => AsyncIterable<string>,
): FastifyReply {
  const ended = new AbortController();
  reply.raw.once("close", () => ended.abort());
  const signal = AbortSignal.any([closing, ended.signal]);
  return reply
    .type("text/event-stream; charset=utf-8")
    .header("Cache-Control", "no-store")
    .header("X-Accel-Buffering", "no")
    .send(Readable.from(messages(signal), { objectMode: false }));
}

/** `data` is one line of JSON. */
export const formatMessage = ({ id, event, data }: { id?: number; event: string; data: string }): string =>
  `${id === undefined ? "" : `id: ${id}\n`}event: ${event}\ndata: ${data}\n\n`;

/** Undefined without the header. */
export function readLastEventId({ headers }: FastifyRequest, what: string, max: number): number | undefined {
  const header = headers["last-event-id"];
  if (header === undefined || header === "") return undefined;
  if (typeof header !== "string" || !/^\d{1,16}$/.test(header) || Number(header) > max)
    throw new ApiError(
      "invalid_parameter",
      `\`Last-Event-ID\` must be the \`id\` of an event of this stream, ${what} from 0 to ${max}.`,
      { param: "Last-Event-ID" },
    );
  return Number(header);
}
