/**
 * Rows that the run's deadline stops after their first call was made. What was called may be paid for, so they end as
 * failures with what is known of their usage; a row without a call stays unfinished and is skipped with the run.
 */
import type { InputRow, RowOutcome, RowUsage } from "../../processors/processor.ts";
import { usedSoFar } from "./try-rows.ts";

/** The reason with which the signal of a chunk is aborted when the run's deadline and the grace for calls have passed. */
export class DeadlineReachedError extends Error {
  override name = "DeadlineReachedError";
  constructor() {
    super("the run's deadline has passed");
  }
}

interface StoppedRow {
  row: InputRow;
  /** Those that have ended. */
  attempts: number;
  startedAt: number;
  usage: RowUsage | undefined;
  interrupted?: RowUsage | undefined;
}

interface EndedRow {
  index: number;
  attempts: number;
  durationMs: number;
  outcome: RowOutcome;
  usage: RowUsage | undefined;
}

/** `inCall`: rows whose call was abandoned. `betweenCalls`: rows that waited for their next attempt. */
export function failAtDeadline(
  inCall: ReadonlyMap<number, StoppedRow>,
  betweenCalls: ReadonlyMap<number, StoppedRow>,
  now: number,
): EndedRow[] {
  const fail = ({ row, startedAt, ...used }: StoppedRow, attempts: number, message: string): EndedRow => ({
    index: row.index,
    attempts,
    durationMs: Math.round(now - startedAt),
    outcome: { ok: false, failure: { code: "deadline_exceeded", message } },
    usage: usedSoFar(used),
  });
  return [
    ...Array.from(inCall.values(), (stopped) =>
      fail(
        stopped,
        stopped.attempts + 1,
        "The run's deadline passed while the row's call was under way; nothing is known of its end.",
      ),
    ),
    ...[...betweenCalls.values()]
      .filter(({ row }) => !inCall.has(row.index))
      .map((stopped) =>
        fail(stopped, stopped.attempts, "The run's deadline passed before the row could be tried again."),
      ),
  ];
}
