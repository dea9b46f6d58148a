/**
 * Callers of this process that wait for one connection and model: rows of urgent runs first (`by-priority.ts`), then first come, first served. The line
 * requests start slots for all of them at once, and releases the first caller when a slot is due. A caller that aborts leaves its slot to
 * the next one; unused slots are returned.
 *
 * Feedback from the provider is collected and sent with the next request for slots, or a little later by itself; refusals at once.
 */
import type { CallEnd, PermitRequest } from "./permits.ts";
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
/** After a request to which the database did not respond. */
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
  notePause: PermitRequest["notePause"];
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
  requestSlots: (request: OpenRequest) => Promise<Slots>;
  /** Whether a retry may succeed. Otherwise waiting callers get the error. */
  isPassing: (error: unknown) => boolean;
  /** Nobody waits, and there is no feedback to send. */
  onIdle: () => void;
}

export class WaitingLine {
  readonly #time: Time;
  readonly #requestSlots: WaitingLineParts["requestSlots"];
  readonly #isPassing: WaitingLineParts["isPassing"];
  readonly #onIdle: WaitingLineParts["onIdle"];
  #waiters = new ByPriority<Waiter>();
  /** In the order in which they are due. */
  #slots: { at: number; tokens: number }[] = [];
  #feedback = noFeedback();
  #feedbackSince = 0;
  #underWay: Promise<void> | undefined;
  /** Not before that. */
  #nextRequestAt = 0;
  #isFailing = false;
  #isClosed = false;
  #joined = 0;
  #joinedAt = Number.NEGATIVE_INFINITY;
  #measuredAt = 0;
  #arrivalsPerMs = 0;
  /** The tokens of calls that have not arrived yet are not known. */
  #countsTokens = true;
  #cancelTimer: (() => void) | undefined;
  #isPumpDue = false;

  constructor({ time, requestSlots, isPassing, onIdle }: WaitingLineParts) {
    this.#time = time;
    this.#requestSlots = requestSlots;
    this.#isPassing = isPassing;
    this.#onIdle = onIdle;
    this.#measuredAt = time.now();
  }

  join(waiter: Waiter): void {
    this.#waiters.add(waiter);
    this.#joined++;
    this.#joinedAt = this.#time.now();
    this.#pumpSoon();
  }

  leave(waiter: Waiter): void {
    if (this.#waiters.delete(waiter)) this.#pumpSoon();
  }

  settle(call: Call, end: CallEnd): void {
    recordFeedback(this.#feedbackNow(), call, end, this.#time.now());
    if (this.#feedback.refusedBeganAt !== undefined) this.#returnSlots();
    this.#pumpSoon();
  }

  /** Rejects all waiting callers, and sends the feedback that is left. */
  async close(error: Error): Promise<void> {
    this.#isClosed = true;
    this.#cancelTimer?.();
    this.#refuseAll(error);
    await this.#underWay;
    this.#returnSlots();
    if (!isNothing(this.#feedback))
      await this.#requestSlots({ wanted: [], ...toReport(this.#feedback, this.#time.now()) });
  }

  /** Callers that arrive together are in one request. */
  #pumpSoon(): void {
    if (this.#isPumpDue) return;
    this.#isPumpDue = true;
    queueMicrotask(() => {
      this.#isPumpDue = false;
      this.#pump();
    });
  }

  #pump(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    if (this.#isClosed) return;
    const now = this.#time.now();
    this.#admitDue(now);
    if (this.#waiters.size === 0) this.#returnSlots(now - SLOT_KEPT_MS);
    if (this.#underWay !== undefined) return this.#wakeUpAt(this.#dueAt());
    const wantsSlots = this.#waiters.size > this.#slots.length || this.#stockWanted(now) > 0;
    if ((wantsSlots && now >= this.#nextRequestAt) || this.#isTimeToReport(now)) {
      this.#underWay = this.#sendRequest(now).finally(() => {
        this.#underWay = undefined;
        this.#pump();
      });
      return this.#wakeUpAt(this.#dueAt());
    }
    if (this.#waiters.size === 0 && this.#slots.length === 0 && isNothing(this.#feedback)) return this.#onIdle();
    this.#wakeUpAt(
      Math.min(
        this.#dueAt(),
        this.#waiters.size > this.#slots.length ? this.#nextRequestAt : Infinity,
        isNothing(this.#feedback)
          ? Infinity
          : Math.max(this.#feedbackSince + REPORT_AFTER_MS, this.#isFailing ? this.#nextRequestAt : 0),
      ),
    );
  }

  #wakeUpAt(moment: number): void {
    if (moment !== Infinity)
      this.#cancelTimer = this.#time.after(Math.max(0, moment - this.#time.now()), () => this.#pump());
  }

  /** When the first slot needs attention. */
  #dueAt(): number {
    const [slot] = this.#slots;
    if (slot === undefined) return Infinity;
    return this.#waiters.size > 0 ? slot.at : slot.at + SLOT_KEPT_MS + TIMER_SLACK_MS;
  }

  #admitDue(now: number): void {
    if (this.#waiters.size === 0) return;
    let used = 0;
    for (const waiter of this.#waiters) {
      const slot = this.#slots[used];
      if (slot === undefined || slot.at > now + TIMER_SLACK_MS) break;
      used++;
      this.#waiters.take(waiter);
      // The slot may have been granted for a caller that has aborted.
      if (waiter.tokens !== slot.tokens) this.#feedbackNow().tokens += waiter.tokens - slot.tokens;
      waiter.admit({ beganAt: now, tokens: waiter.tokens });
    }
    if (used > 0) this.#slots.splice(0, used);
  }

  /** Those that are due before that moment, or all. It is asked for every row, and mostly the first slot shows that there is none. */
  #returnSlots(before = Infinity): void {
    let returned = 0;
    while ((this.#slots[returned]?.at ?? Infinity) < before) returned++;
    if (returned === 0) return;
    const reported = this.#feedbackNow();
    reported.returnedSlots += returned;
    for (const { tokens } of this.#slots.splice(0, returned)) reported.tokens -= tokens;
  }

  #feedbackNow(): Feedback {
    if (isNothing(this.#feedback)) this.#feedbackSince = this.#time.now();
    return this.#feedback;
  }

  #isTimeToReport(now: number): boolean {
    if (isNothing(this.#feedback) || (this.#isFailing && now < this.#nextRequestAt)) return false;
    return isUrgent(this.#feedback) || now >= this.#feedbackSince + REPORT_AFTER_MS;
  }

  /** How many slots are missing in stock, once half of it is used up. */
  #stockWanted(now: number): number {
    if (this.#countsTokens || now - this.#joinedAt > STOCK_MS) return 0;
    const stock = Math.min(MAX_STOCK, Math.floor(this.#arrivalsPerMs * STOCK_MS));
    const spare = this.#slots.length - this.#waiters.size;
    return spare < stock / 2 ? stock - Math.max(0, spare) : 0;
  }

  #measureArrivals(now: number): void {
    const elapsed = now - this.#measuredAt;
    if (elapsed < LEAST_MEASURE_MS) return;
    this.#arrivalsPerMs = (this.#arrivalsPerMs + this.#joined / elapsed) / 2;
    this.#joined = 0;
    this.#measuredAt = now;
  }

  #wantedTokens(now: number): number[] {
    const wanted: number[] = [];
    let covered = this.#slots.length;
    for (const waiter of this.#waiters) {
      if (covered-- > 0) continue;
      if (wanted.length === MAX_WANTED) return wanted;
      wanted.push(waiter.tokens);
    }
    const stock = Math.min(this.#stockWanted(now), MAX_WANTED - wanted.length);
    for (let i = 0; i < stock; i++) wanted.push(0);
    return wanted;
  }

  async #sendRequest(now: number): Promise<void> {
    this.#measureArrivals(now);
    const reported = this.#feedback;
    this.#feedback = noFeedback();
    // A request that only carries feedback does not delay the callers that wait for their next request.
    const wanted = now >= this.#nextRequestAt ? this.#wantedTokens(now) : [];
    let grant: Slots;
    try {
      grant = await this.#requestSlots({ wanted, ...toReport(reported, now) });
    } catch (error) {
      this.#feedback = mergeFeedback(reported, this.#feedback);
      this.#isFailing = true;
      this.#nextRequestAt = this.#time.now() + PAUSE_AFTER_ERROR_MS;
      if (!this.#isPassing(error)) {
        this.#feedback = noFeedback();
        this.#refuseAll(error instanceof Error ? error : new Error(String(error)));
      }
      return;
    }
    this.#isFailing = false;
    this.#takeGrant(grant, wanted);
  }

  #takeGrant(grant: Slots, wanted: readonly number[]): void {
    const now = this.#time.now();
    this.#countsTokens = grant.countsTokens;
    for (const [i, delayMs] of grant.delaysMs.entries())
      this.#slots.push({ at: now + Math.max(0, delayMs), tokens: wanted[i] ?? 0 });
    this.#slots.sort((one, other) => one.at - other.at);
    // A call was refused in the meantime: slots that were granted before are not used, but requested again.
    if (this.#feedback.refusedBeganAt !== undefined) this.#returnSlots();
    else if (grant.coolingMs > 0) this.#returnSlots(now + grant.coolingMs - TIMER_SLACK_MS);
    const aheadMs =
      (grant.delaysMs.length > 0 ? ASK_AHEAD_AGAIN_MS : ASK_AHEAD_MS) * (1 - ASK_AHEAD_SPREAD * Math.random());
    const pauseMs = (untilMs: number) => Math.min(LONGEST_PAUSE_MS, untilMs - aheadMs);
    if (grant.delaysMs.length < wanted.length)
      this.#nextRequestAt = now + Math.max(LEAST_PAUSE_MS, pauseMs(grant.nextMs));
    else if (wanted.length > 0) this.#nextRequestAt = now;
    for (const waiter of this.#waiters) waiter.notePause?.(grant.coolingMs);
    if (grant.coolingMs > 0) this.#nextRequestAt = Math.max(this.#nextRequestAt, now + pauseMs(grant.coolingMs));
  }

  #refuseAll(error: Error): void {
    const all = [...this.#waiters];
    this.#waiters.clear();
    for (const waiter of all) waiter.refuse(error);
  }
}
