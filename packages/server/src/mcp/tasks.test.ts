import { beforeAll, expect, test } from "vitest";
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

/** The arguments of `start_run`. A row takes a minute where `isSlow`. */
async function runOf(rows: number, isSlow: boolean, key: string): Promise<Record<string, unknown>> {
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
