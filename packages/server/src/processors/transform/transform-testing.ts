/** Transforms of rows, some of them hostile, on processors of the test file. */
import { cleanUpLater } from "../../testing/cleanup.ts";
import { createTransformProcessor } from "./transform.ts";
import type { TransformConfig, TransformProcessor } from "./transform.ts";
import type { InputRow, RowOutcome, RunContext } from "../processor.ts";

/** Three seconds instead of ten, for code that never ends and that no budget sees. A quick call takes one, at times, on a busy machine. */
export const CALL_BACKSTOP_MS = 3_000;

export const signal = new AbortController().signal;
export const ROWS = 30;
export const HOSTILE_ROW = 13;

export function contextOf(organizationId: string, runId: string): RunContext {
  return { organizationId, runId, rootRunId: runId, retryNumber: 0 };
}

export function config(code: string): TransformConfig {
  return { type: "transform", language: "javascript", code };
}

export function rowsOf(values: unknown[]): InputRow[] {
  return values.map((value, index) => ({ index, text: JSON.stringify(value) }));
}

export function results(outcomes: RowOutcome[]): unknown[] {
  return outcomes.map((outcome) => (outcome.ok ? (JSON.parse(outcome.output) as unknown) : outcome.failure.code));
}

export const goodRun = {
  code: "export default (row) => ({ sum: [row.n, 1].map((x) => x * 2).join('+') });",
  rows: rowsOf([{ n: 1 }]),
};

/** Two processors until the end of the file, and what runs code on them. */
export function startProcessors() {
  const processor = createTransformProcessor({ threads: 2 });
  const impatient = createTransformProcessor({ threads: 2, callBackstopMs: CALL_BACKSTOP_MS });
  cleanUpLater(async () => void (await Promise.all([processor.close(), impatient.close()])));

  async function run(
    code: string,
    rows: InputRow[],
    by = "org_a",
    through: TransformProcessor = processor,
  ): Promise<RowOutcome[]> {
    const step = await through.prepare(config(code), contextOf(by, `run_${by}`));
    return step.processRows(rows, signal);
  }

  /** Runs `statement` on one row of thirty; the others return their number. */
  async function runBetweenGoodRows(statement: string, through = processor): Promise<RowOutcome[]> {
    const code = `export default (row) => { if (row.n === ${HOSTILE_ROW}) { ${statement} } return row.n; };`;
    return run(code, rowsOf(Array.from({ length: ROWS }, (_, n) => ({ n }))), "org_a", through);
  }
  return { processor, impatient, run, runBetweenGoodRows };
}
