/**
 * `POST /mcp`: the tools for agents, by the Model Context Protocol (streamable HTTP, stateless). A message is served by a server object
 * of its own, so that any process can serve the next one. Clients of 2025 are served, too.
 *
 *   Host, Origin → key and its limit (as `GET /v1/me`) → body → tool → operations with the same key
 */
import { readFileSync } from "node:fs";
import { Readable } from "node:stream";
import { McpServer, createMcpHandler } from "@modelcontextprotocol/server";
import type { ServerContext } from "@modelcontextprotocol/server";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "pino";
import { errorCodes } from "@rowmill/contract/errors";
import { ApiError } from "../platform/http/errors.ts";
import { numberOutOfRange } from "../platform/http/json-body.ts";
import type { BodyReader } from "../platform/http/read-body.ts";
import { OperationRefused, operationsFor } from "./operations.ts";
import type { McpCaller } from "./operations.ts";
import { requireKnownHost } from "./own-hosts.ts";
import { errorOf } from "./results.ts";
import type { ToolResult } from "./results.ts";
import { TASKS_EXTENSION, knowsTasks, serveTasks } from "./tasks.ts";
import type { Tool, ToolContext } from "./tool.ts";
import { instructions, tools } from "./tools.ts";

/** As other operations take; models write no longer messages. More rows come from a URL or the command line. */
const MAX_BODY_BYTES = 1024 * 1024;
/** Of the request, what the protocol reads. */
const FORWARDED_HEADERS = ["accept", "content-type", "mcp-protocol-version", "mcp-method", "mcp-name"];
/** Nothing about a service changes while it runs, so that nobody has to listen. */
const MAX_SUBSCRIPTIONS = 0;

const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
  version: string;
};

export interface McpOptions {
  publicUrl: () => string;
  corsOrigins: readonly string[];
  bodies: BodyReader;
  log: Logger;
}

declare module "fastify" {
  interface FastifyRequest {
    /** Whose turn it is where bodies are read; the organization, or the admin. */
    mcpParty?: string;
  }
}

export function serveMcp(app: FastifyInstance, options: McpOptions): void {
  const { log } = options;
  const handler = createMcpHandler(
    ({ authInfo }) => {
      const caller = authInfo?.extra?.["caller"] as McpCaller; // as passed below
      return serverFor(app, caller, log);
    },
    {
      maxSubscriptions: MAX_SUBSCRIPTIONS,
      maxRequestBodySize: MAX_BODY_BYTES,
      onerror: (error) => log.debug({ err: error }, "a message of an MCP client was refused"),
    },
  );
  app.addHook("onClose", () => handler.close());

  app.route({
    method: "POST",
    url: "/mcp",
    bodyLimit: MAX_BODY_BYTES,
    onRequest: async (request, reply) => {
      requireKnownHost(request.headers, options.publicUrl(), options.corsOrigins);
      await admit(app, request, reply);
    },
    handler: async (request, reply) => {
      const message = await readMessage(request, options.bodies);
      const gone = new AbortController();
      reply.raw.once("close", () => gone.abort());
      const headers = new Headers();
      for (const name of FORWARDED_HEADERS) {
        const value = request.headers[name];
        if (typeof value === "string") headers.set(name, value);
      }
      const response = await handler.fetch(
        new Request(new URL("/mcp", options.publicUrl()), { method: "POST", headers, signal: gone.signal }),
        {
          parsedBody: message,
          authInfo: { token: "", clientId: "", scopes: [], extra: { caller: callerOf(request, gone.signal) } },
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
  const { value, infiniteAt } = await bodies.read(request.mcpParty ?? "", {
    bytes: request.body,
    query: "",
    rowsAt: undefined,
  });
  if (infiniteAt !== undefined) throw numberOutOfRange(infiniteAt);
  if (Array.isArray(value)) throw new ApiError("invalid_request", "Send one message at a time.");
  return value;
}

function serverFor(app: FastifyInstance, caller: McpCaller, log: Logger): McpServer {
  const server = new McpServer(
    { name: "rowmill", title: "Rowmill", version },
    { instructions, capabilities: { extensions: { [TASKS_EXTENSION]: {} } } },
  );
  const callerIn = ({ mcpReq }: ServerContext): McpCaller => ({
    ...caller,
    signal: AbortSignal.any([caller.signal, mcpReq.signal]),
  });
  for (const { name, title, description, annotations, inputSchema, ...one } of tools) {
    server.registerTool(name, { title, description, annotations, inputSchema }, (input, context) => {
      const own = callerIn(context);
      const parts = { call: operationsFor(app, own), signal: own.signal, isTaskKnown: knowsTasks(context) };
      return runTool(one.run, parts, input, log);
    });
  }
  serveTasks(server, (context) => operationsFor(app, callerIn(context)));
  return server;
}

async function runTool(run: Tool["run"], context: ToolContext, input: unknown, log: Logger): Promise<ToolResult> {
  try {
    return await run(context, input);
  } catch (error) {
    context.signal.throwIfAborted();
    if (!(error instanceof OperationRefused)) {
      log.error({ err: error }, "a tool failed");
      return errorOf("internal_error: an error of the service, which is in its log.");
    }
    const { code, message, param, details, requiredScopes, nextSteps, requestId } = error.error;
    const listed: readonly unknown[] = Array.isArray(details) ? details : [];
    const known = Object.entries(errorCodes).find(([name]) => name === code)?.[1];
    const scopes = Array.isArray(requiredScopes) ? ` The key needs ${requiredScopes.join(", ")}.` : "";
    return errorOf(`${String(code)} (${error.status}, ${String(requestId)}): ${known?.action ?? ""}${scopes}`, [
      { message, param },
      ...listed,
      ...(nextSteps === undefined ? [] : [{ nextSteps }]),
    ]);
  }
}

function send(reply: FastifyReply, response: Response): FastifyReply {
  reply.code(response.status);
  for (const [name, value] of response.headers) reply.header(name, value);
  if (response.body === null) return reply.send();
  return reply.send(Readable.fromWeb(response.body));
}
