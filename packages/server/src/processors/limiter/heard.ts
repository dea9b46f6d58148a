/** What a process has heard from a provider since it last told the others. Moments are of this process's clock, in milliseconds. */
import type { CallEnd } from "./permits.ts";
import type { Ask } from "./take-slots.ts";

/** Beyond that a limit is none, and arithmetic becomes inexact; below 1 a minute nobody means it. */
const MAX_PER_MINUTE = 1e9;
/** More tokens than any call has. What a provider says of its usage is not ours. */
const MAX_TOKENS = 1e9;
const MINUTE_MS = 60_000;
/** Of a minute: an allowance that is full again after so long when it is empty is filled all the time. */
const FULL_REFILL = 0.9;

export interface Heard {
  returnedSlots: number;
  /** Beyond those that were expected. */
  tokens: number;
  answered: number;
  /** When the latest-begun of them began. */
  answeredBeganAt?: number;
  refusedBeganAt?: number;
  strainedBeganAt?: number;
  pauseUntil?: number;
  requestsPerMinute?: number;
  tokensPerMinute?: number;
}

export const heardNothing = (): Heard => ({ returnedSlots: 0, tokens: 0, answered: 0 });

export const isNothing = (heard: Heard): boolean =>
  heard.returnedSlots === 0 &&
  heard.tokens === 0 &&
  heard.answered === 0 &&
  heard.refusedBeganAt === undefined &&
  heard.strainedBeganAt === undefined &&
  heard.pauseUntil === undefined &&
  heard.requestsPerMinute === undefined &&
  heard.tokensPerMinute === undefined;

/** Everyone should know at once. */
export const isUrgent = (heard: Heard): boolean =>
  heard.refusedBeganAt !== undefined || heard.strainedBeganAt !== undefined || heard.pauseUntil !== undefined;

/** Tokens as they are counted: 0 where they are no number. */
export const countedTokens = (tokens: number): number => (tokens > 0 ? Math.min(tokens, MAX_TOKENS) : 0);

export function hear(heard: Heard, call: { beganAt: number; tokens: number }, end: CallEnd, now: number): void {
  const { beganAt } = call;
  const wasRefused = end.outcome === "rate_limited" || end.outcome === "overloaded";
  heard.tokens += countedTokens(end.tokens ?? (wasRefused ? 0 : call.tokens)) - call.tokens;
  if (end.outcome === "answered") {
    heard.answered++;
    heard.answeredBeganAt = latest(heard.answeredBeganAt, beganAt);
  }
  if (end.outcome === "rate_limited") heard.refusedBeganAt = latest(heard.refusedBeganAt, beganAt);
  if (end.outcome === "overloaded") heard.strainedBeganAt = latest(heard.strainedBeganAt, beganAt);
  if (end.retryAfterMs !== undefined && end.retryAfterMs > 0)
    heard.pauseUntil = latest(heard.pauseUntil, now + end.retryAfterMs);
  const { learned } = end;
  if (learned === undefined) return;
  if (isLimit(learned.requestsPerMinute)) heard.requestsPerMinute = learned.requestsPerMinute;
  if (isLimit(learned.tokensPerMinute)) heard.tokensPerMinute = learned.tokensPerMinute;
  for (const pause of [
    pauseOf(learned.remainingRequests, learned.requestsResetMs, learned.requestsPerMinute),
    pauseOf(learned.remainingTokens, learned.tokensResetMs, learned.tokensPerMinute),
  ])
    // Of the moment at which the provider counted the call, which was when it began.
    if (beganAt + pause > now) heard.pauseUntil = latest(heard.pauseUntil, beganAt + pause);
}

/** Puts what could not be told before what was heard since. */
export function mergeHeard(earlier: Heard, later: Heard): Heard {
  const merged: Heard = {
    ...earlier,
    ...later,
    returnedSlots: earlier.returnedSlots + later.returnedSlots,
    tokens: earlier.tokens + later.tokens,
    answered: earlier.answered + later.answered,
  };
  for (const name of ["answeredBeganAt", "refusedBeganAt", "strainedBeganAt", "pauseUntil"] as const) {
    const moment = earlier[name];
    if (moment !== undefined) merged[name] = latest(later[name], moment);
  }
  return merged;
}

export function tell(
  heard: Heard,
  now: number,
): Omit<Ask, "organizationId" | "connectionId" | "model" | "limits" | "wanted"> {
  const secondsAgo = (moment: number | undefined) => (moment === undefined ? null : Math.max(0, now - moment) / 1000);
  return {
    returnedSlots: heard.returnedSlots,
    tokens: heard.tokens,
    answered: heard.answered,
    answeredSecondsAgo: secondsAgo(heard.answeredBeganAt),
    refusedSecondsAgo: secondsAgo(heard.refusedBeganAt),
    strainedSecondsAgo: secondsAgo(heard.strainedBeganAt),
    pauseSeconds: heard.pauseUntil === undefined ? null : Math.max(0, heard.pauseUntil - now) / 1000,
    learnedRequestsPerMinute: heard.requestsPerMinute ?? null,
    learnedTokensPerMinute: heard.tokensPerMinute ?? null,
  };
}

/**
 * How long nothing is left. What is refilled all the time is full after a minute, but has something again at once: there the
 * pace is enough.
 */
function pauseOf(remaining: number | undefined, resetMs: number | undefined, perMinute: number | undefined): number {
  if (remaining !== 0 || resetMs === undefined || !(resetMs > 0)) return 0;
  const isRefilled = isLimit(perMinute) && resetMs >= FULL_REFILL * MINUTE_MS && resetMs <= MINUTE_MS / FULL_REFILL;
  return isRefilled ? 0 : resetMs;
}

const isLimit = (perMinute: number | undefined): perMinute is number =>
  perMinute !== undefined && perMinute >= 1 && perMinute <= MAX_PER_MINUTE;

const latest = (one: number | undefined, other: number): number => (one === undefined ? other : Math.max(one, other));
