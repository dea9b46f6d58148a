/** Rows, and a plan for them, of tests of the engine's inside. */
import type { InputRow, RowOutcome } from "../../processors/processor.ts";
import { createCallSlots } from "./call-slots.ts";
import type { RowPlan } from "./try-rows.ts";
import { RowProgress } from "./row-progress.ts";

export const rowsUpTo = (count: number): InputRow[] =>
  Array.from({ length: count }, (_unused, index) => ({ index, text: `{"n":${index}}` }));

export const good: RowOutcome = { ok: true, output: "1" };

export const noChecks: RowPlan["checks"] = {
  checkInputs: (rows) => Promise.resolve(rows.map(() => undefined)),
  checkOutputs: (outcomes) => Promise.resolve([...outcomes]),
};

/** Without pauses between attempts; an error that a processor throws fails the test. */
export const planOf = (step: RowPlan["step"], more: Partial<RowPlan> = {}): RowPlan => ({
  step,
  checks: noChecks,
  retry: { initialDelayMs: 0, maxDelayMs: 0 },
  timeoutMs: undefined,
  rowsPerCall: step.maxRowsPerCall === 1 ? 1 : 100,
  slots: createCallSlots(() => 1),
  random: () => 0.5,
  reportError: (error) => {
    throw error;
  },
  progress: new RowProgress(),
  ...more,
});
