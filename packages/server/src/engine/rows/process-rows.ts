/**
 * Takes rows through a processor until each has ended: input check, attempts with pauses between them, output check.
 * Knows nothing of chunks and claims; what is finished is handed on as it comes.
 */
import type { InputRow } from "../../processors/processor.ts";
import type { CallSlots } from "./call-slots.ts";
import { DeadlineReachedError } from "./deadline-rows.ts";
import { RowsInFlight } from "./rows-in-flight.ts";
import type { RunControl } from "./run-control.ts";
import { hasBegun } from "./try-rows.ts";
import type { FinishedRowOutcome, RowPlan, Waiting } from "./try-rows.ts";

/** While rows wait for their next attempt, the caller gets an empty list this often, and may commit finished rows. */
const LONGEST_SILENCE_MS = 500;
/**
 * Yields finished rows as they end; an empty list while it only waits. Ends early when `control` is aborted (rows in flight are
 * abandoned, those that have ended are yielded; at the run's deadline all with a call are, `deadline-rows.ts`). It ends early as well when
 * `control` drains and all rows that had begun have ended; rows that only wait for their first call are released then. A row that the
 * step postpones for lack of money drains it. Nothing is begun while the caller is at work on what was yielded.
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
  let { waiting } = checked;
  const inFlight = new RowsInFlight(plan, control);

  while (!signal.aborted) {
    const isEligible = control.mayBegin() ? () => true : hasBegun;
    waiting = beginCalls(plan, inFlight, waiting, isEligible);
    if (control.isBeginning && waiting.every(hasBegun) && inFlight.haveAllBegun()) control.noteAllBegun();
    if (!inFlight.hasLanded) {
      const next = waiting.reduce((soonest, w) => (isEligible(w) ? Math.min(soonest, w.notBefore) : soonest), Infinity);
      if (inFlight.calls === 0 && next === Infinity) return;
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
    else waiting.push({ row, attempts: 0, startedAt: 0, notBefore: 0, usage: undefined, isAlone: false });
  }
  return { refused, waiting };
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
  if (first.isAlone) return { ready: [first], rest: waiting.toSpliced(position, 1) };
  const ready: Waiting[] = [];
  const rest: Waiting[] = [];
  for (const entry of waiting) {
    if (ready.length < size && !entry.isAlone && isReady(entry)) ready.push(entry);
    else rest.push(entry);
  }
  return { ready, rest };
}
