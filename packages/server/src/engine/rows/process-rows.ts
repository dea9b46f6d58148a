/**
 * Takes rows through a processor until each has ended: input check, attempts with pauses between them, output check.
 * Knows nothing of chunks and claims; what is finished is handed on as it comes.
 */
import { setTimeout as wait } from "node:timers/promises";
import type { RetryPolicy } from "@rowmill/contract/job-specs";
import { RowHeldError } from "../../processors/processor.ts";
import type { HoldReason, RowInHand, RowOutcome, RowUsage, Step } from "../../processors/processor.ts";
import type { RowChecks } from "../../resources/job-specs/row-checks.ts";
import type { CallSlots } from "./call-slots.ts";
import { DeadlineReachedError, failAtDeadline } from "./deadline-rows.ts";
import { delayBeforeAttempt } from "./retry-delay.ts";
import type { RowProgress } from "./row-progress.ts";
import type { RunControl } from "./run-control.ts";
import { startClock } from "./row-clock.ts";
import { addUsage } from "../../processors/row-usage.ts";

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
  batchRows: number;
  /** How many calls may be under way at once; shared by the chunks that a lane has claimed. */
  slots: CallSlots;
  random: () => number;
  /** Called with what a processor threw: an error of the service, of which the row only learns that there was one. */
  reportError: (error: unknown) => void;
  progress: RowProgress;
}

type HeldFor = Exclude<HoldReason, "nothing_begins">;

/** While rows wait for their next attempt, the caller gets an empty list this often, and may commit finished rows. */
const LONGEST_SILENCE_MS = 500;
/** What was paid for is checked and recorded, unless that takes longer. */
const CHECK_GRACE_MS = 2_000;

interface Waiting {
  row: RowInHand;
  attempts: number;
  startedAt: number;
  notBefore: number;
  usage: RowUsage | undefined;
  /** It was in a batch that ran out of time or broke: it is tried alone, to find out whose fault it was. */
  isAlone: boolean;
}

/** What came of a batch: rows that ended, rows that wait for another attempt, rows that were held back. */
type Tried = (FinishedRowOutcome | Waiting)[];

/**
 * Yields finished rows as they end; an empty list while it only waits. Ends early when `control` is aborted (rows in flight are
 * abandoned, those that have ended are yielded; at the run's deadline all with a call are, `deadline-rows.ts`). It ends early as well when
 * `control` drains and all rows that had begun have ended; rows that only wait for their first call are released then. A row that the
 * step holds back for lack of money drains it. Nothing is begun while the caller is at work on what was yielded.
 */
export async function* processRows(
  plan: RowPlan,
  rows: RowInHand[],
  control: RunControl,
): AsyncGenerator<FinishedRowOutcome[]> {
  const { signal } = control;
  const refused: FinishedRowOutcome[] = [];
  let waiting: Waiting[] = [];
  const refusals = await plan.checks.checkInputs(rows, signal).catch((error: unknown) => {
    if (signal.aborted) return undefined;
    throw error;
  });
  if (refusals === undefined) return;
  for (const [i, row] of rows.entries()) {
    const outcome = refusals[i];
    if (outcome) refused.push({ index: row.index, attempts: 1, durationMs: 0, outcome, usage: undefined });
    else waiting.push({ row, attempts: 0, startedAt: 0, notBefore: 0, usage: undefined, isAlone: false });
  }
  if (refused.length > 0) yield refused;

  const landed: Tried[] = [];
  let underWay = 0;
  let wake = Promise.withResolvers<void>();
  let failure: { error: unknown } | undefined;
  /** Rows of which an attempt has ended, and they have not. */
  const unended = new Map<number, Waiting>();
  /** Rows that are alone in a call which has not ended. */
  const inCall = new Map<number, Waiting>();
  /** Attempts that the processor has ended: only their outputs are not checked yet. */
  const checking = new Set<Promise<unknown>>();
  const begin = (batch: Waiting[]): void => {
    underWay++;
    plan.progress.begin(batch.map(({ row }) => row.index));
    const [only] = batch;
    if (only !== undefined && plan.step.maxBatchRows === 1) inCall.set(only.row.index, only);
    const trying: Promise<unknown> = tryBatch(plan, batch, control, (outcomes) => {
      checking.add(trying);
      return plan.checks.checkOutputs(outcomes);
    })
      .then(
        (tried) => {
          landed.push(tried);
          plan.progress.end(tried.flatMap((end) => ("row" in end && !hasBegun(end) ? [end.row.index] : [])));
          for (const end of tried) {
            inCall.delete("row" in end ? end.row.index : end.index);
            if (!("row" in end)) unended.delete(end.index);
            else if (end.attempts > 0) unended.set(end.row.index, end);
          }
        },
        (error: unknown) => (failure = { error }),
      )
      .finally(() => {
        underWay--;
        checking.delete(trying);
        plan.slots.leave();
        wake.resolve();
      });
  };

  while (!signal.aborted) {
    const isOpen = control.mayBegin();
    const isEligible = isOpen ? () => true : hasBegun;
    // Finished rows are yielded first: they may be the reason to start no more.
    while (landed.length === 0 && plan.slots.enter()) {
      const { batch, rest } = takeBatch(waiting, plan.batchRows, Date.now(), isEligible);
      if (batch.length === 0) {
        plan.slots.leave();
        break;
      }
      waiting = rest;
      begin(batch);
    }
    if (control.isBeginning && [...waiting, ...landed.flat()].every((end) => !("row" in end) || hasBegun(end)))
      control.noteAllBegun();
    if (landed.length === 0) {
      const next = waiting.reduce((soonest, w) => (isEligible(w) ? Math.min(soonest, w.notBefore) : soonest), Infinity);
      if (underWay === 0 && next === Infinity) return;
      await silence(wake.promise, plan.slots, Math.max(0, next - Date.now()), signal);
      wake = Promise.withResolvers<void>();
    }
    if (failure !== undefined) throw failure.error;
    const finished: FinishedRowOutcome[] = [];
    for (const end of landed.splice(0).flat()) {
      if ("row" in end) waiting.push(end);
      else finished.push(end);
    }
    if (!signal.aborted || finished.length > 0) yield finished;
  }
  if (checking.size > 0) await Promise.race([Promise.all(checking), wait(CHECK_GRACE_MS, undefined, { ref: false })]);
  // What has ended while the caller was at work was paid for as well.
  const ended = landed.flat().filter((end): end is FinishedRowOutcome => !("row" in end));
  if (ended.length > 0) yield ended;
  if (signal.reason instanceof DeadlineReachedError) {
    const stopped = failAtDeadline(inCall, unended, Date.now());
    if (stopped.length > 0) yield stopped;
    return;
  }
  plan.progress.abandon(
    [...unended.values()].map(({ row, attempts, usage }) => ({ index: row.index, attempts, usage })),
  );
}

/** Until something has landed, a slot is free for a row that is due, or the caller should look whether it has something to do. */
async function silence(landing: Promise<void>, slots: CallSlots, dueInMs: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const over = Promise.withResolvers<void>();
  const end = (): void => over.resolve();
  const timer = setTimeout(end, dueInMs > 0 ? Math.min(dueInMs, LONGEST_SILENCE_MS) : LONGEST_SILENCE_MS);
  signal.addEventListener("abort", end, { once: true });
  await Promise.race([landing, over.promise, ...(dueInMs > 0 ? [] : [slots.freed()])]);
  clearTimeout(timer);
  signal.removeEventListener("abort", end);
}

/** Something was tried or paid for it already, which beginning again would repeat. */
const hasBegun = (entry: Waiting): boolean => entry.attempts > 0 || entry.isAlone;

function takeBatch(
  waiting: Waiting[],
  size: number,
  now: number,
  isEligible: (entry: Waiting) => boolean,
): { batch: Waiting[]; rest: Waiting[] } {
  const isReady = (entry: Waiting): boolean => entry.notBefore <= now && isEligible(entry);
  const ready = waiting.findIndex(isReady);
  const first = waiting[ready];
  if (first === undefined) return { batch: [], rest: waiting };
  if (first.isAlone) return { batch: [first], rest: waiting.toSpliced(ready, 1) };
  const batch: Waiting[] = [];
  const rest: Waiting[] = [];
  for (const entry of waiting) {
    if (batch.length < size && !entry.isAlone && isReady(entry)) batch.push(entry);
    else rest.push(entry);
  }
  return { batch, rest };
}

async function tryBatch(
  plan: RowPlan,
  batch: Waiting[],
  control: RunControl,
  checkOutputs: (outcomes: readonly RowOutcome[]) => Promise<RowOutcome[]>,
): Promise<Tried> {
  const { signal } = control;
  const now = Date.now();
  for (const entry of batch) if (entry.startedAt === 0) entry.startedAt = now;
  const leftMs =
    plan.timeoutMs === undefined
      ? undefined
      : Math.min(...batch.map((entry) => entry.startedAt + (plan.timeoutMs ?? 0) - now));
  const clock = startClock(leftMs, signal, batch.some(hasBegun) ? undefined : control.beginSignal);
  const stopClock = (): void => {
    clock.stop();
    for (const entry of batch) entry.startedAt += clock.stoodStillMs();
  };
  let outcomes: RowOutcome[];
  try {
    outcomes = await plan.step.processRows(
      batch.map((entry) => entry.row),
      clock.signal,
      clock,
    );
    if (outcomes.length !== batch.length)
      throw new Error(`a processor gave ${outcomes.length} outcomes for ${batch.length} rows`);
  } catch (error) {
    stopClock();
    if (error instanceof RowHeldError) {
      const { reason } = error;
      // The row's timeout starts at its first call.
      if (reason === "nothing_begins") return batch.map((entry) => ({ ...entry, startedAt: 0 }));
      control.drain(reason);
      return batch.map((entry) => afterHold(entry, reason));
    }
    if (signal.aborted) return [];
    if (clock.isTimeUp()) return afterTimeout(plan, batch);
    plan.reportError(error);
    return afterError(plan, batch);
  }
  stopClock();
  const ended = Date.now();
  let checked: RowOutcome[];
  try {
    checked = await checkOutputs(outcomes);
  } catch (error) {
    if (signal.aborted) return [];
    plan.reportError(error);
    return afterError(plan, batch);
  }
  return batch.map((entry, i) => endAttempt(plan, entry, checked[i] ?? internalError(), ended));
}

/** A row of which nothing was tried stays as it was. What earlier attempts have cost is reported by ending the row. */
function afterHold(entry: Waiting, reason: HeldFor): FinishedRowOutcome | Waiting {
  if (entry.attempts === 0) return entry;
  return {
    index: entry.row.index,
    attempts: entry.attempts,
    durationMs: Math.round(Date.now() - entry.startedAt),
    outcome: {
      ok: false,
      failure: { code: reason, message: "The run's budget was spent before the row could be tried again." },
    },
    usage: entry.usage,
  };
}

/** A row that was alone has had its time; of several, each gets its own. */
function afterTimeout(plan: RowPlan, batch: Waiting[]): Tried {
  if (batch.length > 1) return batch.map((entry) => ({ ...entry, isAlone: true, startedAt: 0 }));
  const seconds = (plan.timeoutMs ?? 0) / 1000;
  return batch.map((entry) => ({
    index: entry.row.index,
    attempts: entry.attempts + 1,
    durationMs: Math.round(Date.now() - entry.startedAt),
    outcome: { ok: false, failure: { code: "row_timeout", message: `The row took longer than ${seconds} seconds.` } },
    usage: entry.usage,
  }));
}

/** One row that breaks a processor must not take the others with it: each is tried alone, and ends by itself. */
function afterError(plan: RowPlan, batch: Waiting[]): Tried {
  if (batch.length > 1) return batch.map((entry) => ({ ...entry, isAlone: true }));
  return batch.map((entry) => endAttempt(plan, entry, internalError(), Date.now()));
}

const internalError = (): RowOutcome => ({
  ok: false,
  failure: { code: "internal_error", message: "The service failed at this row. Its log says why." },
});

/** The end of the row, or its place in the line for another attempt. */
function endAttempt(plan: RowPlan, entry: Waiting, outcome: RowOutcome, now: number): FinishedRowOutcome | Waiting {
  const attempts = entry.attempts + 1;
  const usage = addUsage(entry.usage, outcome.usage);
  if (!outcome.ok) {
    const delayMs = delayBeforeAttempt(plan.retry, outcome.failure, attempts, plan.random());
    const deadline = plan.timeoutMs === undefined ? Number.POSITIVE_INFINITY : entry.startedAt + plan.timeoutMs;
    if (delayMs !== undefined && now + delayMs < deadline)
      return { ...entry, attempts, usage, notBefore: now + delayMs };
  }
  return { index: entry.row.index, attempts, durationMs: Math.round(now - entry.startedAt), outcome, usage };
}
