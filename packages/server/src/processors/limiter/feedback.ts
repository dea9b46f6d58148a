/** What a process has learned from a provider since its last report. Moments are of this process's clock, in milliseconds. */
import type { CallEnd } from "./permits.ts";
import type { SlotRequest } from "./take-slots.ts";

/** A higher value is no limit, and arithmetic becomes inexact; one below 1 a minute is an error. */
const MAX_PER_MINUTE = 1e9;
/** More tokens than any call has: the usage that a provider reports is untrusted. */
const MAX_TOKENS = 1e9;
const MINUTE_MS = 60_000;
/** Of a minute: an empty allowance that is full again after this share of it is refilled continuously. */
const FULL_REFILL = 0.9;

export interface Feedback {
  returnedSlots: number;
  /** Beyond those that were expected. */
  tokens: number;
  responses: number;
  /** Rate limited or overloaded. */
  refusals: number;
  /** When the latest-started of each kind started. */
  respondedBeganAt?: number;
  refusedBeganAt?: number;
  overloadedBeganAt?: number;
  pauseUntil?: number;
  requestsPerMinute?: number;
  tokensPerMinute?: number;
}

export const noFeedback = (): Feedback => ({ returnedSlots: 0, tokens: 0, responses: 0, refusals: 0 });

export const isNothing = (feedback: Feedback): boolean =>
  feedback.returnedSlots === 0 &&
  feedback.tokens === 0 &&
  feedback.responses === 0 &&
  feedback.refusedBeganAt === undefined &&
  feedback.overloadedBeganAt === undefined &&
  feedback.pauseUntil === undefined &&
  feedback.requestsPerMinute === undefined &&
  feedback.tokensPerMinute === undefined;

/** All processes should know at once. */
export const isUrgent = (feedback: Feedback): boolean =>
  feedback.refusedBeganAt !== undefined ||
  feedback.overloadedBeganAt !== undefined ||
  feedback.pauseUntil !== undefined;

/** Tokens as they are counted: 0 where the value is not a positive number. */
export const countedTokens = (tokens: number): number => (tokens > 0 ? Math.min(tokens, MAX_TOKENS) : 0);

export function recordFeedback(
  feedback: Feedback,
  call: { beganAt: number; tokens: number },
  end: CallEnd,
  now: number,
): void {
  const { beganAt } = call;
  const wasRefused = end.outcome === "rate_limited" || end.outcome === "overloaded";
  feedback.tokens += countedTokens(end.tokens ?? (wasRefused ? 0 : call.tokens)) - call.tokens;
  if (end.outcome === "responded") {
    feedback.responses++;
    feedback.respondedBeganAt = latest(feedback.respondedBeganAt, beganAt);
  }
  if (wasRefused) feedback.refusals++;
  if (end.outcome === "rate_limited") feedback.refusedBeganAt = latest(feedback.refusedBeganAt, beganAt);
  if (end.outcome === "overloaded") feedback.overloadedBeganAt = latest(feedback.overloadedBeganAt, beganAt);
  if (end.retryAfterMs !== undefined && end.retryAfterMs > 0)
    feedback.pauseUntil = latest(feedback.pauseUntil, now + end.retryAfterMs);
  const { learned } = end;
  if (learned === undefined) return;
  if (isLimit(learned.requestsPerMinute)) feedback.requestsPerMinute = learned.requestsPerMinute;
  if (isLimit(learned.tokensPerMinute)) feedback.tokensPerMinute = learned.tokensPerMinute;
  for (const pause of [
    pauseOf(learned.remainingRequests, learned.requestsResetMs, learned.requestsPerMinute),
    pauseOf(learned.remainingTokens, learned.tokensResetMs, learned.tokensPerMinute),
  ])
    // Relative to the moment at which the provider counted the call: its start.
    if (beganAt + pause > now) feedback.pauseUntil = latest(feedback.pauseUntil, beganAt + pause);
}

/** Adds newer feedback to a report that could not be sent. */
export function mergeFeedback(earlier: Feedback, later: Feedback): Feedback {
  const merged: Feedback = {
    ...earlier,
    ...later,
    returnedSlots: earlier.returnedSlots + later.returnedSlots,
    tokens: earlier.tokens + later.tokens,
    responses: earlier.responses + later.responses,
    refusals: earlier.refusals + later.refusals,
  };
  for (const name of ["respondedBeganAt", "refusedBeganAt", "overloadedBeganAt", "pauseUntil"] as const) {
    const moment = earlier[name];
    if (moment !== undefined) merged[name] = latest(later[name], moment);
  }
  return merged;
}

export function toReport(
  feedback: Feedback,
  now: number,
): Omit<SlotRequest, "organizationId" | "connectionId" | "model" | "limits" | "wanted"> {
  const secondsAgo = (moment: number | undefined) => (moment === undefined ? null : Math.max(0, now - moment) / 1000);
  return {
    returnedSlots: feedback.returnedSlots,
    tokens: feedback.tokens,
    responses: feedback.responses,
    refusals: feedback.refusals,
    respondedSecondsAgo: secondsAgo(feedback.respondedBeganAt),
    refusedSecondsAgo: secondsAgo(feedback.refusedBeganAt),
    overloadedSecondsAgo: secondsAgo(feedback.overloadedBeganAt),
    pauseSeconds: feedback.pauseUntil === undefined ? null : Math.max(0, feedback.pauseUntil - now) / 1000,
    learnedRequestsPerMinute: feedback.requestsPerMinute ?? null,
    learnedTokensPerMinute: feedback.tokensPerMinute ?? null,
  };
}

/**
 * How long nothing is left. An allowance that is refilled continuously is full after a minute, but has something again at once: there
 * the pace is enough.
 */
function pauseOf(remaining: number | undefined, resetMs: number | undefined, perMinute: number | undefined): number {
  if (remaining !== 0 || resetMs === undefined || !(resetMs > 0)) return 0;
  const isRefilled = isLimit(perMinute) && resetMs >= FULL_REFILL * MINUTE_MS && resetMs <= MINUTE_MS / FULL_REFILL;
  return isRefilled ? 0 : resetMs;
}

const isLimit = (perMinute: number | undefined): perMinute is number =>
  perMinute !== undefined && perMinute >= 1 && perMinute <= MAX_PER_MINUTE;

const latest = (one: number | undefined, other: number): number => (one === undefined ? other : Math.max(one, other));
