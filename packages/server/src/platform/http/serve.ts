/**
 * Serves every operation of the contract. What they share is applied here, from the operation's own fields, in this order:
 *
 *   admission (see `admission.ts`) → ids in the path → Idempotency-Key → body and query → handler → answer
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { operations } from "@rowmill/contract";
import type { OperationId } from "@rowmill/contract";
import { jsonTextOf } from "@rowmill/contract/json-text";
import { answerTo, scopesFor } from "@rowmill/contract/operation";
import type { Operation } from "@rowmill/contract/operation";
import { requireScopes } from "./require-scopes.ts";
import { SERIALIZATION_FAILURE, pgCode } from "../database/database.ts";
import type { OrganizationDatabase, Transaction } from "../database/database.ts";
import type { Tenants } from "../database/tenants.ts";
import { runAs } from "../current-work.ts";
import { admit, answerKnown, noteDenial } from "./admission.ts";
import type { AdmissionOptions, AnyCaller } from "./admission.ts";
import { answerRead } from "./answer-read.ts";
import type { AnyHandler, AnyInput, AnyRead, AnyReplayCheck } from "./any-operation.ts";
import { etagOf, matchesEtag, preconditionFailed } from "./conditional.ts";
import { ApiError } from "./errors.ts";
import type { Cursors } from "./cursors.ts";
import { WithHeaders } from "./handlers.ts";
import type { Handlers, PlainHandlers, ReplayChecks } from "./handlers.ts";
import { fingerprintOf, sortedQuery } from "./fingerprint.ts";
import { parseIdempotencyKey } from "./idempotency.ts";
import type { Idempotency, StoredAnswer } from "./idempotency.ts";
import { numberOutOfRange } from "./json-body.ts";
import { parseQuery } from "./query.ts";
import type { BodyReader, RequestBody } from "./read-body.ts";
import { secretRulesOf } from "./secret-replays.ts";
import { parseParams } from "./path-params.ts";
import { compileBody } from "./validate.ts";

const NIL_UUID = "00000000-0000-0000-0000-000000000000";
const DEFAULT_BODY_BYTES = 1024 * 1024;

export interface ServeOptions extends AdmissionOptions {
  database: OrganizationDatabase;
  tenants: Tenants;
  idempotency: Idempotency;
  cursors: Cursors;
  handlers: Handlers;
  bodies: BodyReader;
  plainHandlers: PlainHandlers;
  replayChecks: ReplayChecks;
  /** Pages of operations that have one, by path. */
  pages: Readonly<Record<string, () => string>>;
}

export async function serveOperations(app: FastifyInstance, options: ServeOptions): Promise<void> {
  for (const [id, o] of Object.entries(operations) as [OperationId, Operation][]) {
    if (o.plain) continue;
    const handler = options.handlers[id as keyof Handlers] as unknown as AnyHandler; // checked against its operation by Handlers
    const checkBody = o.body ? compileBody(o.body) : undefined;
    const replayCheck = (options.replayChecks as unknown as Partial<Record<string, AnyReplayCheck>>)[id]; // checked by ReplayChecks
    app.route({
      method: o.method,
      url: toFastifyPath(o.path),
      bodyLimit: o.bodyLimitBytes ?? DEFAULT_BODY_BYTES,
      onRequest: (request, reply) => admit(request, reply, o, options),
      handler: asWork(id, async (request, reply) => {
        const answer = () => answerOperation(request, reply, o, handler, checkBody, replayCheck, options);
        try {
          return await answerKnown(request, reply, o, answer, options);
        } catch (error) {
          // Some things that a key may not do are known only with the body: to give away scopes that it lacks.
          await noteDenial(error, request, options);
          throw error;
        }
      }),
    });
  }
  // Bodies of these are streams: nothing reads them before their handler does.
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", (_request, _payload, done) => done(null));
    for (const [id, o] of Object.entries(operations) as [OperationId, Operation][]) {
      if (!o.plain) continue;
      const handler = options.plainHandlers[id as keyof PlainHandlers] as unknown as (
        database: OrganizationDatabase,
        request: FastifyRequest,
        reply: FastifyReply,
        caller: AnyCaller,
        params: Record<string, string | number>,
        query: Record<string, unknown>,
      ) => Promise<unknown>; // checked against its operation by PlainHandlers
      scope.route({
        method: o.method,
        url: toFastifyPath(o.path),
        config: { streamsBody: true },
        onRequest: (request, reply) => admit(request, reply, o, options),
        handler: asWork(id, async (request, reply) => {
          const search = searchOf(request);
          const { query } = parseQuery(o, search);
          const params = parseParams(o, request.params as Record<string, string>);
          try {
            return await handler(databaseFor(request, options), request, reply, callerOf(request), params, query);
          } catch (error) {
            await noteDenial(error, request, options);
            throw error;
          }
        }),
      });
    }
  });
}

type Handle = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

/** Names what the thread is at work on, and whose it is. */
const asWork =
  (name: OperationId, handle: Handle): Handle =>
  (request, reply) => {
    const { caller } = request;
    const owner = caller?.kind === "organization" ? { organizationId: caller.organizationId } : {};
    return runAs({ name, requestId: request.id, ...owner }, () => handle(request, reply));
  };

const toFastifyPath = (path: string): string => path.replace(/\{(\w+)\}/g, ":$1");
/** Everything behind the first `?`, further ones included. */
const searchOf = (request: FastifyRequest): URLSearchParams =>
  new URLSearchParams(request.url.includes("?") ? request.url.slice(request.url.indexOf("?") + 1) : "");

function callerOf(request: FastifyRequest): AnyCaller {
  if (!request.caller) throw new Error("an operation was reached without authentication");
  return request.caller;
}

/** An organization's requests reach no rows but its own; the admin's and the public ones are few, and reach them all. */
function databaseFor(request: FastifyRequest, { database, tenants }: ServeOptions): OrganizationDatabase {
  const caller = callerOf(request);
  return caller.kind === "organization" ? tenants(caller.organizationId) : database;
}

async function answerOperation(
  request: FastifyRequest,
  reply: FastifyReply,
  o: Operation,
  handler: AnyHandler,
  checkBody: ((body: unknown) => void) | undefined,
  replayCheck: AnyReplayCheck | undefined,
  options: ServeOptions,
): Promise<unknown> {
  const caller = callerOf(request);
  const database = databaseFor(request, options);
  const path = request.url.split("?", 1)[0] ?? "";
  const params = parseParams(o, request.params as Record<string, string>);
  const key = o.idempotency === "none" ? undefined : parseIdempotencyKey(request.headers["idempotency-key"]);
  if (o.idempotency === "required" && key === undefined)
    throw new ApiError(
      "idempotency_key_required",
      "This route needs an Idempotency-Key header: a new unique key per intended operation.",
      {
        param: "Idempotency-Key",
      },
    );
  const search = searchOf(request);
  const body = await readBody(request, o, caller, sortedQuery(search), options);
  const { value: rawBody, infiniteAt } = body;
  if (caller.kind === "organization") requireScopes(caller, scopesFor(o, rawBody));
  const parsed = parseQuery(o, search);
  const list = {
    organizationId: "organizationId" in caller ? caller.organizationId : NIL_UUID,
    path,
    filters: parsed.filters,
  };
  const input: AnyInput = {
    params,
    query: parsed.query,
    filters: parsed.filters,
    page: {
      limit: parsed.limit,
      after: parsed.cursor === undefined ? undefined : options.cursors.read(list, parsed.cursor),
    },
    body: checkBody ? (rawBody === undefined && o.bodyOptional ? {} : rawBody) : undefined,
  };
  const validate = (): void => {
    if (!checkBody) {
      if (rawBody !== undefined && !(isEmptyObject(rawBody) && o.method !== "GET"))
        throw new ApiError("invalid_request", "This route takes no body.");
      return;
    }
    if (input.body === undefined) throw new ApiError("invalid_request", "A JSON body is required.");
    checkBody(input.body);
  };

  if (infiniteAt !== undefined) {
    // Where the contract has a number, this names its range. A fingerprint cannot be made of such a body.
    validate();
    throw numberOutOfRange(infiniteAt);
  }
  if (o.method === "GET") {
    validate();
    return answerRead(request, reply, database, o, handler as AnyRead, caller, input, list, options);
  }

  const { status } = answerTo(o, input.body);
  const toStored = (made: unknown): StoredAnswer => {
    if (!(made instanceof WithHeaders)) return storedAnswerOf(made);
    reply.headers(made.headers);
    return storedAnswerOf(made.value);
  };
  const storedAnswerOf = (body: unknown): StoredAnswer => ({
    status,
    location:
      o.location === undefined || status !== o.answer.status
        ? null
        : fillLocation(o.location, request.params as Record<string, string>, body),
    body: status === 204 ? null : jsonTextOf(body),
  });
  const prepare = async (): Promise<(tx: Transaction) => Promise<StoredAnswer>> => {
    validate();
    if (typeof handler === "function") return async (tx) => toStored(await handler(tx, caller, input));
    const work = await handler.prepare(database.db, caller, input);
    return async (tx) => toStored(await work(tx));
  };
  let answer: StoredAnswer;
  if (key === undefined) {
    const work = await prepare();
    const ifMatch = request.headers["if-match"];
    answer =
      ifMatch === undefined
        ? await database.transaction(work)
        : await changeIfMatch(ifMatch, o, caller, input, work, database, options);
  } else {
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
    answer = performed;
  }
  reply.code(answer.status);
  if (answer.location !== null) reply.header("Location", answer.location);
  if (o.secretMembers !== undefined || o.setsCookie === true) reply.header("Cache-Control", "no-store");
  if (answer.body === null) return reply.send();
  return reply.type("application/json; charset=utf-8").send(answer.body);
}

/**
 * The change, if the thing is what the tag says. Under repeatable read a change by somebody else between the look and the
 * write fails the write.
 */
async function changeIfMatch(
  ifMatch: string,
  o: Operation,
  caller: AnyCaller,
  input: AnyInput,
  work: (tx: Transaction) => Promise<StoredAnswer>,
  database: OrganizationDatabase,
  options: ServeOptions,
): Promise<StoredAnswer> {
  const read = readerAt.get(o.path);
  if (read === undefined) return database.transaction(work);
  const handler = options.handlers[read as keyof Handlers] as unknown as AnyRead; // checked against its operation by Handlers
  try {
    return await database.transaction(async (tx) => {
      const current = await handler(tx, caller, { ...input, query: {}, body: undefined });
      if (!matchesEtag(ifMatch, etagOf(jsonTextOf(current)))) throw preconditionFailed();
      return work(tx);
    }, "repeatable read");
  } catch (error) {
    throw pgCode(error) === SERIALIZATION_FAILURE ? preconditionFailed() : error;
  }
}

/** Path → the operation that reads the thing there. */
const readerAt = new Map(
  Object.entries(operations as Record<string, Operation>)
    .filter(([, o]) => o.method === "GET" && !o.filters && !o.plain)
    .map(([id, o]) => [o.path, id]),
);

async function readBody(
  request: FastifyRequest,
  o: Operation,
  caller: AnyCaller,
  query: string,
  { bodies }: ServeOptions,
): Promise<RequestBody> {
  const bytes = request.body;
  if (!Buffer.isBuffer(bytes) || bytes.length === 0)
    return { value: undefined, infiniteAt: undefined, fingerprint: () => fingerprintOf(undefined, query) };
  const owner = "organizationId" in caller ? caller.organizationId : NIL_UUID;
  return bodies.read(owner, { bytes, query, rowsAt: o.bodyRowsAt });
}

const isEmptyObject = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).length === 0;

function fillLocation(template: string, params: Record<string, string>, body: unknown): string {
  const members = typeof body === "object" && body !== null ? (body as Record<string, unknown>) : {};
  return template.replace(/\{(\w+)\}/g, (_whole, name: string) => String(params[name] ?? members[name]));
}
