/** A whole list as NDJSON, at the speed at which the client reads. One page is read ahead of the client: memory is two pages. */
import { jsonTextOf } from "@rowmill/contract/json-text";
import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import type { Position } from "./cursors.ts";

interface AnyPage {
  data: unknown[];
  next: Position | null;
}

/** An error before the first page is an error response; a later one breaks the connection, so that no client takes half for whole. */
export async function streamPages(
  reply: FastifyReply,
  readPage: (after: Position | undefined) => Promise<AnyPage>,
  after: Position | undefined,
): Promise<FastifyReply> {
  const first = await readPage(after);
  async function* lines(): AsyncGenerator<string> {
    for (let page = first; ;) {
      const next = page.next === null ? undefined : readPage(page.next);
      next?.catch(() => undefined); // awaited below, unless the client leaves before
      if (page.data.length > 0) yield `${page.data.map(jsonTextOf).join("\n")}\n`;
      if (next === undefined) return;
      page = await next;
    }
  }
  return reply.type("application/x-ndjson; charset=utf-8").send(Readable.from(lines(), { objectMode: false }));
}
