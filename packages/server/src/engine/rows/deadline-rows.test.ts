import { expect, test } from "vitest";
import type { Failure } from "@rowmill/contract/run-results";
import type { RowUsage, Step } from "../../processors/processor.ts";
import { createBerths } from "./berths.ts";
import { DeadlineReachedError } from "./deadline-rows.ts";
import { processRows } from "./process-rows.ts";
import type { FinishedRowOutcome, RowPlan } from "./process-rows.ts";

const usage: RowUsage = { requests: 1, costUsd: "0.01" };

/** Rows 0 and 3 never end, row 1 succeeds, row 2 fails and waits for its second attempt; there is no place for row 4. */
async function stopRows(reason: Error | undefined): Promise<FinishedRowOutcome[]> {
  const stop = new AbortController();
  let begun = 0;
  const step: Step = {
    maxBatchRows: 1,
    batchesAtOnce: 2,
    async processRows([row], signal) {
      begun++;
      if (row?.index === 1) return [{ ok: true, output: "1", usage }];
      if (row?.index === 2) return [{ ok: false, failure: { code: "network_error", message: "No." }, usage }];
      return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("aborted"))));
    },
  };
  const plan: RowPlan = {
    step,
    checks: {
      checkInputs: (inputs) => Promise.resolve(inputs.map(() => undefined)),
      checkOutputs: (outcomes) => Promise.resolve([...outcomes]),
    },
    retry: { maxAttempts: 2, initialDelayMs: 600_000, maxDelayMs: 600_000 },
    timeoutMs: undefined,
    batchRows: 1,
    berths: createBerths(() => 2),
    random: () => 1,
    reportError: (error) => {
      throw error;
    },
    noteHeld: () => undefined,
    noteGivenUp: () => undefined,
    noteBegun: () => undefined,
    noteReleased: () => undefined,
    noteAllBegun: () => undefined,
  };
  const rows = Array.from({ length: 5 }, (_unused, index) => ({ index, text: "{}" }));
  const ended: FinishedRowOutcome[] = [];
  for await (const batch of processRows(plan, rows, stop.signal)) {
    ended.push(...batch);
    if (batch.length === 0 && begun === 4) stop.abort(reason);
  }
  return ended;
}

test("at the deadline, rows with a call end as failures with what they used; the others stay unfinished", async () => {
  const ended = await stopRows(new DeadlineReachedError());
  expect(ended.map(({ index, attempts, outcome, usage: used }) => [index, attempts, outcome.ok, used])).toEqual([
    [1, 1, true, usage],
    [0, 1, false, undefined],
    [3, 1, false, undefined],
    [2, 1, false, usage],
  ]);
  for (const { outcome } of ended.slice(1))
    expect(outcome).toMatchObject({ ok: false, failure: { code: "deadline_exceeded" } satisfies Partial<Failure> });
});

test("rows that are given up for another reason stay unfinished", async () => {
  expect((await stopRows(undefined)).map(({ index }) => index)).toEqual([1]);
});
