import { expect, test } from "vitest";
import type { Failure } from "@rowmill/contract/run-results";
import type { RowUsage, Step } from "../../processors/processor.ts";
import { createCallSlots } from "./call-slots.ts";
import { DeadlineReachedError } from "./deadline-rows.ts";
import { processRows } from "./process-rows.ts";
import type { FinishedRowOutcome } from "./try-rows.ts";
import { planOf, rowsUpTo } from "./rows-testing.ts";
import { RunControl } from "./run-control.ts";

const usage: RowUsage = { requests: 1, costUsd: "0.01" };

/** Rows 0 and 3 never end, row 1 succeeds, row 2 fails and waits for its second attempt; there is no place for row 4. */
async function stopRows(
  reason: Error | undefined,
  traits: Pick<Step, "callsAreFree"> = {},
): Promise<FinishedRowOutcome[]> {
  const control = new RunControl();
  let begun = 0;
  const step: Step = {
    maxRowsPerCall: 1,
    callsAtOnce: 2,
    ...traits,
    async processRows([row], signal) {
      begun++;
      if (row?.index === 1) return [{ ok: true, output: "1", usage }];
      if (row?.index === 2) return [{ ok: false, failure: { code: "network_error", message: "No." }, usage }];
      return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("aborted"))));
    },
  };
  const retry = { maxAttempts: 2, initialDelayMs: 600_000, maxDelayMs: 600_000 };
  const plan = planOf(step, { retry, slots: createCallSlots(() => 2), random: () => 1 });
  const ended: FinishedRowOutcome[] = [];
  for await (const together of processRows(plan, rowsUpTo(5), control)) {
    ended.push(...together);
    if (together.length === 0 && begun === 4) control.abort(reason);
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

test("rows that are abandoned for another reason stay unfinished", async () => {
  expect((await stopRows(undefined)).map(({ index }) => index)).toEqual([1]);
});

test("rows whose calls cost nothing stay unfinished at the deadline, also alone in their call", async () => {
  const ended = await stopRows(new DeadlineReachedError(), { callsAreFree: true });
  // The third has had an attempt, and would have another one.
  expect(ended.map(({ index, outcome }) => [index, outcome.ok])).toEqual([
    [1, true],
    [2, false],
  ]);
});
