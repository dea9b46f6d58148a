/**
 * Serves every operation of the contract. What they share is applied here, from the operation's own fields, in this order:
 *
 *   admission (see `admission.ts`) → ids in the path → Idempotency-Key → body and query → handler → response
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { operations } from "@rowmill/contract";
import type { OperationId } from "@rowmill/contract";
import type { Operation } from "@rowmill/contract/operation";
import type { OrganizationDatabase } from "../database/database.ts";
import { runAs } from "../current-work.ts";
import { admit, performKnown, noteDenial } from "./admission.ts";
import type { AnyCaller } from "./admission.ts";
import type { AnyHandler, AnyReplayCheck } from "./any-operation.ts";
import type { Handlers, PlainHandlers } from "./handlers.ts";
import { parseParams } from "./path-params.ts";
import { performOperation } from "./perform-operation.ts";
import { parseQuery } from "./query.ts";
import { callerOf, databaseFor, searchOf } from "./read-request.ts";
import type { Route, ServeParts } from "./serve-parts.ts";
import { compileBody } from "./validate.ts";

const DEFAULT_BODY_BYTES = 1024 * 1024;

export async function serveOperations(app: FastifyInstance, options: ServeParts): Promise<void> {
  for (const [id, o] of Object.entries(operations) as [OperationId, Operation][]) {
    if (o.plain) continue;
    const route: Route = {
      o,
      handler: options.handlers[id as keyof Handlers] as unknown as AnyHandler, // checked against its operation by Handlers
      checkBody: o.body ? compileBody(o.body) : undefined,
      replayCheck: (options.replayChecks as unknown as Partial<Record<string, AnyReplayCheck>>)[id], // checked by ReplayChecks
    };
    app.route({
      method: o.method,
      url: toFastifyPath(o.path),
      bodyLimit: o.bodyLimitBytes ?? DEFAULT_BODY_BYTES,
      onRequest: (request, reply) => admit(request, reply, o, options),
      handler: asWork(id, async (request, reply) => {
        const perform = () => performOperation(request, reply, route, options);
        try {
          return await performKnown(request, reply, o, perform, options);
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
