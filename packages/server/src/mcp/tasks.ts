/**
 * Runs as tasks of the extension `io.modelcontextprotocol/tasks`, for clients that declare it: `start_run` and `retry_run` return a
 * handle at once, the client polls `tasks/get`, and the model gets one result when there is something to decide.
 *
 *   run queued or running       working, with the counts as its message
 *   run ended                   completed, with what `wait_for_run` would return
 *   run paused (since created)  completed as well: the model has to act, and a task that has ended never works again
 *   run canceled                cancelled
 *
 * The run is the task, so that nothing is stored for it and any process can serve any message. `tasks/cancel` cancels the run.
 */
import {
  CLIENT_CAPABILITIES_META_KEY,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  fromJsonSchema,
} from "@modelcontextprotocol/server";
import type { ClientCapabilities, McpServer, Result, ServerContext } from "@modelcontextprotocol/server";
import { isTerminal } from "@rowmill/contract/runs";
import type { Run } from "@rowmill/contract/runs";
import { OperationRefused } from "./call-operation.ts";
import type { CallOperation } from "./call-operation.ts";
import type { ToolResult } from "./tool-results.ts";
import { describeRun, summaryOf } from "./run-results.ts";

export const TASKS_EXTENSION = "io.modelcontextprotocol/tasks";

/** Between two looks: a tenth of what is left of the run, within these. */
const LOOKS = 10;
const LEAST_POLL_MS = 1_000;
const MOST_POLL_MS = 15_000;

/** Said in the request itself, and validated by the protocol: there are no sessions. */
export function knowsTasks({ mcpReq: { envelope } }: ServerContext): boolean {
  // The package's type of an envelope has no members.
  const { [CLIENT_CAPABILITIES_META_KEY]: capabilities }: { [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities } =
    envelope ?? {};
  return capabilities?.extensions?.[TASKS_EXTENSION] !== undefined;
}

/**
 * What a tool returns that has begun a run: a task where the client knows them, else the run as it is, as where its state cannot be read
 * now (429).
 */
export async function beginTask(call: CallOperation, isTaskKnown: boolean, run: Run): Promise<ToolResult> {
  if (!isTaskKnown) return describeRun(run);
  try {
    const task = await readTask(call, run.id);
    // Those who ignore the handle have something to read as well.
    return task["status"] === "working" ? { ...task, ...describeRun(run), resultType: "task" } : describeRun(run);
  } catch (error) {
    if (error instanceof OperationRefused) return describeRun(run);
    throw error;
  }
}

const params = fromJsonSchema<{ taskId: string }>({
  type: "object",
  properties: { taskId: { type: "string" } },
  required: ["taskId"],
});

/** `callFor` makes calls with the key of the client, which end with its request. */
export function serveTasks({ server }: McpServer, callFor: (context: ServerContext) => CallOperation): void {
  const handle = (method: string, work: (call: CallOperation, runId: string) => Promise<Result>): void => {
    server.setRequestHandler(method, { params }, async ({ taskId }, context) => {
      if (!knowsTasks(context))
        throw new MissingRequiredClientCapabilityError({
          requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } },
        });
      try {
        return await work(callFor(context), taskId);
      } catch (error) {
        throw error instanceof OperationRefused ? protocolError(error) : error;
      }
    });
  };
  handle("tasks/get", readTask);
  handle("tasks/cancel", async (call, runId) => {
    const { state } = await call("getRun", { params: { runId } });
    if (!isTerminal(state)) await call("cancelRun", { params: { runId } });
    return {};
  });
  // Nothing is ever asked of a client, so there is no response to take.
  handle("tasks/update", async (call, runId) => {
    await call("getRun", { params: { runId } });
    return {};
  });
}

async function readTask(call: CallOperation, runId: string): Promise<Result> {
  const run = await call("getRun", { params: { runId } });
  const { state, progress, createdAt, updatedAt } = run;
  const etaMs = (progress.etaSeconds ?? 0) * 1_000;
  const task = {
    taskId: run.id,
    createdAt,
    lastUpdatedAt: updatedAt,
    ttlMs: null,
    pollIntervalMs: Math.round(Math.min(MOST_POLL_MS, Math.max(LEAST_POLL_MS, etaMs / LOOKS))),
    statusMessage: summaryOf(run),
  };
  if (state === "canceled") return { ...task, status: "cancelled" };
  const isOver = isTerminal(state) || state === "paused" || (await wasPaused(call, runId));
  if (!isOver) return { ...task, status: "working" };
  // It is the result of the call itself, and is marked so: the official client accepts no other.
  return { ...task, status: "completed", result: { ...describeRun(run), resultType: "complete" } };
}

async function wasPaused(call: CallOperation, runId: string): Promise<boolean> {
  const { data } = await call("listRunEvents", { params: { runId }, query: { type: "run.paused", limit: 1 } });
  return data.length > 0;
}

function protocolError({ status, error: { code, message } }: OperationRefused): ProtocolError {
  const isOfTask = status === 400 || status === 404;
  const number = isOfTask ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError;
  return new ProtocolError(number, `${String(code)}: ${String(message)}`);
}
