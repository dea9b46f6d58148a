import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { createTaskSessionFromClient, resultFromTaskOutcome } from "@modelcontextprotocol/ext-tasks/client";
import type { JsonRpcResponse, RawClientDispatch } from "@modelcontextprotocol/ext-tasks/client";
import { toJsonValue } from "@modelcontextprotocol/ext-tasks/core";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { startTestService } from "../testing/service.ts";
import type { TestOrganization, TestService } from "../testing/service.ts";
import { newDataset, newJobSpec, numberedRows } from "../testing/factories.ts";
import { waitFor } from "../testing/wait.ts";

const EXTENSION = "io.modelcontextprotocol/tasks";
const VERSION = "2026-07-28";

let service: TestService;
let owner: TestOrganization;

beforeAll(async () => {
  service = await startTestService();
  owner = await service.newOrganization();
});

interface Reply {
  result?: Record<string, unknown> & { content?: { text: string }[]; result?: { content: { text: string }[] } };
  error?: { code: number; message: string; data?: unknown };
}

/** One message of the protocol, as a client that knows tasks sends it, or one that does not. */
async function send(
  method: string,
  params: Record<string, unknown>,
  { apiKey = owner.apiKey, isTaskKnown = true } = {},
): Promise<Reply> {
  const name = params["name"] ?? params["taskId"];
  const response = await fetch(new URL("/mcp", service.url), {
    method: "POST",
    headers: {
      authorization: `Bearer ${apiKey}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": VERSION,
      "mcp-method": method,
      ...(typeof name === "string" ? { "mcp-name": name } : {}),
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method,
      params: {
        ...params,
        _meta: {
          "io.modelcontextprotocol/protocolVersion": VERSION,
          "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
          "io.modelcontextprotocol/clientCapabilities": isTaskKnown ? { extensions: { [EXTENSION]: {} } } : {},
        },
      },
    }),
  });
  const text = await response.text();
  const line = text.split("\n").find((one) => one.startsWith("data: "));
  return JSON.parse(line === undefined ? text : line.slice("data: ".length)) as Reply;
}

type StartRun = { name: string; arguments: Record<string, string> };

/** A call of `start_run`. A row takes a minute where `isSlow`. */
async function runOf(rows: number, isSlow: boolean, key: string): Promise<StartRun> {
  const { id: datasetId } = await newDataset(owner.api, numberedRows(rows));
  const processor = { type: "mock" as const, failEvery: 3, ...(isSlow ? { delayMs: 60_000 } : {}) };
  const { id: jobSpecId } = await newJobSpec(owner.api, processor);
  return { name: "start_run", arguments: { datasetId, jobSpecId, maxCostUsd: "1", requestKey: key } };
}

const until = (taskId: string, status: string): Promise<Reply["result"]> =>
  waitFor(
    async () => {
      const { result } = await send("tasks/get", { taskId });
      return result?.["status"] === status ? result : undefined;
    },
    { what: `the task is ${status}` },
  );

test("a client that knows tasks gets a handle of a run, and its result when the run has ended", async () => {
  const discovered = await send("server/discover", {});
  expect(discovered.result?.["capabilities"]).toMatchObject({ extensions: { [EXTENSION]: {} } });

  const slow = await runOf(3, true, "handle");
  const { result: handle } = await send("tools/call", slow);
  expect(handle).toMatchObject({
    resultType: "task",
    status: "working",
    ttlMs: null,
    statusMessage: expect.stringContaining("of 3 rows") as string,
  });
  expect(handle?.["pollIntervalMs"]).toBeGreaterThanOrEqual(1_000);
  const taskId = String(handle?.["taskId"]);
  // A lost response: the repeated call is the same task.
  expect((await send("tools/call", slow)).result).toMatchObject({ resultType: "task", taskId });
  expect((await send("tasks/get", { taskId })).result).toMatchObject({ resultType: "complete", status: "working" });
  expect((await send("tasks/update", { taskId, inputResponses: {} })).result).toMatchObject({ resultType: "complete" });
  expect((await send("tasks/cancel", { taskId })).result).toMatchObject({ resultType: "complete" });
  expect(await until(taskId, "cancelled")).not.toHaveProperty("result");
  // Once more, when there is nothing left to cancel.
  expect((await send("tasks/cancel", { taskId })).error).toBeUndefined();
});

test("a task that has ended has what the tool would have returned, and so has one whose run was paused", async () => {
  const { result: ended } = await send("tools/call", await runOf(3, false, "quick"));
  // It may have ended before the response: then there is no task.
  const text =
    ended?.["resultType"] === "task"
      ? (await until(String(ended["taskId"]), "completed"))?.result?.content[0]?.text
      : ended?.content?.[0]?.text;
  expect(text).toMatch(/^Run run_\w+ is partially_succeeded: 2 succeeded, 1 failed/);

  const { result: handle } = await send("tools/call", await runOf(1, true, "paused"));
  const taskId = String(handle?.["taskId"]);
  await owner.api("POST", `/v1/runs/${taskId}/pause`);
  const paused = await until(taskId, "completed");
  expect(paused?.result?.content[0]?.text).toMatch(/ is paused .*resume/s);
  // The run works again, and the task that has ended does not.
  await owner.api("POST", `/v1/runs/${taskId}/resume`);
  expect((await send("tasks/get", { taskId })).result).toMatchObject({ status: "completed" });
  await owner.api("POST", `/v1/runs/${taskId}/cancel`);
});

test("nobody else gets a handle, and a task is as secret as its run", async () => {
  const call = await runOf(1, true, "secret");
  const { result: plain } = await send("tools/call", call, { isTaskKnown: false });
  expect(plain).toMatchObject({
    resultType: "complete",
    content: [{ text: expect.stringMatching(/^Run run_/) as string }],
  });
  expect(plain).not.toHaveProperty("taskId");
  const taskId = /run_\w+/.exec(plain?.content?.[0]?.text ?? "")?.[0] ?? "";

  expect((await send("tasks/get", { taskId }, { isTaskKnown: false })).error).toMatchObject({
    code: -32_021,
    data: { requiredCapabilities: { extensions: { [EXTENSION]: {} } } },
  });
  const stranger = await service.newOrganization();
  for (const method of ["tasks/get", "tasks/cancel", "tasks/update"])
    expect((await send(method, { taskId }, { apiKey: stranger.apiKey })).error).toMatchObject({ code: -32_602 });
  expect((await send("tasks/get", { taskId: "nothing" })).error).toMatchObject({ code: -32_602 });
  expect((await send("tasks/get", { taskId })).result).toMatchObject({ status: "working" });

  const keyWith = async (scope: string): Promise<string> => {
    const path = `/v1/organizations/${owner.organizationId}/api-keys`;
    return String((await owner.api("POST", path, { body: { name: "Some", scopes: [scope] } })).body["key"]);
  };
  const reader = await keyWith("runs:read");
  expect((await send("tasks/get", { taskId }, { apiKey: reader })).result).toMatchObject({ status: "working" });
  expect((await send("tasks/cancel", { taskId }, { apiKey: reader })).error).toMatchObject({
    message: expect.stringContaining("insufficient_scope") as string,
  });
  expect((await send("tasks/cancel", { taskId })).error).toBeUndefined();
});

/**
 * The official client with its official extension for tasks. The extension sends the messages of tasks past the client, whose types know
 * none, by what the host provides: the official transport here.
 */
async function connectTasks() {
  const newTransport = (): StreamableHTTPClientTransport =>
    new StreamableHTTPClientTransport(new URL("/mcp", service.url), {
      requestInit: { headers: { authorization: `Bearer ${owner.apiKey}` } },
    });
  const clientInfo = { name: "test", version: "1" };
  const clientCapabilities = { extensions: { [EXTENSION]: {} } };
  const client = new Client(clientInfo, {
    versionNegotiation: { mode: "auto" },
    capabilities: clientCapabilities,
  });
  await client.connect(newTransport());
  const transport = newTransport();
  const waiting = new Map<unknown, (response: JsonRpcResponse) => void>();
  const onmessage = (message: JSONRPCMessage): void => {
    if ("result" in message) waiting.get(message.id)?.({ kind: "result", result: toJsonValue(message.result) });
    if (!("error" in message)) return;
    const { code, message: text } = message.error;
    waiting.get(message.id)?.({ kind: "error", error: { code, message: text } });
  };
  Object.assign(transport, { onmessage });
  await transport.start();
  transport.setProtocolVersion(VERSION);
  let id = 0;
  const rawDispatch: RawClientDispatch = async (message) => {
    const request: unknown = message;
    if (!isRequest(request)) throw new Error("the extension sends requests only");
    id += 1;
    const { promise, resolve } = Promise.withResolvers<JsonRpcResponse>();
    waiting.set(id, resolve);
    await transport.send({ jsonrpc: "2.0", id, ...request });
    return promise;
  };
  const session = createTaskSessionFromClient(client, {
    endpointId: "rowmill",
    rawDispatch,
    v2RequestFraming: { protocolVersion: VERSION, clientInfo, clientCapabilities },
  });
  onTestFinished(async () => {
    await session.close();
    await transport.close();
    await client.close();
  });
  return session;
}

const isRequest = (value: unknown): value is { method: string; params?: Record<string, unknown> } =>
  typeof value === "object" && value !== null && "method" in value && typeof value.method === "string";

test("the official client takes a run as a task: it polls, gets the result, resumes by reference, cancels", async () => {
  const session = await connectTasks();
  expect(session.capabilities).toMatchObject({ execution: true, cancellation: true });
  const { arguments: slow } = await runOf(1, true, "official");
  const execution = await session.callTool("start_run", slow);
  if (execution.kind !== "task") throw new Error("the run is no task");
  const { taskId } = execution.handle;
  expect(await session.task(taskId).snapshot()).toMatchObject({ status: "working", taskId });
  const reference = execution.serializeReference();
  await execution.detach();

  // Another process of the host waits for the rest. The run is paused meanwhile, and the model has to act.
  const resumed = await (await connectTasks()).resumeTask(reference);
  await owner.api("POST", `/v1/runs/${taskId}/pause`);
  const { outcome } = await resumed.settle();
  expect(resultFromTaskOutcome(outcome)).toMatchObject({
    content: [{ text: expect.stringMatching(/ is paused .*resume/s) as string }],
  });

  const { arguments: other } = await runOf(1, true, "official-canceled");
  const canceled = await session.callTool("start_run", other);
  const settled = canceled.settle();
  await canceled.cancel();
  expect((await settled).outcome).toMatchObject({ status: "cancelled" });
});
