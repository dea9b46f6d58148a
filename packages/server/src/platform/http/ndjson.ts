/** A whole list as NDJSON: page after page, at the speed at which the client reads, in constant memory. */
import { jsonTextOf } from "@rowmill/contract/json-text";
import { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import type { Position } from "./cursors.ts";

interface AnyPage {
  data: unknown[];
  next: Position | null;
}

/** An error before the first page is answered as such; a later one breaks the connection, so that no client takes half for whole. */
export async function streamPages(
  reply: FastifyReply,
  readPage: (after: Position | undefined) => Promise<AnyPage>,
  after: Position | undefined,
): Promise<FastifyReply> {
  const first = await readPage(after);
  async function* lines(): AsyncGenerator<string> {
    for (let page = first; ; page = await readPage(page.next)) {
      if (page.data.length > 0) yield `${page.data.map(jsonTextOf).join("\n")}\n`;
      if (page.next === null) return;
    }
  }
  return reply.type("application/x-ndjson; charset=utf-8").send(Readable.from(lines(), { objectMode: false }));
}
