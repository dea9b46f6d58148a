/** A request to an operation, from its input to its response: a read, or a change in one transaction with its stored response. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { operations } from "@rowmill/contract";
import { jsonTextOf } from "@rowmill/contract/json-text";
import { responseTo } from "@rowmill/contract/operation";
import type { Operation } from "@rowmill/contract/operation";
import { SERIALIZATION_FAILURE, pgCode } from "../database/database.ts";
import { performRead } from "./perform-read.ts";
import type { AnyRead } from "./any-operation.ts";
import { etagOf, matchesEtag, preconditionFailed } from "./conditional.ts";
import { WithHeaders } from "./handlers.ts";
import type { Handlers } from "./handlers.ts";
import type { Work } from "./idempotency.ts";
import type { StoredResponse } from "./stored-responses.ts";
import { numberOutOfRange, tooManyDigits } from "./json-body.ts";
import { checkInput, readRequest } from "./read-request.ts";
import type { ReadRequest } from "./read-request.ts";
import { secretRulesOf } from "./secret-replays.ts";
import type { Route, ServeParts } from "./serve-parts.ts";

export async function performOperation(
  request: FastifyRequest,
  reply: FastifyReply,
  route: Route,
  options: ServeParts,
): Promise<unknown> {
  const read = await readRequest(request, route, options);
  if (read.body.infiniteAt !== undefined) {
    // Where the contract has a number, this names its range. A fingerprint cannot be made of such a body.
    checkInput(read, route);
    throw numberOutOfRange(read.body.infiniteAt);
  }
  if (read.body.inexactAt !== undefined) {
    // Likewise.
    checkInput(read, route);
    throw tooManyDigits(read.body.inexactAt);
  }
  if (route.o.method === "GET") {
    checkInput(read, route);
    const { database, caller, input, list } = read;
    return performRead(request, reply, database, route.o, route.handler as AnyRead, caller, input, list, options);
  }
  return sendStored(reply, route.o, await change(request, reply, read, route, options));
}

/** With an Idempotency-Key, a repeat gets the stored response. */
async function change(
  request: FastifyRequest,
  reply: FastifyReply,
  read: ReadRequest,
  route: Route,
  options: ServeParts,
): Promise<StoredResponse> {
  const { caller, database, path, key, body, list } = read;
  const { o, replayCheck } = route;
  const prepare = () => prepareWork(request, reply, read, route);
  if (key === undefined) {
    const work = await prepare();
    const ifMatch = request.headers["if-match"];
    return ifMatch === undefined ? database.transaction(work) : changeIfMatch(ifMatch, o, read, work, options);
  }
  const performed = await options.idempotency.perform(
    database,
    {
      scopeId: list.organizationId,
      method: o.method,
      path,
      key,
      fingerprint: body.fingerprint(),
      secrets: secretRulesOf(o, caller, replayCheck),
    },
    prepare,
  );
  if (performed.isReplay) reply.header("Idempotent-Replayed", "true");
  return performed;
}

/** Checks the body, does what belongs before the transaction, and returns what is done in it. */
async function prepareWork(
  request: FastifyRequest,
  reply: FastifyReply,
  read: ReadRequest,
  route: Route,
): Promise<Work> {
  const { caller, database, input } = read;
  const { o, handler } = route;
  const toStored = (made: unknown): StoredResponse => {
    const params = request.params as Record<string, string>;
    if (!(made instanceof WithHeaders)) return storedOf(o, input.body, params, made);
    reply.headers(made.headers);
    return storedOf(o, input.body, params, made.value);
  };
  checkInput(read, route);
  if (typeof handler === "function") return async (tx) => toStored(await handler(tx, caller, input));
  const work = await handler.prepare(database.db, caller, input);
  return async (tx) => toStored(await work(tx));
}

/** `requestBody`: some operations respond with another status to some bodies. */
function storedOf(o: Operation, requestBody: unknown, params: Record<string, string>, made: unknown): StoredResponse {
  const { status } = responseTo(o, requestBody);
  const hasLocation = o.location !== undefined && status === o.response.status;
  return {
    status,
    location: hasLocation ? fillLocation(o.location ?? "", params, made) : null,
    body: status === 204 ? null : jsonTextOf(made),
  };
}

function sendStored(reply: FastifyReply, o: Operation, { status, location, body }: StoredResponse): FastifyReply {
  reply.code(status);
  if (location !== null) reply.header("Location", location);
  if (o.secretMembers !== undefined || o.setsCookie === true) reply.header("Cache-Control", "no-store");
  if (body === null) return reply.send();
  return reply.type("application/json; charset=utf-8").send(body);
}

/**
 * An attempt fails when somebody else changes something at the same moment. A thing that changes this often is not what the caller has
 * read.
 */
const ATTEMPTS_IF_MATCH = 5;

/**
 * The change, if the thing is what the tag says. Under repeatable read a change by somebody else between the look and the
 * write fails the write. That change may concern something else, such as a count that both change: so the next attempt looks again.
 */
async function changeIfMatch(
  ifMatch: string,
  o: Operation,
  { caller, database, input }: ReadRequest,
  work: Work,
  options: ServeParts,
): Promise<StoredResponse> {
  const read = readerAt.get(o.path);
  if (read === undefined) return database.transaction(work);
  const handler = options.handlers[read as keyof Handlers] as unknown as AnyRead; // checked against its operation by Handlers
  const attempt = (): Promise<StoredResponse> =>
    database.transaction(async (tx) => {
      const current = await handler(tx, caller, { ...input, query: {}, body: undefined });
      if (!matchesEtag(ifMatch, etagOf(jsonTextOf(current)))) throw preconditionFailed();
      return work(tx);
    }, "repeatable read");
  for (let left = ATTEMPTS_IF_MATCH; left > 0; left--) {
    try {
      return await attempt();
    } catch (error) {
      if (pgCode(error) !== SERIALIZATION_FAILURE) throw error;
    }
  }
  throw preconditionFailed();
}

/** Path → the operation that reads the thing there. */
const readerAt = new Map(
  Object.entries(operations as Record<string, Operation>)
    .filter(([, o]) => o.method === "GET" && !o.filters && !o.plain)
    .map(([id, o]) => [o.path, id]),
);

function fillLocation(template: string, params: Record<string, string>, body: unknown): string {
  const members = typeof body === "object" && body !== null ? (body as Record<string, unknown>) : {};
  return template.replace(/\{(\w+)\}/g, (_whole, name: string) => String(params[name] ?? members[name]));
}
