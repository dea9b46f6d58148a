/**
 * `POST /mcp`: the tools for agents, by the Model Context Protocol (streamable HTTP, stateless). A message is served by a server object
 * of its own, so that any process can serve the next one. Clients of 2025 are served, too.
 *
 *   Host, Origin → key and its limit (as `GET /v1/me`) → body → tool → operations with the same key
 */
import { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "pino";
import { ApiError } from "../platform/http/errors.ts";
import { numberOutOfRange, tooManyDigits } from "../platform/http/json-body.ts";
import { findRows } from "../platform/http/exact-lines.ts";
import { linesOf } from "../platform/http/read-body.ts";
import type { BodyReader } from "../platform/http/read-body.ts";
import { OperationRefused, operationsFor } from "./call-operation.ts";
import type { McpCaller } from "./call-operation.ts";
import { requireKnownHost } from "./own-hosts.ts";
import type { McpHandler } from "./protocol.ts";

/** As other operations take; models write no longer messages. More rows come from a URL or the command line. */
const MAX_BODY_BYTES = 1024 * 1024;
/** Where a call of a tool has its rows: their numbers keep their digits on the way to the operation. */
const ROWS_OF_CALL = ["params", "arguments", "rows"];
/** Of the request, what the protocol reads. */
const FORWARDED_HEADERS = ["accept", "content-type", "mcp-protocol-version", "mcp-method", "mcp-name"];

export interface McpParts {
  publicUrl: () => string;
  corsOrigins: readonly string[];
  bodies: BodyReader;
  log: Logger;
}

declare module "fastify" {
  interface FastifyRequest {
    /** The owner in the fair share of body reading: the organization, or the admin. */
    mcpParty?: string;
  }
}

export function serveMcp(app: FastifyInstance, parts: McpParts): void {
  // The protocol takes a tenth of a second and some megabytes to load: with the first message.
  let opened: Promise<McpHandler> | undefined;
  const open = (): Promise<McpHandler> =>
    (opened ??= import("./protocol.ts").then(({ openProtocol }) => openProtocol(app, parts.log, MAX_BODY_BYTES)));
  app.addHook("onClose", async () => (await opened)?.close());

  app.route({
    method: "POST",
    url: "/mcp",
    bodyLimit: MAX_BODY_BYTES,
    onRequest: async (request, reply) => {
      requireKnownHost(request.headers, parts.publicUrl(), parts.corsOrigins);
      await admit(app, request, reply);
    },
    handler: async (request, reply) => {
      const message = await readMessage(request, parts.bodies);
      const gone = new AbortController();
      reply.raw.once("close", () => gone.abort());
      const headers = new Headers();
      for (const name of FORWARDED_HEADERS) {
        const value = request.headers[name];
        if (typeof value === "string") headers.set(name, value);
      }
      const rows = findRows(message, ROWS_OF_CALL);
      const caller: McpCaller = {
        ...callerOf(request, gone.signal),
        rowLines: rows === undefined ? undefined : linesOf(rows),
      };
      const handler = await open();
      const response = await handler.fetch(
        new Request(new URL("/mcp", parts.publicUrl()), { method: "POST", headers, signal: gone.signal }),
        {
          parsedBody: message,
          authInfo: { token: "", clientId: "", scopes: [], extra: { caller } },
        },
      );
      return send(reply, response);
    },
  });
  app.route({
    method: ["GET", "DELETE"],
    url: "/mcp",
    handler: () => {
      throw new ApiError("method_not_allowed", "This path takes POST: the service keeps no sessions.", {
        headers: { Allow: "POST" },
      });
    },
  });
}

/** The key is checked, counted and audited as for any request, before a byte of the body is read. */
async function admit(app: FastifyInstance, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const call = operationsFor(app, callerOf(request, new AbortController().signal));
  try {
    const me = await call("getMe");
    request.mcpParty = me.organizationId ?? "admin";
    return undefined;
  } catch (error) {
    if (!(error instanceof OperationRefused)) throw error;
    if (error.status === 401) reply.header("WWW-Authenticate", "Bearer");
    return reply.code(error.status).send({ error: error.error });
  }
}

function callerOf(request: FastifyRequest, signal: AbortSignal): McpCaller {
  const forwarded = request.headers["x-forwarded-for"];
  return {
    authorization: request.headers.authorization,
    remoteAddress: request.socket.remoteAddress ?? "",
    forwardedFor: Array.isArray(forwarded) ? forwarded.join(",") : forwarded,
    signal,
  };
}

async function readMessage(request: FastifyRequest, bodies: BodyReader): Promise<unknown> {
  if (!Buffer.isBuffer(request.body)) throw new ApiError("invalid_request", "A JSON body is required.");
  const { value, infiniteAt, inexactAt } = await bodies.read(request.mcpParty ?? "", {
    bytes: request.body,
    query: "",
    rowsAt: ROWS_OF_CALL,
  });
  if (infiniteAt !== undefined) throw numberOutOfRange(infiniteAt);
  if (inexactAt !== undefined) throw tooManyDigits(inexactAt);
  if (Array.isArray(value)) throw new ApiError("invalid_request", "Send one message at a time.");
  return value;
}

function send(reply: FastifyReply, response: Response): FastifyReply {
  reply.code(response.status);
  for (const [name, value] of response.headers) reply.header(name, value);
  if (response.body === null) return reply.send();
  return reply.send(Readable.fromWeb(response.body));
}
