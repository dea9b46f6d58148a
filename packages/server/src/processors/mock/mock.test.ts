import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import type { InputRow, RowOutcome } from "../processor.ts";
import { type MockConfig, mockProcessor } from "./mock.ts";

const signal = new AbortController().signal;
const rows: InputRow[] = Array.from({ length: 10 }, (_, index) => ({ index, text: `{"n":${index}}` }));

async function run(config: Omit<MockConfig, "type">, retryNumber = 0): Promise<RowOutcome[]> {
  const context = { organizationId: "org_a", runId: "run_a", rootRunId: "run_a", retryNumber };
  const step = await mockProcessor.prepare({ type: "mock", ...config }, context);
  return step.processRows(rows, signal);
}

function failedIndexes(outcomes: RowOutcome[]): number[] {
  return outcomes.flatMap((outcome, index) => (outcome.ok ? [] : [index]));
}

test("a row is returned as it is, byte for byte", async () => {
  expect(await run({})).toEqual(rows.map(({ text }) => ({ ok: true, output: `{"echo":${text}}` })));
});

test("every third row fails, in every run, and the run does not try it again by itself", async () => {
  for (const retryNumber of [0, 1, 5]) {
    // One run after the other is what is tested.
    const outcomes = await run({ failEvery: 3 }, retryNumber);
    expect(failedIndexes(outcomes)).toEqual([2, 5, 8]);
    expect(outcomes[2]).toMatchObject({ failure: { code: "provider_overloaded", triedAgain: false } });
  }
});

test("rows fail only until the retry that is named", async () => {
  const config = { failEvery: 5, failUntilRetry: 2, code: "http_5xx" } as const;
  expect(failedIndexes(await run(config, 0))).toEqual([4, 9]);
  expect(failedIndexes(await run(config, 1))).toEqual([4, 9]);
  expect(failedIndexes(await run(config, 2))).toEqual([]);
  expect((await run(config, 0))[4]).toMatchObject({ failure: { code: "http_5xx" } });
});

test("failEvery 1 fails every row", async () => {
  expect(failedIndexes(await run({ failEvery: 1 }))).toHaveLength(rows.length);
});

test("the rows of a batch wait at once, at least as long as a row takes", async () => {
  const ended: string[] = [];
  await Promise.all([
    // One after the other they would take two seconds.
    run({ delayMs: 200 }).then((outcomes) => ended.push(`${outcomes.length} rows`)),
    wait(100).then(() => ended.push("less than a row takes")),
    wait(1_000).then(() => ended.push("what five rows take")),
  ]);
  expect(ended).toEqual(["less than a row takes", "10 rows", "what five rows take"]);
});

test("a batch that is canceled while it waits is rejected at once", async () => {
  const context = { organizationId: "org_a", runId: "run_a", rootRunId: "run_a", retryNumber: 0 };
  const step = await mockProcessor.prepare({ type: "mock", delayMs: 600_000 }, context);
  const controller = new AbortController();
  const inFlight = step.processRows(rows, controller.signal);
  controller.abort();
  await expect(inFlight).rejects.toMatchObject({ name: "AbortError" });
  await expect(step.processRows(rows, controller.signal)).rejects.toMatchObject({ name: "AbortError" });
});
