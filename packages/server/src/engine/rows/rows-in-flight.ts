/** The rows of a chunk that are in a call, and what is known of those that have begun and not ended. */
import { setTimeout as wait } from "node:timers/promises";
import { failAtDeadline } from "./deadline-rows.ts";
import type { AbandonedRow } from "./row-progress.ts";
import type { RunControl } from "./run-control.ts";
import { present } from "../../platform/present.ts";
import { hasBegun, tryRows, usedSoFar } from "./try-rows.ts";
import type { FinishedRowOutcome, RowPlan, Tried, Waiting } from "./try-rows.ts";

/** Calls that are aborted end at once, and outputs are checked: what was paid for is recorded, unless that takes longer. */
const END_GRACE_MS = 2_000;
/** Calls under way that nobody can record: those that respond by then are counted with what they have used, others with the most. */
const CALL_GRACE_MS = 2_000;

export class RowsInFlight {
  readonly #plan: RowPlan;
  readonly #control: RunControl;
  readonly #landed: Tried[] = [];
  #calls = 0;
  #wake = Promise.withResolvers<void>();
  #failure: { error: unknown } | undefined;
  /** Rows of which an attempt has ended, and they have not. */
  readonly #unended = new Map<number, Waiting>();
  /** Rows that are alone in a call which has not ended, and may have cost something. */
  readonly #inCall = new Map<number, Waiting>();
  readonly #trying = new Set<Promise<unknown>>();
  #isOver = false;

  constructor(plan: RowPlan, control: RunControl) {
    this.#plan = plan;
    this.#control = control;
  }

  /** Calls that have not ended. */
  get calls(): number {
    return this.#calls;
  }

  get hasLanded(): boolean {
    return this.#landed.length > 0;
  }

  /** Resolves when something lands, or when it has landed since this was read last. */
  get landing(): Promise<void> {
    return this.#wake.promise;
  }

  /** The caller has seen that something landed. */
  watchNext(): void {
    this.#wake = Promise.withResolvers<void>();
  }

  /** One slot of the plan is taken for the call; it is released here. */
  begin(entries: Waiting[]): void {
    const { progress, slots, step } = this.#plan;
    this.#calls++;
    progress.begin(entries.map(({ row }) => row.index));
    const [only] = entries;
    const isAlone = step.maxRowsPerCall === 1 && step.callsAreFree !== true;
    if (only !== undefined && isAlone) this.#inCall.set(only.row.index, only);
    const trying: Promise<unknown> = tryRows(this.#plan, entries, this.#control)
      .then(
        (tried) => this.#land(tried),
        (error: unknown) => (this.#failure = { error }),
      )
      .finally(() => {
        this.#calls--;
        this.#trying.delete(trying);
        slots.leave();
        this.#wake.resolve();
      });
    this.#trying.add(trying);
  }

  /** Of what has landed, no row waits for its first call. */
  haveAllBegun(): boolean {
    return this.#landed.flat().every((end) => !("row" in end) || hasBegun(end));
  }

  /** What has landed since the last look. Throws what broke a call. */
  takeLanded(): Tried {
    if (this.#failure !== undefined) throw this.#failure.error;
    return this.#landed.splice(0).flat();
  }

  /**
   * Rows that have ended, of calls that the caller did not wait for; each is taken once. All are aborted by now; they, and checks of outputs,
   * get a moment.
   */
  async takeEnded(): Promise<FinishedRowOutcome[]> {
    await this.#untilEnded(END_GRACE_MS);
    const landed = this.#landed.splice(0).flat();
    return landed.filter((end): end is FinishedRowOutcome => !("row" in end));
  }

  /** Ends the rows that have begun, at the run's deadline. */
  failAtDeadline(): FinishedRowOutcome[] {
    this.#isOver = true;
    return failAtDeadline(this.#inCall, this.#unended, Date.now());
  }

  /** Reports what the rows have used that have begun and not ended, and when they go on. */
  abandon(): void {
    this.#isOver = true;
    const between = [...this.#unended.values()].filter(({ row }) => !this.#inCall.has(row.index));
    this.#plan.progress.abandon([...between.map(abandoned), ...[...this.#inCall.values()].flatMap(interrupted)]);
  }

  /** The same where nobody takes the rows any more, unless it was reported before. Those that have ended are reported, too. */
  async leave(): Promise<void> {
    if (this.#isOver) return;
    this.#control.stopBeginning();
    await this.#untilEnded(CALL_GRACE_MS);
    this.#control.abort();
    const ended = await this.takeEnded();
    this.#plan.progress.abandon(ended.map(({ index, attempts, usage }) => ({ index, attempts, usage })));
    this.abandon();
  }

  /** The same of `waiting`: all rows that have not ended, none of which is in a call. */
  rest(waiting: readonly Waiting[], until: number): void {
    const { progress } = this.#plan;
    this.#isOver = true;
    progress.abandon(waiting.filter(hasBegun).map(abandoned));
    if (waiting.length > 0 && until > Date.now()) progress.restUntil(until);
  }

  /** A row that rested has begun, if under another claim: it ends as one at the deadline. */
  addRested(waiting: readonly Waiting[]): void {
    for (const entry of waiting) if (entry.earlierTries > 0) this.#unended.set(entry.row.index, entry);
  }

  async #untilEnded(ms: number): Promise<void> {
    if (this.#trying.size > 0) await Promise.race([Promise.all(this.#trying), wait(ms, undefined, { ref: false })]);
  }

  #land(tried: Tried): void {
    this.#landed.push(tried);
    this.#plan.progress.end(tried.flatMap((end) => ("row" in end && !hasBegun(end) ? [end.row.index] : [])));
    for (const end of tried) {
      this.#inCall.delete("row" in end ? end.row.index : end.index);
      if (!("row" in end)) this.#unended.delete(end.index);
      else if (end.attempts + end.earlierTries > 0) this.#unended.set(end.row.index, end);
    }
  }
}

function abandoned({ row, attempts, earlierTries, usage, startedAt, notBefore, isAlone }: Waiting): AbandonedRow {
  const retry = { tries: attempts + earlierTries, startedAt, dueAt: notBefore };
  return { index: row.index, attempts, usage, retry: isAlone ? { ...retry, isAlone } : retry };
}

/**
 * A row whose attempt was ended from outside. An attempt that has called something counts in what is recorded, and not as one of those
 * that the job spec allows: the row is not the cause of its end.
 */
function interrupted(entry: Waiting): AbandonedRow[] {
  const wasTried = entry.attempts + entry.earlierTries > 0;
  const before = abandoned(entry);
  if ((entry.interrupted?.requests ?? 0) === 0) return wasTried ? [before] : [];
  const { index, attempts, retry } = before;
  return [
    { index, attempts: attempts + 1, usage: usedSoFar(entry), ...present({ retry: wasTried ? retry : undefined }) },
  ];
}
