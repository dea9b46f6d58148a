/** One attempt at some rows, in one call of the step: each row ends, waits for another attempt, or was postponed. */
import type { RetryPolicy } from "@rowmill/contract/job-spec-policies";
import { addUsage } from "../../processors/row-usage.ts";
import { RowPostponedError } from "../../processors/processor.ts";
import type { AttemptClock, InputRow, RowOutcome, RowUsage, Step } from "../../processors/processor.ts";
import type { RowChecks } from "../../resources/job-specs/row-checks.ts";
import type { CallSlots } from "./call-slots.ts";
import { delayBeforeAttempt } from "./retry-delay.ts";
import type { PendingRetry, RowProgress } from "./row-progress.ts";
import { startClock } from "./row-clock.ts";
import type { RunControl } from "./run-control.ts";
import { plural } from "../../platform/plural.ts";
import { present } from "../../platform/present.ts";

export interface FinishedRowOutcome {
  index: number;
  attempts: number;
  durationMs: number;
  outcome: RowOutcome;
  /** Of all attempts. */
  usage: RowUsage | undefined;
}

export interface RowPlan {
  step: Step;
  checks: RowChecks;
  retry: RetryPolicy;
  /** For one row, all attempts included; undefined: only the processor's own limits hold. */
  timeoutMs: number | undefined;
  /** Most rows in one call. */
  rowsPerCall: number;
  /** How many calls may be under way at once; shared by the chunks that a lane has claimed. */
  slots: CallSlots;
  random: () => number;
  /** Called with what a processor threw: an error of the service, of which the row only learns that there was one. */
  reportError: (error: unknown) => void;
  progress: RowProgress;
  /** Rows that rested under another claim, by index. */
  retries?: ReadonlyMap<number, PendingRetry>;
  /** Of the run: a row that rests is there again before, to be ended by it. */
  deadlineAt?: () => number | undefined;
}

export interface Waiting {
  row: InputRow;
  attempts: number;
  /** Attempts under other claims, which are counted already. */
  earlierTries: number;
  startedAt: number;
  notBefore: number;
  /** How long it was to wait, when `notBefore` was set. */
  delayMs?: number | undefined;
  usage: RowUsage | undefined;
  /** What calls of an attempt have used that has not ended by an outcome, which has it otherwise. */
  interrupted?: RowUsage | undefined;
  /** Its call with other rows ran out of time or broke: it is tried alone, to find out which row was the cause. */
  isAlone: boolean;
}

/** What came of a call: rows that ended, rows that wait for another attempt, rows that were postponed. */
export type Tried = (FinishedRowOutcome | Waiting)[];

/** Something was tried or paid for it already, under this claim or another one, which beginning again would repeat. */
export const hasBegun = (entry: Waiting): boolean => entry.attempts + entry.earlierTries > 0 || entry.isAlone;

export async function tryRows(plan: RowPlan, entries: Waiting[], control: RunControl): Promise<Tried> {
  const { signal } = control;
  const now = Date.now();
  for (const entry of entries) if (entry.startedAt === 0) entry.startedAt = now;
  const leftMs =
    plan.timeoutMs === undefined
      ? undefined
      : Math.min(...entries.map((entry) => entry.startedAt + (plan.timeoutMs ?? 0) - now));
  const clock = startClock(leftMs, signal, waitingEnd(entries, control), plan.slots);
  const stopClock = (): void => {
    clock.stop();
    for (const entry of entries) entry.startedAt += clock.stoodStillMs();
  };
  let outcomes: RowOutcome[];
  try {
    outcomes = await plan.step.processRows(
      entries.map((entry) => entry.row),
      clock.signal,
      { ...clock, noteUsage: notesOf(plan, entries) },
    );
    if (outcomes.length !== entries.length)
      throw new Error(`a processor gave ${outcomes.length} outcomes for ${entries.length} rows`);
  } catch (error) {
    stopClock();
    if (error instanceof RowPostponedError) {
      if (error.reason !== "nothing_begins") control.drain(error.reason);
      return entries.map(afterPostponement);
    }
    if (signal.aborted) return [];
    if (clock.isTimeUp()) return afterTimeout(plan, entries);
    plan.reportError(error);
    return afterError(plan, entries);
  }
  stopClock();
  const ended = Date.now();
  for (const [i, entry] of entries.entries()) entry.interrupted = outcomes[i]?.usage;
  let checked: RowOutcome[];
  try {
    checked = await plan.checks.checkOutputs(outcomes);
  } catch (error) {
    if (signal.aborted) return [];
    plan.reportError(error);
    return afterError(plan, entries);
  }
  return entries.map((entry, i) => endAttempt(plan, entry, checked[i] ?? internalError(entry), ended));
}

/** Of an attempt that begins now. */
function notesOf({ progress }: RowPlan, entries: readonly Waiting[]): NonNullable<AttemptClock["noteUsage"]> {
  for (const entry of entries) entry.interrupted = undefined;
  return (row, usage) => {
    progress.noteUsage(row.index, usage);
    for (const entry of entries) if (entry.row === row) entry.interrupted = usage;
  };
}

/** For a slot, or for money, rows wait until none may begin; those that were tried before, until they may rest. */
function waitingEnd(entries: readonly Waiting[], control: RunControl): AbortSignal {
  return entries.some(hasBegun) ? control.restSignal : control.beginSignal;
}

/**
 * The row's timeout starts at its first call. Up to here its wait has been taken off its time: what follows counts from now. A row that was
 * tried before keeps what is known of it, and rests.
 */
const afterPostponement = (entry: Waiting): Waiting =>
  hasBegun(entry) ? { ...entry, notBefore: Math.max(entry.notBefore, Date.now()) } : { ...entry, startedAt: 0 };

/** What the row has used under this claim, with an attempt that has not ended by an outcome. */
export const usedSoFar = ({ usage, interrupted }: Pick<Waiting, "usage" | "interrupted">): RowUsage | undefined =>
  addUsage(usage, interrupted);

const tryAlone = (entry: Waiting): Waiting => ({
  ...entry,
  usage: usedSoFar(entry),
  interrupted: undefined,
  isAlone: true,
});

/** A row that was alone has had its time; of several, each gets its own. */
function afterTimeout(plan: RowPlan, entries: Waiting[]): Tried {
  if (entries.length > 1) return entries.map((entry) => ({ ...tryAlone(entry), startedAt: 0 }));
  const seconds = (plan.timeoutMs ?? 0) / 1000;
  return entries.map((entry) => ({
    index: entry.row.index,
    attempts: entry.attempts + 1,
    durationMs: Math.round(Date.now() - entry.startedAt),
    outcome: {
      ok: false,
      failure: { code: "row_timeout", message: `The row took longer than ${plural(seconds, "second")}.` },
    },
    usage: usedSoFar(entry),
  }));
}

/** One row that breaks a processor must not take the others with it: each is tried alone, and ends by itself. */
function afterError(plan: RowPlan, entries: Waiting[]): Tried {
  if (entries.length > 1) return entries.map(tryAlone);
  return entries.map((entry) => endAttempt(plan, entry, internalError(entry), Date.now()));
}

const internalError = ({ interrupted }: Waiting): RowOutcome => ({
  ok: false,
  failure: { code: "internal_error", message: "The service failed at this row. Its log says why." },
  ...present({ usage: interrupted }),
});

/** The end of the row, or its place in the line for another attempt. */
function endAttempt(plan: RowPlan, entry: Waiting, outcome: RowOutcome, now: number): FinishedRowOutcome | Waiting {
  const attempts = entry.attempts + 1;
  const usage = addUsage(entry.usage, outcome.usage);
  if (!outcome.ok) {
    const delayMs = delayBeforeAttempt(plan.retry, outcome.failure, attempts + entry.earlierTries, plan.random());
    const deadline = plan.timeoutMs === undefined ? Number.POSITIVE_INFINITY : entry.startedAt + plan.timeoutMs;
    if (delayMs !== undefined && now + delayMs < deadline)
      return { ...entry, attempts, usage, interrupted: undefined, notBefore: now + delayMs, delayMs };
  }
  return { index: entry.row.index, attempts, durationMs: Math.round(now - entry.startedAt), outcome, usage };
}
