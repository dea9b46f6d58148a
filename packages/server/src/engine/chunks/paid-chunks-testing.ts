/** Chunks whose rows are paid for, and what is counted of them. */
import type { Step } from "../../processors/processor.ts";
import { createCallSlots } from "../rows/call-slots.ts";
import { planOf } from "../rows/rows-testing.ts";
import type { ClaimedChunk } from "./chunk-claims.ts";
import type { ChunkWork } from "./chunk-work.ts";
import { CHUNK_ROWS, startChunkService } from "./chunks-testing.ts";
import type { TestRun } from "./chunks-testing.ts";

export const PAID = { requests: 1, inputTokens: 10, outputTokens: 5, costUsd: "0.5" };
export const paid = (times: number) => ({
  requests: times,
  inputTokens: 10 * times,
  outputTokens: 5 * times,
  costUsd: String(0.5 * times),
});

export const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));

export async function startPaidChunks() {
  const chunks = await startChunkService();
  const { pool, workOf } = chunks;

  /** Each row calls once, which is paid, and then does what `more` does. */
  function payingWork(
    run: TestRun,
    more: (index: number, signal: AbortSignal) => Promise<void>,
    others: Partial<ChunkWork> = {},
  ): ChunkWork {
    const processRows: Step["processRows"] = (rows, signal, clock) =>
      Promise.all(
        rows.map(async (row) => {
          clock?.noteUsage?.(row, PAID);
          await more(row.index, signal);
          return { ok: true, output: row.text, usage: PAID } as const;
        }),
      );
    const step = { maxRowsPerCall: 1, callsAtOnce: CHUNK_ROWS, processRows };
    const plan = planOf(step, { slots: createCallSlots(() => CHUNK_ROWS), reportError: () => undefined });
    return workOf(run, () => Promise.reject(new Error("not called")), { plan, rowsPerCall: () => 1, ...others });
  }

  async function countersOf(run: TestRun, { chunkNo }: ClaimedChunk) {
    const { rows } = await pool.query<{ requests: number }>({
      values: [run.id, chunkNo],
      text: `
        select attempts, requests::int, input_tokens::int as "inputTokens", output_tokens::int as "outputTokens", cost_usd::float8::text as "costUsd"
        from run_chunks where run_id = $1 and chunk_no = $2`,
    });
    return rows[0];
  }

  async function usesOf(run: TestRun): Promise<object[]> {
    const { rows } = await pool.query<{ requests: number }>({
      values: [run.id],
      text: `select sum(requests)::int as requests, sum(cost_usd)::float8::text as "costUsd" from usage_days where run_id = $1`,
    });
    return rows;
  }

  return { ...chunks, payingWork, countersOf, usesOf };
}
