/**
 * A call to the outside that may cost money. The rule, for every processor:
 *
 *     memory ──► budget reserves the most ──► slot of the limiter ──► request ──► response
 *                      │                            │                                │
 *                      └───────── settled ◄─────────┴──────────── settled ◄──────────┘   whatever came of it
 *
 * A call that never left costs nothing. One that left and got no response counts with all that it may have cost: the other side may
 * have done the work. What the call used is written into its account as soon as it is known, and both are settled with that.
 */
import type { Party } from "../platform/fair-share.ts";
import type { Connection } from "./connection-parts.ts";
import type { CallEnd, Limiter } from "./limiter/permits.ts";
import { reservedMemory } from "./reserved-memory.ts";
import { RowPostponedError } from "./processor.ts";
import type { AttemptClock, Budget, BudgetReservation } from "./processor.ts";

export interface CallSurroundings {
  limiter: Limiter;
  budget?: Budget | undefined;
  signal: AbortSignal;
  /** What is waited for does not count towards the time of the row. */
  clock?: AttemptClock | undefined;
}

export interface PaidCall<T> {
  /** Undefined: there is no limit that could be known. */
  connection: Connection | undefined;
  /** Empty where the connection has no models. */
  model: string;
  /** Expected, input and output together. */
  tokens: number;
  /** The most that the call may cost; `usd` undefined: nobody knows. Absent: calls cost nothing. */
  highest?: { usd: string | undefined };
  /**
   * Given where something was paid for the row already, which would be lost without this call: it waits although nothing else may begin,
   * and ends so when the budget does not have it. Absent: the row is postponed then (`RowPostponedError`).
   */
  withoutMoney?: (() => T) | undefined;
}

/** What is known of the call so far. */
export interface CallAccount {
  end: CallEnd;
  spentUsd: string;
}

/** Makes the call when there is money and a slot for it. Rejects with what `send` throws, and with the reason of the signals. */
export async function makePaidCall<T>(
  { limiter, budget, signal, clock }: CallSurroundings,
  { connection, model, tokens, highest, withoutMoney }: PaidCall<T>,
  send: (account: CallAccount, reservation: BudgetReservation | undefined) => Promise<T>,
): Promise<T> {
  const waiting = withoutMoney === undefined ? waitingSignal(signal, clock) : signal;
  const isReserved = budget !== undefined && highest !== undefined;
  const reservation = isReserved ? await offTheClock(clock, () => budget.reserve(highest.usd, waiting)) : undefined;
  if (isReserved && reservation === undefined) {
    if (withoutMoney === undefined) throw new RowPostponedError("budget_exhausted");
    return withoutMoney();
  }
  const account: CallAccount = { end: { outcome: "failed" }, spentUsd: "0" };
  try {
    if (connection === undefined) return await send(account, reservation);
    const permit = await offTheClock(clock, () =>
      limiter.acquire({ connection, model, tokens, notePause: (ms) => clock?.notePause?.(ms) }, waiting),
    );
    try {
      return await send(account, reservation);
    } finally {
      permit.settle(account.end);
    }
  } finally {
    reservation?.settle(account.spentUsd);
  }
}

/** What the calls of a row need at most, reserved while it is in flight. */
export async function withMemory<T>(
  party: Party,
  bytes: number,
  { signal, clock }: Pick<CallSurroundings, "signal" | "clock">,
  work: () => Promise<T>,
): Promise<T> {
  const waiting = waitingSignal(signal, clock);
  waiting.throwIfAborted();
  const release =
    reservedMemory.takeNow(party, bytes) ??
    (await offTheClock(clock, () => reservedMemory.take(party, bytes, waiting)));
  try {
    return await work();
  } finally {
    release();
  }
}

/** The last one of each signal: rows of a chunk wait by the same two, and to make one costs more than most waits. */
const waitingSignals = new WeakMap<AbortSignal, { nothingBegins: AbortSignal; both: AbortSignal }>();

function waitingSignal(signal: AbortSignal, clock: AttemptClock | undefined): AbortSignal {
  const nothingBegins = clock?.nothingBegins;
  if (nothingBegins === undefined) return signal;
  const known = waitingSignals.get(signal);
  if (known?.nothingBegins === nothingBegins) return known.both;
  const both = AbortSignal.any([signal, nothingBegins]);
  waitingSignals.set(signal, { nothingBegins, both });
  return both;
}

const offTheClock = <T>(clock: AttemptClock | undefined, wait: () => Promise<T>): Promise<T> =>
  clock === undefined ? wait() : clock.offTheClock(wait);
