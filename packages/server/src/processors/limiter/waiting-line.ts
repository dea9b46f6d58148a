/**
 * Those of this process who wait for one connection and model: rows of urgent runs first, and then first come, first served. The line asks the database for start
 * slots for all of them at once, and lets the first one go when a slot is due. One who leaves early leaves the slot to the
 * next; slots for which nobody came go back.
 *
 * What the provider says is gathered and told with the next question, or a little later by itself; refusals at once.
 */
import type { CallEnd } from "./permits.ts";
import { ByPriority } from "./by-priority.ts";
import type { Prioritized } from "./by-priority.ts";
import { hear, heardNothing, isNothing, isUrgent, mergeHeard, tell } from "./heard.ts";
import type { Heard } from "./heard.ts";
import type { Ask, LimiterKey, Slots } from "./take-slots.ts";

/** What others should know, but nobody waits for, may wait so long for a question that goes anyway. */
const TELL_AFTER_MS = 200;
/** Between two questions where the limit is what there is to wait for. */
const LEAST_PAUSE_MS = 50;
/** A limit that was changed, or lifted, is seen by those who wait after this at the latest. */
const LONGEST_PAUSE_MS = 1_000;
/** A question comes that long before the slot it is about, within the time that slots are given ahead. */
const ASK_AHEAD_MS = 150;
/** Who was given something comes later, so that the next is somebody else's; and nobody is always the first by chance. */
const ASK_AHEAD_AGAIN_MS = 75;
const ASK_AHEAD_SPREAD = 0.5;
/** After a question that the database did not answer. */
const PAUSE_AFTER_ERROR_MS = 1_000;
/** Slots are asked for that many milliseconds of arrivals ahead, so that a fast caller need not wait for the database. */
const STOCK_MS = 50;
const MAX_STOCK = 1_000;
/** Shorter than this, arrivals say nothing of their rate. */
const LEAST_MEASURE_MS = 5;
/** A slot that is late is as good as another one for so long; more would add up to a burst. */
const SLOT_KEPT_MS = 250;
/** One question is about that many of those who wait. */
const MAX_WANTED = 1_000;
/** Timers are early or late by that much. */
const TIMER_SLACK_MS = 1;

export interface Waiter extends Prioritized {
  tokens: number;
  admit(call: Call): void;
  refuse(error: Error): void;
}

/** One that was let go. */
export interface Call {
  beganAt: number;
  /** As they were counted. */
  tokens: number;
}

/** Time as this process sees it; tests have their own. */
export interface Time {
  now: () => number;
  /** Calls it after so many milliseconds, unless the returned function was called. */
  after: (ms: number, call: () => void) => () => void;
}

export type Question = Omit<Ask, keyof LimiterKey | "limits">;

interface WaitingLineParts {
  time: Time;
  ask: (question: Question) => Promise<Slots>;
  /** Whether it may go better the next time. Otherwise those who wait are told. */
  isPassing: (error: unknown) => boolean;
  /** Nobody waits, and there is nothing to tell. */
  onIdle: () => void;
}

export interface WaitingLine {
  join(waiter: Waiter): void;
  leave(waiter: Waiter): void;
  settle(call: Call, end: CallEnd): void;
  /** Refuses all who wait, and tells what is left to be told. */
  close(error: Error): Promise<void>;
}

export function createWaitingLine({ time, ask, isPassing, onIdle }: WaitingLineParts): WaitingLine {
  const waiters = new ByPriority<Waiter>();
  /** In the order in which they are due. */
  let slots: { at: number; tokens: number }[] = [];
  let heard = heardNothing();
  let heardAt = 0;
  let asking: Promise<void> | undefined;
  /** Not before that. */
  let askAt = 0;
  let isFailing = false;
  let isClosed = false;
  let joined = 0;
  let joinedAt = Number.NEGATIVE_INFINITY;
  let measuredAt = time.now();
  let arrivalsPerMs = 0;
  /** Nobody knows how many tokens those will want who have not come yet. */
  let countsTokens = true;
  let cancelTimer: (() => void) | undefined;
  let isPumpDue = false;

  /** Those who come in one go are in one question. */
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
    if (waiters.size === 0 && slots.length === 0 && isNothing(heard)) return onIdle();
    wakeUpAt(
      Math.min(
        dueAt(),
        waiters.size > slots.length ? askAt : Infinity,
        isNothing(heard) ? Infinity : Math.max(heardAt + TELL_AFTER_MS, isFailing ? askAt : 0),
      ),
    );
  }

  function wakeUpAt(moment: number): void {
    if (moment !== Infinity) cancelTimer = time.after(Math.max(0, moment - time.now()), pump);
  }

  /** When something is to be done about the first slot. */
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
      // A slot may have been meant for somebody who left.
      if (waiter.tokens !== slot.tokens) noteHeard().tokens += waiter.tokens - slot.tokens;
      waiter.admit({ beganAt: now, tokens: waiter.tokens });
    }
    if (used > 0) slots = slots.slice(used);
  }

  function returnSlots(isReturned: (slot: { at: number }) => boolean): void {
    const kept = slots.filter((slot) => !isReturned(slot));
    if (kept.length === slots.length) return;
    const told = noteHeard();
    told.returnedSlots += slots.length - kept.length;
    for (const slot of slots) if (isReturned(slot)) told.tokens -= slot.tokens;
    slots = kept;
  }

  function noteHeard(): Heard {
    if (isNothing(heard)) heardAt = time.now();
    return heard;
  }

  function isTimeToTell(now: number): boolean {
    if (isNothing(heard) || (isFailing && now < askAt)) return false;
    return isUrgent(heard) || now >= heardAt + TELL_AFTER_MS;
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
    const told = heard;
    heard = heardNothing();
    // Told what is heard only, it does not stand between those who wait and the moment for which they were given to ask.
    const wanted = now >= askAt ? wantedTokens(now) : [];
    let answer: Slots;
    try {
      answer = await ask({ wanted, ...tell(told, now) });
    } catch (error) {
      heard = mergeHeard(told, heard);
      isFailing = true;
      askAt = time.now() + PAUSE_AFTER_ERROR_MS;
      if (!isPassing(error)) {
        heard = heardNothing();
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
    // Somebody was refused in the meantime: what was given before is not used, but asked for again.
    if (heard.refusedBeganAt !== undefined) returnSlots(() => true);
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
      hear(noteHeard(), call, end, time.now());
      if (heard.refusedBeganAt !== undefined) returnSlots(() => true);
      pumpSoon();
    },
    async close(error) {
      isClosed = true;
      cancelTimer?.();
      refuseAll(error);
      await asking;
      returnSlots(() => true);
      if (!isNothing(heard)) await ask({ wanted: [], ...tell(heard, time.now()) });
    },
  };
}
