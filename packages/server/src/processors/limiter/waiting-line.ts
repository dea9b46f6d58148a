/**
 * Callers of this process that wait for one connection and model: rows of urgent runs first, then first come, first served. The line
 * requests start slots for all of them at once, and releases the first caller when a slot is due. A caller that aborts leaves its slot to
 * the next one; unused slots are returned.
 *
 * Feedback from the provider is collected and sent with the next request for slots, or a little later by itself; refusals at once.
 */
import type { CallEnd } from "./permits.ts";
import { ByPriority } from "./by-priority.ts";
import type { Prioritized } from "./by-priority.ts";
import { recordFeedback, noFeedback, isNothing, isUrgent, mergeFeedback, toReport } from "./feedback.ts";
import type { Feedback } from "./feedback.ts";
import type { SlotRequest, LimiterKey, Slots } from "./take-slots.ts";

/** Feedback that nobody waits for may wait this long for a request that is sent anyway. */
const REPORT_AFTER_MS = 200;
/** Between two requests for slots while the limit is what callers wait for. */
const LEAST_PAUSE_MS = 50;
/** Waiting callers see a changed or removed limit after this at the latest. */
const LONGEST_PAUSE_MS = 1_000;
/** Slots are requested this long before they are due, within the time that slots are granted ahead. */
const ASK_AHEAD_MS = 150;
/** A process that was granted slots asks later, so that another one gets the next; and none is always the first by chance. */
const ASK_AHEAD_AGAIN_MS = 75;
const ASK_AHEAD_SPREAD = 0.5;
/** After a request that the database did not answer. */
const PAUSE_AFTER_ERROR_MS = 1_000;
/** Slots are requested for this many milliseconds of arrivals ahead, so that a fast caller does not wait for the database. */
const STOCK_MS = 50;
const MAX_STOCK = 1_000;
/** Over a shorter time, arrivals show no rate. */
const LEAST_MEASURE_MS = 5;
/** A late slot can still be used for this long; more would add up to a burst. */
const SLOT_KEPT_MS = 250;
/** One request covers at most this many waiting callers. */
const MAX_WANTED = 1_000;
/** Timers fire this much early or late. */
const TIMER_SLACK_MS = 1;

export interface Waiter extends Prioritized {
  tokens: number;
  admit(call: Call): void;
  refuse(error: Error): void;
}

/** One that was released. */
export interface Call {
  beganAt: number;
  /** As they were counted. */
  tokens: number;
}

/** Time as this process sees it; tests have their own. */
export interface Time {
  now: () => number;
  /** Calls it after this many milliseconds, unless the returned function was called. */
  after: (ms: number, call: () => void) => () => void;
}

export type OpenRequest = Omit<SlotRequest, keyof LimiterKey | "limits">;

interface WaitingLineParts {
  time: Time;
  ask: (request: OpenRequest) => Promise<Slots>;
  /** Whether a retry may succeed. Otherwise waiting callers get the error. */
  isPassing: (error: unknown) => boolean;
  /** Nobody waits, and there is no feedback to send. */
  onIdle: () => void;
}

export interface WaitingLine {
  join(waiter: Waiter): void;
  leave(waiter: Waiter): void;
  settle(call: Call, end: CallEnd): void;
  /** Rejects all waiting callers, and sends the feedback that is left. */
  close(error: Error): Promise<void>;
}

export function createWaitingLine({ time, ask, isPassing, onIdle }: WaitingLineParts): WaitingLine {
  const waiters = new ByPriority<Waiter>();
  /** In the order in which they are due. */
  let slots: { at: number; tokens: number }[] = [];
  let feedback = noFeedback();
  let feedbackSince = 0;
  let asking: Promise<void> | undefined;
  /** Not before that. */
  let askAt = 0;
  let isFailing = false;
  let isClosed = false;
  let joined = 0;
  let joinedAt = Number.NEGATIVE_INFINITY;
  let measuredAt = time.now();
  let arrivalsPerMs = 0;
  /** The tokens of calls that have not arrived yet are not known. */
  let countsTokens = true;
  let cancelTimer: (() => void) | undefined;
  let isPumpDue = false;

  /** Callers that arrive together are in one request. */
  function pumpSoon(): void {
    if (isPumpDue) return;
    isPumpDue = true;
    queueMicrotask(() => {
      isPumpDue = false;
      pump();
    });
  }

  function pump(): void {
    cancelTimer?.();
    cancelTimer = undefined;
    if (isClosed) return;
    const now = time.now();
    admitDue(now);
    if (waiters.size === 0) returnSlots((slot) => slot.at < now - SLOT_KEPT_MS);
    if (asking !== undefined) return wakeUpAt(dueAt());
    const wantsSlots = waiters.size > slots.length || stockWanted(now) > 0;
    if ((wantsSlots && now >= askAt) || isTimeToTell(now)) {
      asking = question(now).finally(() => {
        asking = undefined;
        pump();
      });
      return wakeUpAt(dueAt());
    }
    if (waiters.size === 0 && slots.length === 0 && isNothing(feedback)) return onIdle();
    wakeUpAt(
      Math.min(
        dueAt(),
        waiters.size > slots.length ? askAt : Infinity,
        isNothing(feedback) ? Infinity : Math.max(feedbackSince + REPORT_AFTER_MS, isFailing ? askAt : 0),
      ),
    );
  }

  function wakeUpAt(moment: number): void {
    if (moment !== Infinity) cancelTimer = time.after(Math.max(0, moment - time.now()), pump);
  }

  /** When the first slot needs attention. */
  function dueAt(): number {
    const [slot] = slots;
    if (slot === undefined) return Infinity;
    return waiters.size > 0 ? slot.at : slot.at + SLOT_KEPT_MS + TIMER_SLACK_MS;
  }

  function admitDue(now: number): void {
    let used = 0;
    for (const waiter of waiters) {
      const slot = slots[used];
      if (slot === undefined || slot.at > now + TIMER_SLACK_MS) break;
      used++;
      waiters.delete(waiter);
      // The slot may have been granted for a caller that has aborted.
      if (waiter.tokens !== slot.tokens) feedbackNow().tokens += waiter.tokens - slot.tokens;
      waiter.admit({ beganAt: now, tokens: waiter.tokens });
    }
    if (used > 0) slots = slots.slice(used);
  }

  function returnSlots(isReturned: (slot: { at: number }) => boolean): void {
    const kept = slots.filter((slot) => !isReturned(slot));
    if (kept.length === slots.length) return;
    const reported = feedbackNow();
    reported.returnedSlots += slots.length - kept.length;
    for (const slot of slots) if (isReturned(slot)) reported.tokens -= slot.tokens;
    slots = kept;
  }

  function feedbackNow(): Feedback {
    if (isNothing(feedback)) feedbackSince = time.now();
    return feedback;
  }

  function isTimeToTell(now: number): boolean {
    if (isNothing(feedback) || (isFailing && now < askAt)) return false;
    return isUrgent(feedback) || now >= feedbackSince + REPORT_AFTER_MS;
  }

  /** How many slots are missing in stock, once half of it is used up. */
  function stockWanted(now: number): number {
    if (countsTokens || now - joinedAt > STOCK_MS) return 0;
    const stock = Math.min(MAX_STOCK, Math.floor(arrivalsPerMs * STOCK_MS));
    const held = slots.length - waiters.size;
    return held < stock / 2 ? stock - Math.max(0, held) : 0;
  }

  function measureArrivals(now: number): void {
    const elapsed = now - measuredAt;
    if (elapsed < LEAST_MEASURE_MS) return;
    arrivalsPerMs = (arrivalsPerMs + joined / elapsed) / 2;
    joined = 0;
    measuredAt = now;
  }

  function wantedTokens(now: number): number[] {
    const wanted: number[] = [];
    let covered = slots.length;
    for (const waiter of waiters) {
      if (covered-- > 0) continue;
      if (wanted.length === MAX_WANTED) return wanted;
      wanted.push(waiter.tokens);
    }
    const stock = Math.min(stockWanted(now), MAX_WANTED - wanted.length);
    for (let i = 0; i < stock; i++) wanted.push(0);
    return wanted;
  }

  async function question(now: number): Promise<void> {
    measureArrivals(now);
    const reported = feedback;
    feedback = noFeedback();
    // A request that only carries feedback does not delay the callers that wait for their next request.
    const wanted = now >= askAt ? wantedTokens(now) : [];
    let answer: Slots;
    try {
      answer = await ask({ wanted, ...toReport(reported, now) });
    } catch (error) {
      feedback = mergeFeedback(reported, feedback);
      isFailing = true;
      askAt = time.now() + PAUSE_AFTER_ERROR_MS;
      if (!isPassing(error)) {
        feedback = noFeedback();
        refuseAll(error instanceof Error ? error : new Error(String(error)));
      }
      return;
    }
    isFailing = false;
    takeAnswer(answer, wanted);
  }

  function takeAnswer(answer: Slots, wanted: readonly number[]): void {
    const now = time.now();
    countsTokens = answer.countsTokens;
    for (const [i, delayMs] of answer.delaysMs.entries())
      slots.push({ at: now + Math.max(0, delayMs), tokens: wanted[i] ?? 0 });
    // A call was refused in the meantime: slots that were granted before are not used, but requested again.
    if (feedback.refusedBeganAt !== undefined) returnSlots(() => true);
    else if (answer.coolingMs > 0) returnSlots((slot) => slot.at < now + answer.coolingMs - TIMER_SLACK_MS);
    slots.sort((one, other) => one.at - other.at);
    const aheadMs =
      (answer.delaysMs.length > 0 ? ASK_AHEAD_AGAIN_MS : ASK_AHEAD_MS) * (1 - ASK_AHEAD_SPREAD * Math.random());
    const pauseMs = (untilMs: number) => Math.min(LONGEST_PAUSE_MS, untilMs - aheadMs);
    if (answer.delaysMs.length < wanted.length) askAt = now + Math.max(LEAST_PAUSE_MS, pauseMs(answer.nextMs));
    else if (wanted.length > 0) askAt = now;
    if (answer.coolingMs > 0) askAt = Math.max(askAt, now + pauseMs(answer.coolingMs));
  }

  function refuseAll(error: Error): void {
    const all = [...waiters];
    waiters.clear();
    for (const waiter of all) waiter.refuse(error);
  }

  return {
    join(waiter) {
      waiters.add(waiter);
      joined++;
      joinedAt = time.now();
      pumpSoon();
    },
    leave(waiter) {
      if (waiters.delete(waiter)) pumpSoon();
    },
    settle(call, end) {
      recordFeedback(feedbackNow(), call, end, time.now());
      if (feedback.refusedBeganAt !== undefined) returnSlots(() => true);
      pumpSoon();
    },
    async close(error) {
      isClosed = true;
      cancelTimer?.();
      refuseAll(error);
      await asking;
      returnSlots(() => true);
      if (!isNothing(feedback)) await ask({ wanted: [], ...toReport(feedback, time.now()) });
    },
  };
}
