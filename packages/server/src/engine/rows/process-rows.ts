/**
 * Takes rows through a processor until each has ended: input check, attempts with pauses between them, output check.
 * Knows nothing of chunks and claims; what is finished is handed on as it comes.
 */
import type { InputRow } from "../../processors/processor.ts";
import type { CallSlots } from "./call-slots.ts";
import { DeadlineReachedError } from "./deadline-rows.ts";
import { LONGEST_RETRY_AFTER_MS } from "./retry-delay.ts";
import type { PendingRetry } from "./row-progress.ts";
import { RowsInFlight } from "./rows-in-flight.ts";
import type { RunControl } from "./run-control.ts";
import { hasBegun } from "./try-rows.ts";
import type { FinishedRowOutcome, RowPlan, Waiting } from "./try-rows.ts";

/** While rows wait for their next attempt, the caller gets an empty list this often, and may commit finished rows. */
const LONGEST_SILENCE_MS = 500;
/** A chunk that rests costs a commit and a claim: for a shorter wait it stays. */
const LEAST_REST_MS = 5_000;
/** Before the deadline of the run, for the claim of what rests. */
const DEADLINE_LEAD_MS = 1_000;

/**
 * Yields finished rows as they end; an empty list while it only waits. Ends early when `control` is aborted (rows in flight are
 * abandoned, those that have ended are yielded; at the run's deadline all with a call are, `deadline-rows.ts`). It ends early as well when
 * `control` drains and all rows that had begun have ended, or rest; rows that only wait for their first call are released then. A row that
 * the step postpones for lack of money drains it. Nothing is begun while the caller is at work on what was yielded.
 *
 * Rows rest where all that is left waits for another attempt, for long or while others want the place: the caller gets from `progress` until
 * when, and what is to be kept of them (`PendingRetry`); with that, they go on under another claim.
 */
export async function* processRows(
  plan: RowPlan,
  rows: InputRow[],
  control: RunControl,
): AsyncGenerator<FinishedRowOutcome[]> {
  const { signal } = control;
  const checked = await checkInputs(plan, rows, signal);
  if (checked === undefined) return;
  if (checked.refused.length > 0) yield checked.refused;
  const inFlight = new RowsInFlight(plan, control);
  inFlight.addRested(checked.waiting);
  try {
    yield* takeToTheirEnds(plan, inFlight, checked.waiting, control);
  } finally {
    // The caller has lost its claim, or something broke.
    await inFlight.leave();
  }
}

async function* takeToTheirEnds(
  plan: RowPlan,
  inFlight: RowsInFlight,
  rows: Waiting[],
  control: RunControl,
): AsyncGenerator<FinishedRowOutcome[]> {
  const { signal } = control;
  let waiting = rows;
  while (!signal.aborted) {
    if (control.takeWake()) wake(waiting);
    const isEligible = eligible(control);
    waiting = beginCalls(plan, inFlight, waiting, isEligible);
    if (control.isBeginning && !waiting.some(isUnbegun) && inFlight.haveAllBegun()) control.noteAllBegun();
    if (!inFlight.hasLanded) {
      boundWaits(waiting);
      const next = firstDue(waiting, isEligible);
      // While nothing begins, rows that have not begun do not keep those from their rest that wait for another attempt.
      const hasTime = beforeDeadline(plan, next) - Date.now() >= LEAST_REST_MS;
      if (inFlight.calls === 0 && (next === Infinity || hasTime)) return inFlight.rest(waiting, restEnd(plan, waiting));
      await silence(inFlight.landing, plan.slots, Math.max(0, next - Date.now()), signal);
      inFlight.watchNext();
    }
    const finished: FinishedRowOutcome[] = [];
    for (const end of inFlight.takeLanded()) {
      if ("row" in end) waiting.push(end);
      else finished.push(end);
    }
    if (!signal.aborted || finished.length > 0) yield finished;
  }
  // What has ended while the caller was at work was paid for as well.
  const ended = await inFlight.takeEnded();
  if (ended.length > 0) yield ended;
  if (signal.reason instanceof DeadlineReachedError) {
    const stopped = inFlight.failAtDeadline();
    if (stopped.length > 0) yield stopped;
    return;
  }
  inFlight.abandon();
}

function wake(waiting: Waiting[]): void {
  const now = Date.now();
  for (const entry of waiting) entry.notBefore = Math.min(entry.notBefore, now);
}

/** A clock that was set back since an attempt ended must not make its row wait for as long again. */
function boundWaits(waiting: readonly Waiting[]): void {
  const now = Date.now();
  for (const entry of waiting)
    if (entry.notBefore > now)
      entry.notBefore = Math.min(entry.notBefore, now + (entry.delayMs ?? LONGEST_RETRY_AFTER_MS));
}

function eligible(control: RunControl): (entry: Waiting) => boolean {
  // Both are asked each time: each aborts the wait of its rows.
  const [mayBegin, mayGoOn] = [control.mayBegin(), control.mayGoOn()];
  if (mayBegin) return () => true;
  return mayGoOn ? hasBegun : () => false;
}

/** It waits for nothing but its slot. */
const isUnbegun = (entry: Waiting): boolean => !hasBegun(entry) && entry.notBefore <= Date.now();

/** When the first of the rows that may begin is due; that of any that is due already will do. Infinite without one. */
function firstDue(waiting: readonly Waiting[], isEligible: (entry: Waiting) => boolean): number {
  const now = Date.now();
  let first = Infinity;
  for (const entry of waiting) {
    if (entry.notBefore >= first || !isEligible(entry)) continue;
    first = entry.notBefore;
    if (first <= now) break;
  }
  return first;
}

/** When the first row is due, or the run's deadline; infinite where no row waits. */
function restEnd(plan: RowPlan, waiting: readonly Waiting[]): number {
  if (waiting.length === 0) return Infinity;
  return beforeDeadline(
    plan,
    waiting.reduce((first, { notBefore }) => Math.min(first, notBefore), Infinity),
  );
}

const beforeDeadline = ({ deadlineAt }: RowPlan, time: number): number =>
  Math.min(time, (deadlineAt?.() ?? Infinity) - DEADLINE_LEAD_MS);

/** Undefined when the signal is aborted before the end of the check. */
async function checkInputs(
  plan: RowPlan,
  rows: InputRow[],
  signal: AbortSignal,
): Promise<{ refused: FinishedRowOutcome[]; waiting: Waiting[] } | undefined> {
  const refusals = await plan.checks.checkInputs(rows, signal).catch((error: unknown) => {
    if (signal.aborted) return undefined;
    throw error;
  });
  if (refusals === undefined) return undefined;
  const refused: FinishedRowOutcome[] = [];
  const waiting: Waiting[] = [];
  for (const [i, row] of rows.entries()) {
    const outcome = refusals[i];
    if (outcome) refused.push({ index: row.index, attempts: 1, durationMs: 0, outcome, usage: undefined });
    else waiting.push({ row, attempts: 0, usage: undefined, ...restedState(plan.retries?.get(row.index)) });
  }
  return { refused, waiting };
}

/** Where it was. What a row waited for a claim after it was due is not counted as its time, as what it waits for a slot is not. */
function restedState(
  retry: PendingRetry | undefined,
): Pick<Waiting, "earlierTries" | "startedAt" | "notBefore" | "isAlone"> {
  if (retry === undefined) return { earlierTries: 0, startedAt: 0, notBefore: 0, isAlone: false };
  const { tries, startedAt, dueAt, isAlone = false } = retry;
  const now = Date.now();
  return {
    earlierTries: tries,
    isAlone,
    startedAt: startedAt === 0 ? 0 : startedAt + Math.max(0, now - dueAt),
    // The clock of another machine may be wrong. What was before this claim is not taken off its time once more by the next one.
    notBefore: Math.max(now, Math.min(dueAt, now + LONGEST_RETRY_AFTER_MS)),
  };
}

/** As many calls as there are slots and rows for. Returns the rows that still wait. */
function beginCalls(
  plan: RowPlan,
  inFlight: RowsInFlight,
  waiting: Waiting[],
  isEligible: (entry: Waiting) => boolean,
): Waiting[] {
  let left = waiting;
  // Finished rows are yielded first: they may be the reason to start no more.
  while (!inFlight.hasLanded && plan.slots.enter()) {
    const { ready, rest } = takeReady(left, plan.rowsPerCall, Date.now(), isEligible);
    if (ready.length === 0) {
      plan.slots.leave();
      break;
    }
    left = rest;
    inFlight.begin(ready);
  }
  return left;
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

function takeReady(
  waiting: Waiting[],
  size: number,
  now: number,
  isEligible: (entry: Waiting) => boolean,
): { ready: Waiting[]; rest: Waiting[] } {
  const isReady = (entry: Waiting): boolean => entry.notBefore <= now && isEligible(entry);
  const position = waiting.findIndex(isReady);
  const first = waiting[position];
  if (first === undefined) return { ready: [], rest: waiting };
  // The list is this call's own: a copy without one row, for each row of a chunk, would be of all of them.
  if (first.isAlone || size === 1) return { ready: waiting.splice(position, 1), rest: waiting };
  const ready: Waiting[] = [];
  const rest: Waiting[] = [];
  for (const entry of waiting) {
    if (ready.length < size && !entry.isAlone && isReady(entry)) ready.push(entry);
    else rest.push(entry);
  }
  return { ready, rest };
}
