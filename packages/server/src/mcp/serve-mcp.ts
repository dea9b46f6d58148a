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
import { idOf, isReturned, isToolCall, refusalOf, rpcErrorOf } from "./refused-messages.ts";
import type { RpcId } from "./refused-messages.ts";

/** As other operations take; models write no longer messages. More rows come from a URL or the command line. */
const MAX_BODY_BYTES = 1024 * 1024;
/** Where a call of a tool has its rows: their numbers keep their digits on the way to the operation. */
const ROWS_OF_CALL = ["params", "arguments", "rows"];
/** Likewise the integers of schemas. */
const SCHEMAS_OF_CALL = [
  ["params", "arguments", "outputSchema"],
  ["params", "arguments", "processor", "outputSchema"],
];
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
    /** Of the message, once it was read. */
    mcpId?: RpcId | undefined;
    /** The key may not be used at the moment: the tool that the message calls returns it. */
    mcpRefusal?: OperationRefused;
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
    onSend: asRpcError,
    handler: async (request, reply) => {
      const { message, refusal } = await readMessage(request, parts);
      if (refusal !== undefined && !isToolCall(message))
        return reply.code(refusal.status).send({ error: refusal.error });
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
        refusal,
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
    onSend: asRpcError,
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
    if (error.retryAfterSeconds !== undefined) reply.header("Retry-After", error.retryAfterSeconds);
    if (!isReturned(error, request.headers)) return reply.code(error.status).send({ error: error.error });
    request.mcpRefusal = error;
    return undefined;
  }
}

/** Errors have the envelope of the API up to here; what the protocol responds is a stream. */
function asRpcError(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
  done: (error: null, payload: unknown) => void,
): void {
  const isError = reply.statusCode >= 400 && typeof payload === "string";
  done(null, isError ? rpcErrorOf(payload, reply.statusCode, request.mcpId) : payload);
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

interface Read {
  message: unknown;
  /** What the tool that the message calls returns in place of its result. */
  refusal?: OperationRefused | undefined;
}

async function readMessage(request: FastifyRequest, { bodies, publicUrl }: McpParts): Promise<Read> {
  if (!Buffer.isBuffer(request.body)) throw new ApiError("invalid_request", "A JSON body is required.");
  const { value, infiniteAt, inexactAt } = await bodies.read(request.mcpParty ?? "", {
    bytes: request.body,
    query: "",
    rowsAt: ROWS_OF_CALL,
    schemasAt: SCHEMAS_OF_CALL,
  });
  if (Array.isArray(value)) throw new ApiError("invalid_request", "Send one message at a time.");
  request.mcpId = idOf(value);
  if (request.mcpRefusal !== undefined) return { message: value, refusal: request.mcpRefusal };
  if (infiniteAt === undefined && inexactAt === undefined) return { message: value };
  const error = infiniteAt === undefined ? tooManyDigits(inexactAt ?? "") : numberOutOfRange(infiniteAt);
  if (!isToolCall(value)) throw error;
  return { message: value, refusal: refusalOf(error, request.id, publicUrl()) };
}

function send(reply: FastifyReply, response: Response): FastifyReply {
  reply.code(response.status);
  for (const [name, value] of response.headers) reply.header(name, value);
  if (response.body === null) return reply.send();
  return reply.send(Readable.fromWeb(response.body));
}
