/** A response that was received was paid for: it counts, whatever comes between it and the outcome of its row. */
import { describe, expect, test, vi } from "vitest";
import { ProcessNotStartedError } from "../platform/process-not-started.ts";
import { connection, containing, respondJson, rig, startServer } from "./http/http-testing.ts";
import type { Rig } from "./http/http-testing.ts";
import type { LargeTextTask } from "./large-text-protocol.ts";
import { LARGE_TEXT_CHARACTERS, MANY_VALUES } from "./large-texts.ts";
import { callsOfEachTest, config, row } from "./llm/calls-testing.ts";
import { completion, createTestBudget } from "./llm/llm-testing.ts";

const LARGE = "x".repeat(LARGE_TEXT_CHARACTERS);
const notStarted = new ProcessNotStartedError("a worker process", new Error("there is no memory"));

describe("of an HTTP service", () => {
  const priced = async (): Promise<Rig> => {
    const { origin } = await startServer(respondJson(LARGE));
    const prices = { requestUsd: "0.002" };
    return rig({ url: "/", connection: "conn_1" }, { allowed: [origin], connection: connection(origin, { prices }) });
  };

  test("it is read when its run ends while it waits for a process", async () => {
    const { call, largeTexts } = await priced();
    const run = new AbortController();
    const perform = largeTexts.perform.bind(largeTexts);
    vi.spyOn(largeTexts, "perform").mockImplementation((user, request, signal) => {
      run.abort(new Error("the run ends"));
      return perform(user, request, signal);
    });
    expect(await call({}, { signal: run.signal })).toMatchObject({ ok: true, usage: { costUsd: "0.002" } });
  });

  test("it is in the usage of its row when no process can be started for it", async () => {
    const { call, largeTexts } = await priced();
    vi.spyOn(largeTexts, "perform").mockRejectedValue(notStarted);
    expect(await call({})).toMatchObject({ failure: { code: "internal_error" }, usage: { costUsd: "0.002" } });
  });
});

describe("of a model", () => {
  const calls = callsOfEachTest();
  const notReading = (task: LargeTextTask) => {
    const perform = calls.bench.largeTexts.perform.bind(calls.bench.largeTexts);
    vi.spyOn(calls.bench.largeTexts, "perform").mockImplementation((user, request, signal) =>
      request.task === task ? Promise.reject(notStarted) : perform(user, request, signal),
    );
    calls.respond = () => completion(JSON.stringify(LARGE));
    calls.bench.budget = createTestBudget("10");
  };
  const fallbacks = [{ connection: "conn_a", model: "another" }];

  test("it is paid for when no process can be started to take the secret out", async () => {
    notReading("redact");
    const outcome = await calls.bench.run({ ...config, fallbacks }, row);
    expect(outcome).toMatchObject({
      failure: { code: "internal_error", message: containing("no process could be started") },
      usage: { requests: 1 },
    });
    // All that it may have cost, since nobody has read what it did. To ask another model would cost more.
    expect(calls.bench.budget?.settled).toEqual(calls.bench.budget?.reserved);
    expect(outcome.usage?.costUsd).toBe(calls.bench.budget?.settled[0]);
  });

  test("it is paid for by its tokens when no process can be started to find the output in it", async () => {
    notReading("findJson");
    const outcome = await calls.bench.run({ ...config, fallbacks, outputSchema: { type: "string" } }, row);
    expect(outcome).toMatchObject({
      failure: { code: "internal_error" },
      usage: { requests: 1, inputTokens: 100, outputTokens: 20 },
    });
    expect(outcome.usage?.costUsd).toBe(calls.bench.budget?.settled[0]);
  });
});

test("a row of many values waits for a process off its clock, and no longer than for its run", async () => {
  const { origin, requests } = await startServer(respondJson(1));
  const { step, largeTexts } = await rig({ url: `${origin}/` }, { allowed: [origin] });
  const run = new AbortController();
  let isOff = false;
  const clock = {
    async offTheClock<T>(wait: () => Promise<T>): Promise<T> {
      isOff = true;
      return wait().finally(() => (isOff = false));
    },
    isTimeUp: () => false,
  };
  const asked: { wasOff: boolean; isOfRun: boolean }[] = [];
  vi.spyOn(largeTexts, "perform").mockImplementation((_user, _request, signal) => {
    asked.push({ wasOff: isOff, isOfRun: signal === run.signal });
    return Promise.reject(new Error("the run ends"));
  });
  const large = { index: 0, text: JSON.stringify({ filling: LARGE, numbers: Array(MANY_VALUES + 1).fill(1) }) };
  await expect(step.processRows([large], run.signal, clock)).rejects.toThrow("the run ends");
  expect(asked).toEqual([{ wasOff: true, isOfRun: true }]);
  expect(requests).toEqual([]);
});
