/** Responses to `GET`: a page for people, JSON with its tag, or every item as a line. */
import { setImmediate as nextRound } from "node:timers/promises";
import type { FastifyReply, FastifyRequest } from "fastify";
import { JsonText, jsonTextOf } from "@rowmill/contract/json-text";
import type { Operation } from "@rowmill/contract/operation";
import { MAX_LIMIT } from "@rowmill/contract/pagination";
import type { OrganizationDatabase } from "../database/database.ts";
import { confirmCaller, wantsLines } from "./admission.ts";
import type { AdmissionParts, AnyCaller } from "./admission.ts";
import { etagOf, matchesEtag } from "./conditional.ts";
import { ApiError } from "./errors.ts";
import type { Cursors, ListIdentity, Position } from "./cursors.ts";
import { streamPages } from "./ndjson.ts";
import { prefersHtml, sendPage } from "./pages-for-people.ts";

import type { AnyInput, AnyPage, AnyRead } from "./any-operation.ts";

/** Characters; a smaller text is sent in one piece with its header. */
const LARGE_TEXT = 16_384;
/** Characters that are printed before others get the thread: some milliseconds. */
const CHARACTERS_A_ROUND = 1024 * 1024;

interface ReadParts extends Pick<AdmissionParts, "database"> {
  cursors: Cursors;
  /** Pages of operations that have one, by path. */
  pages: Readonly<Record<string, () => string>>;
}

export async function performRead(
  request: FastifyRequest,
  reply: FastifyReply,
  { db }: OrganizationDatabase,
  o: Operation,
  handler: AnyRead,
  caller: AnyCaller,
  input: AnyInput,
  list: ListIdentity,
  parts: ReadParts,
): Promise<unknown> {
  const accept = request.headers.accept;
  if (o.hasPage) {
    // Beside what stands there for browsers of other origins.
    reply.raw.appendHeader("Vary", "Accept");
    const page = prefersHtml(accept) ? parts.pages[o.path] : undefined;
    if (page !== undefined) return sendPage(reply, page());
  }
  if (wantsLines(request, o)) {
    const readPage = (after: Position | undefined) =>
      handler(db, caller, { ...input, page: { limit: MAX_LIMIT, after } }) as Promise<AnyPage>;
    return streamPages(reply, readPage, input.page.after);
  }
  if (accept !== undefined && !accepts(accept))
    throw new ApiError("not_acceptable", "This operation responds with application/json.");
  const result = await handler(db, caller, input);
  await confirmCaller(request, parts);
  reply.code(o.response.status).type("application/json; charset=utf-8");
  const text = o.filters ? await pageText(result as AnyPage, list, parts) : jsonTextOf(result);
  // A large text is encoded once: for its tag, its length and its way.
  const body = text.length > LARGE_TEXT ? Buffer.from(text) : text;
  const etag = etagOf(body);
  reply.header("ETag", etag);
  const known = request.headers["if-none-match"];
  if (known !== undefined && matchesEtag(known, etag)) return reply.code(304).send();
  return reply.send(body);
}

async function pageText(page: AnyPage, list: ListIdentity, parts: ReadParts): Promise<string> {
  const nextCursor = page.next === null ? null : parts.cursors.write(list, page.next);
  const items: string[] = [];
  let printed = 0;
  for (const item of page.data) {
    const text = jsonTextOf(item);
    items.push(text);
    if (!(item instanceof JsonText)) printed += text.length;
    if (printed < CHARACTERS_A_ROUND) continue;
    printed = 0;
    await nextRound();
  }
  return `{"data":[${items.join(",")}],"nextCursor":${JSON.stringify(nextCursor)}}`;
}

const accepts = (accept: string): boolean =>
  accept.split(",").some((part) => /^\s*(\*\/\*|application\/(\*|json|problem\+json))\s*(;|$)/i.test(part));
