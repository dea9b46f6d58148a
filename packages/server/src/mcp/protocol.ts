/** The Model Context Protocol: a server object for each message, with the tools. Loaded with the first message. */
import { readFileSync } from "node:fs";
import { McpServer, createMcpHandler } from "@modelcontextprotocol/server";
import type { ServerContext } from "@modelcontextprotocol/server";
import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import { errorCodes } from "@rowmill/contract/errors";
import { OperationRefused, operationsFor } from "./call-operation.ts";
import type { McpCaller } from "./call-operation.ts";
import { plural } from "../platform/plural.ts";
import { errorOf } from "./tool-results.ts";
import type { ToolResult } from "./tool-results.ts";
import { TASKS_EXTENSION, knowsTasks, serveTasks } from "./tasks.ts";
import type { Tool, ToolContext } from "./tool.ts";
import { instructions, tools } from "./tools.ts";

/** Nothing about a service changes while it runs, so that nobody has to listen. */
const MAX_SUBSCRIPTIONS = 0;

const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
  version: string;
};

export type McpHandler = ReturnType<typeof createMcpHandler>;

export function openProtocol(app: FastifyInstance, log: Logger, maxBodyBytes: number): McpHandler {
  return createMcpHandler(
    ({ authInfo }) => {
      const caller = authInfo?.extra?.["caller"] as McpCaller; // as `serve-mcp.ts` passes it
      return serverFor(app, caller, log);
    },
    {
      maxSubscriptions: MAX_SUBSCRIPTIONS,
      maxRequestBodySize: maxBodyBytes,
      onerror: (error) => log.debug({ err: error }, "a message of an MCP client was refused"),
    },
  );
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
      return runTool(refused(own) ?? one.run, parts, input, log);
    });
  }
  serveTasks(server, (context) => operationsFor(app, callerIn(context)));
  return server;
}

/** In place of a tool whose call was refused before. */
function refused({ refusal }: McpCaller): Tool["run"] | undefined {
  return refusal === undefined ? undefined : () => Promise.reject(refusal);
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
    const wait =
      error.retryAfterSeconds === undefined ? "" : ` Wait ${plural(error.retryAfterSeconds, "second")} first.`;
    const hint = code === "not_found" ? " The tool find lists ids." : "";
    return errorOf(
      `${String(code)} (${error.status}, ${String(requestId)}): ${known?.action ?? ""}${wait}${hint}${scopes}`,
      [{ message, param }, ...listed, ...(nextSteps === undefined ? [] : [{ nextSteps }])],
    );
  }
}
