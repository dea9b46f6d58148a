/** What a call may cost, and what is paid for one that is abandoned. */
import { describe, expect, test } from "vitest";
import { parseUsd } from "../../platform/usd.ts";
import { RowPostponedError } from "../processor.ts";
import { completion, createTestBudget } from "./llm-testing.ts";
import { config, row, schema, callsOfEachTest } from "./calls-testing.ts";

const calls = callsOfEachTest();

describe("a budget", () => {
  test("that is spent holds back the row that has not begun, and ends the one that has", async () => {
    calls.bench.budget = createTestBudget("0.0001");
    await expect(calls.bench.run(config, row)).rejects.toBeInstanceOf(RowPostponedError);
    expect(calls.provider.seen).toEqual([]);

    const plenty = createTestBudget("1");
    calls.bench.budget = plenty;
    calls.respond = () => completion('{"n":1}');
    await calls.bench.run({ ...config, outputSchema: schema }, row);
    const [ofOneCall = "0"] = plenty.reserved;

    calls.respond = () => completion('{"n":"wrong"}');
    calls.bench.budget = createTestBudget(ofOneCall);
    const outcome = await calls.bench.run({ ...config, outputSchema: schema }, row);
    expect(outcome).toMatchObject({
      ok: false,
      failure: { code: "budget_exhausted" },
      usage: { requests: 1, costUsd: "0.00012" },
    });
    expect(parseUsd(calls.bench.budget.left())).toBe(parseUsd(ofOneCall) - parseUsd("0.00012"));
  });

  test("cannot bound a model without a price: nothing is asked", async () => {
    calls.bench.budget = createTestBudget("1");
    await expect(calls.bench.run({ ...config, model: "unpriced" }, row)).rejects.toThrow(RowPostponedError);
    expect(calls.bench.budget.reserved).toEqual([]);
  });

  test("that nobody has set lets a model without a price be asked, and the request is counted as such", async () => {
    calls.bench.budget = undefined;
    expect((await calls.bench.run({ ...config, model: "unpriced" }, row)).usage).toEqual({
      inputTokens: 100,
      outputTokens: 20,
      requests: 1,
      unpricedRequests: 1,
      calls: [expect.objectContaining({ model: "unpriced" })],
    });
  });

  test("is charged with all that a call may have cost whose response was lost", async () => {
    calls.respond = () => "hang up";
    calls.bench.budget = createTestBudget("1");
    const outcome = await calls.bench.run(config, row);
    expect(calls.bench.budget.settled).toEqual(calls.bench.budget.reserved);
    const [costUsd] = calls.bench.budget.reserved;
    expect(outcome.usage).toMatchObject({ costUsd, assumedCostUsd: costUsd, calls: [{ costUsd, costAssumed: true }] });
  });
});

describe("when the run is stopped", () => {
  test("a call that waits for its response is abandoned, and paid", async () => {
    calls.bench.budget = createTestBudget("1");
    const stopping = new AbortController();
    calls.respond = () => {
      setImmediate(() => stopping.abort(new Error("stopped")));
      return "silence";
    };
    await expect(calls.bench.run(config, row, stopping.signal)).rejects.toThrow("stopped");
    expect(calls.bench.budget.settled).toEqual(calls.bench.budget.reserved);
    expect(calls.bench.settled).toMatchObject([{ end: { outcome: "failed" } }]);
    expect(calls.bench.settled[0]?.end).not.toHaveProperty("tokens");
  });

  test("a row that waits for its turn gives its money back", async () => {
    const stopping = new AbortController();
    const budget = createTestBudget("1");
    calls.bench.budget = {
      ...budget,
      reserve(amount, signal) {
        stopping.abort(new Error("stopped"));
        return budget.reserve(amount, signal);
      },
    };
    await expect(calls.bench.run(config, row, stopping.signal)).rejects.toThrow("stopped");
    expect(budget.settled).toEqual(["0"]);
    expect(budget.left()).toBe("1");
    expect(calls.provider.seen).toEqual([]);
  });

  test("a row that has not begun calls nobody", async () => {
    await expect(calls.bench.run(config, row, AbortSignal.abort(new Error("stopped")))).rejects.toThrow("stopped");
    expect(calls.provider.seen).toEqual([]);
  });
});
