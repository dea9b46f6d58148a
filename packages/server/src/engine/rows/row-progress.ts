/**
 * What of a chunk's rows is under way: those that have begun and have no recorded result, and those that were abandoned or rest between
 * attempts.
 */
import type { RowUsage } from "../../processors/processor.ts";

/** A row that was abandoned between two attempts: no outcome contains what the first ones have used. */
export interface AbandonedRow {
  index: number;
  /** Those that have ended. */
  attempts: number;
  usage: RowUsage | undefined;
  /** The row rests: it goes on where it was. Absent: it begins again. */
  retry?: PendingRetry;
}

/** Of a row that waits for its next attempt under no claim. Times are in milliseconds of the wall clock. */
export interface PendingRetry {
  /** Attempts that were made, under all claims. */
  tries: number;
  /** 0: its time begins with its next call. */
  startedAt: number;
  dueAt: number;
  /** As in `Waiting`. */
  isAlone?: true;
}

export class RowProgress {
  readonly #inFlight = new Set<number>();
  /** Of these, those for which something was paid. */
  readonly #paid = new Set<number>();
  #abandoned: AbandonedRow[] = [];
  #restsUntil: number | undefined;
  #isChanged = true;

  begin(indexes: readonly number[]): void {
    for (const index of indexes) this.#inFlight.add(index);
    this.#isChanged = true;
  }

  /** Rows that were not tried after all, or whose results are committed. */
  end(indexes: readonly number[]): void {
    for (const index of indexes) {
      this.#paid.delete(index);
      if (this.#inFlight.delete(index)) this.#isChanged = true;
    }
  }

  /** A row in flight has used this so far. */
  noteUsage(index: number, { inputTokens = 0, outputTokens = 0, costUsd = "0" }: RowUsage): void {
    if (inputTokens + outputTokens > 0 || Number(costUsd) > 0) this.#paid.add(index);
  }

  /** Whether something would be paid again if the rows in flight were abandoned, and began again. */
  get hasPaid(): boolean {
    return this.#paid.size > 0;
  }

  abandon(rows: readonly AbandonedRow[]): void {
    this.#abandoned.push(...rows);
  }

  /** Until then nothing is to be done for the chunk. Undefined: it does not rest. */
  get restsUntil(): number | undefined {
    return this.#restsUntil;
  }

  restUntil(dueAt: number): void {
    this.#restsUntil = Math.min(dueAt, this.#restsUntil ?? Number.POSITIVE_INFINITY);
  }

  takeAbandoned(): AbandonedRow[] {
    return this.#abandoned.splice(0);
  }

  /** Reports the indexes of the rows in flight if they have changed since the last successful report. */
  async report(write: (inFlight: number[]) => Promise<void>): Promise<void> {
    if (!this.#isChanged) return;
    this.#isChanged = false;
    try {
      await write([...this.#inFlight]);
    } catch (error) {
      this.#isChanged = true;
      throw error;
    }
  }
}
