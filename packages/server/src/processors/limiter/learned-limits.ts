/**
 * Reads a provider's limits from the header fields of a response, in the formats in use:
 *
 * - OpenAI and compatible providers: `x-ratelimit-{limit,remaining,reset}-{requests,tokens}`, the reset as `6m0s` or `20ms`
 * - Anthropic: `anthropic-ratelimit-{requests,tokens,input-tokens,output-tokens}-{limit,remaining,reset}`, the reset as RFC 3339
 * - the IETF's drafts: `RateLimit-Policy: "default";q=100;w=60` and `RateLimit: "default";r=50;t=30`, and their older forms
 * - others: `x-ratelimit-{limit,remaining,reset}`, with an unknown window
 *
 * Some providers report daily limits under the names of limits per minute. A limit is used only if it fits the remainder and the time of
 * its reset. All of it is hostile input: what cannot be parsed is left out.
 */
import type { LearnedLimits } from "./permits.ts";
import { present } from "../../platform/present.ts";

/** By lower-case names. */
type Headers = Readonly<Record<string, string>>;

/** Longer values are no limits. */
const MAX_FIELD_LENGTH = 1_000;
const MINUTE_MS = 60_000;
/** Resets are rounded to seconds, and were true when the response started. */
const TOLERANCE = 0.1;
const LEAST_TOLERANCE_MS = 1_000;
/** Allowances that are refilled continuously are recognized by how long a full refill would take. */
const OTHER_PERIODS_MS = [3_600_000, 86_400_000];
/** The allowance of a longer window is not spread evenly: a day's may be used in an hour. */
const MAX_WINDOW_SECONDS = 300;
const MAX_RESET_MS = 7 * 86_400_000;

/** Undefined: nothing was reported. */
export function readLearnedLimits(headers: Headers, now: Date = new Date()): LearnedLimits | undefined {
  // Most services report none, and are asked for none of some thirty fields.
  if (!Object.keys(headers).some((name) => name.includes("ratelimit"))) return undefined;
  const at = timeOfResponse(headers, now);
  const learned: LearnedLimits = {
    ...readOthers(headers, at),
    ...readDrafts(headers),
    ...pickRequests(readOpenAi(headers, "requests")),
    ...pickTokens(readOpenAi(headers, "tokens")),
    ...pickRequests(readAnthropic(headers, "requests", at)),
    ...readAnthropicTokens(headers, at),
  };
  return Object.keys(learned).length === 0 ? undefined : learned;
}

interface Allowance {
  /** Only where it is one of a minute. */
  perMinute?: number | undefined;
  remaining?: number | undefined;
  resetMs?: number | undefined;
}

function readOpenAi(headers: Headers, unit: "requests" | "tokens"): Allowance {
  const limit = readCount(field(headers, `x-ratelimit-limit-${unit}`));
  const remaining = readCount(field(headers, `x-ratelimit-remaining-${unit}`));
  const resetMs = readDuration(field(headers, `x-ratelimit-reset-${unit}`));
  return { perMinute: ofMinute(limit, remaining, resetMs), remaining, resetMs };
}

function readAnthropic(headers: Headers, unit: string, at: number): Allowance {
  const limit = readCount(field(headers, `anthropic-ratelimit-${unit}-limit`));
  const remaining = readCount(field(headers, `anthropic-ratelimit-${unit}-remaining`));
  const resetMs = readMoment(field(headers, `anthropic-ratelimit-${unit}-reset`), at);
  // Per minute, unless the reset contradicts it.
  const isOfMinute =
    limit !== undefined && limit > 0 && resetMs !== undefined && resetMs <= MINUTE_MS + slackOf(MINUTE_MS);
  return { perMinute: isOfMinute ? limit : undefined, remaining, resetMs };
}

/** Some count tokens together, others input and output tokens separately. */
function readAnthropicTokens(headers: Headers, at: number): LearnedLimits {
  const [all, input, output] = ["tokens", "input-tokens", "output-tokens"].map((unit) =>
    readAnthropic(headers, unit, at),
  );
  const both =
    input?.perMinute === undefined || output?.perMinute === undefined ? undefined : input.perMinute + output.perMinute;
  const exhausted = [all, input, output].find((allowance) => allowance?.remaining === 0);
  return pickTokens({ perMinute: all?.perMinute ?? both, ...remainderOf(exhausted ?? all) });
}

function readDrafts(headers: Headers): LearnedLimits {
  const policies = field(headers, "ratelimit-policy");
  const current = field(headers, "ratelimit");
  const old = {
    remaining: readCount(field(headers, "ratelimit-remaining")),
    resetMs: seconds(readCount(field(headers, "ratelimit-reset"))),
  };
  const reported = current === undefined ? old : scarcest(current);
  return pickRequests({ perMinute: slowestOf(policies ?? ""), ...reported });
}

/** Of `"burst";q=100;w=60, "daily";q=5000;w=86400` and `100;w=60`. */
function slowestOf(policies: string): number | undefined {
  let slowest: number | undefined;
  for (const policy of policies.split(",")) {
    const [name = "", ...rest] = policy.split(";");
    const parameters = readParameters(rest);
    // Some also count bytes and connections.
    const unit = parameters.get("qu")?.replaceAll('"', "") ?? "requests";
    const quota = readCount(parameters.get("q") ?? name.trim());
    const window = readCount(parameters.get("w"));
    if (unit !== "requests" || !quota || !window || window > MAX_WINDOW_SECONDS) continue;
    const perMinute = (quota * 60) / window;
    if (slowest === undefined || perMinute < slowest) slowest = perMinute;
  }
  return slowest;
}

/** Of `"burst";r=50;t=30, "daily";r=4000;t=3600`, or of `limit=100, remaining=50, reset=5`. */
function scarcest(current: string): Allowance {
  const whole = readParameters(current.split(","));
  if (whole.has("remaining"))
    return { remaining: readCount(whole.get("remaining")), resetMs: seconds(readCount(whole.get("reset"))) };
  let found: Allowance = {};
  for (const item of current.split(",")) {
    const parameters = readParameters(item.split(";").slice(1));
    const remaining = readCount(parameters.get("r"));
    if (remaining === undefined || remaining >= (found.remaining ?? Infinity)) continue;
    found = { remaining, resetMs: seconds(readCount(parameters.get("t"))) };
  }
  return found;
}

function readOthers(headers: Headers, at: number): LearnedLimits {
  const reset = field(headers, "x-ratelimit-reset");
  return pickRequests({
    remaining: readCount(field(headers, "x-ratelimit-remaining")),
    resetMs: readDuration(reset) ?? readMoment(reset, at),
  });
}

/**
 * The limit, if it is one per minute. A continuously refilled allowance is full again after (limit − remaining) / limit of its
 * period; a fixed window ends within it.
 */
function ofMinute(
  limit: number | undefined,
  remaining: number | undefined,
  resetMs: number | undefined,
): number | undefined {
  if (limit === undefined || remaining === undefined || resetMs === undefined) return undefined;
  const used = limit - remaining;
  if (used <= 0 || resetMs > MINUTE_MS + slackOf(MINUTE_MS)) return undefined;
  const refills = (periodMs: number): boolean =>
    Math.abs(resetMs - (periodMs * used) / limit) <= TOLERANCE * ((periodMs * used) / limit);
  if (Math.abs(resetMs - (MINUTE_MS * used) / limit) <= slackOf((MINUTE_MS * used) / limit)) return limit;
  if (OTHER_PERIODS_MS.some(refills)) return undefined;
  // A window of seconds ends that early, too, and has another limit per minute.
  return resetMs > LEAST_TOLERANCE_MS ? limit : undefined;
}

const slackOf = (durationMs: number): number => Math.max(LEAST_TOLERANCE_MS, TOLERANCE * durationMs);

/** A remainder without a reset has no meaning. */
const remainderOf = (allowance: Allowance | undefined): Allowance =>
  allowance?.remaining === undefined || allowance.resetMs === undefined
    ? {}
    : { remaining: allowance.remaining, resetMs: allowance.resetMs };

function pickRequests(allowance: Allowance): LearnedLimits {
  const { remaining, resetMs } = remainderOf(allowance);
  return {
    ...present({ requestsPerMinute: allowance.perMinute, remainingRequests: remaining, requestsResetMs: resetMs }),
  };
}

function pickTokens(allowance: Allowance): LearnedLimits {
  const { remaining, resetMs } = remainderOf(allowance);
  return {
    ...present({ tokensPerMinute: allowance.perMinute, remainingTokens: remaining, tokensResetMs: resetMs }),
  };
}

function field(headers: Headers, name: string): string | undefined {
  const value = headers[name];
  return value === undefined || value.length > MAX_FIELD_LENGTH ? undefined : value.trim();
}

function readParameters(parts: readonly string[]): Map<string, string> {
  const parameters = new Map<string, string>();
  for (const part of parts) {
    const [name = "", value] = part.split("=");
    if (value !== undefined) parameters.set(name.trim().toLowerCase(), value.trim());
  }
  return parameters;
}

function readCount(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,10}$/.test(text) ? Number(text) : undefined;
}

const seconds = (count: number | undefined): number | undefined =>
  count === undefined ? undefined : sensible(count * 1_000);

const DURATION =
  /^(?:(\d{1,3})d)?(?:(\d{1,4})h)?(?:(\d{1,5})m)?(?:(\d{1,6}(?:\.\d{1,9})?)s)?(?:(\d{1,9}(?:\.\d{1,9})?)ms)?$/;

/** `1d2h3m4.5s`, `20ms`, or seconds as a number. */
function readDuration(text: string | undefined): number | undefined {
  if (text === undefined || text === "") return undefined;
  if (/^\d{1,7}(?:\.\d{1,9})?$/.test(text)) return sensible(Number(text) * 1_000);
  const found = DURATION.exec(text);
  if (found === null) return undefined;
  const [days, hours, minutes, wholeSeconds, milliseconds] = found.slice(1).map((part) => Number(part ?? 0));
  return sensible(
    ((((days ?? 0) * 24 + (hours ?? 0)) * 60 + (minutes ?? 0)) * 60 + (wholeSeconds ?? 0)) * 1_000 +
      (milliseconds ?? 0),
  );
}

const RFC_3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;

/** A moment as RFC 3339 or in seconds since 1970, as milliseconds from then. */
function readMoment(text: string | undefined, at: number): number | undefined {
  if (text === undefined) return undefined;
  const moment = /^\d{10}$/.test(text) ? Number(text) * 1_000 : RFC_3339.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(moment) ? undefined : sensible(Math.max(0, moment - at));
}

const sensible = (ms: number): number | undefined => (ms <= MAX_RESET_MS ? ms : undefined);

/** By the provider's clock if it reports one: its moments refer to that clock. */
function timeOfResponse(headers: Headers, now: Date): number {
  const date = Date.parse(field(headers, "date") ?? "");
  return Number.isNaN(date) ? now.getTime() : date;
}
