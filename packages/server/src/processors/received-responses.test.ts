/** A response that was received was paid for: it counts, whatever comes between it and the outcome of its row. */
import { describe, expect, test, vi } from "vitest";
import { connection, respondJson, rig, startServer } from "./http/http-testing.ts";
import type { Rig } from "./http/http-testing.ts";
import { LARGE_TEXT_CHARACTERS, MANY_VALUES } from "./large-texts.ts";

const LARGE = "x".repeat(LARGE_TEXT_CHARACTERS);

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
  const row = { index: 0, text: JSON.stringify({ filling: LARGE, numbers: Array(MANY_VALUES + 1).fill(1) }) };
  await expect(step.processRows([row], run.signal, clock)).rejects.toThrow("the run ends");
  expect(asked).toEqual([{ wasOff: true, isOfRun: true }]);
  expect(requests).toEqual([]);
});
