/** What the rest of the rows will cost and take, from the rows that were tried and from the service's own estimate. */
import type { RunEstimate } from "@rowmill/client";
import { count, durationRange, plural, usd, usdRange } from "../frame/numbers.ts";

export interface TriedRow {
  costUsd: number | undefined;
  durationMs: number | undefined;
  /** It took no time, and no money. */
  isCached?: boolean;
}

export interface Price {
  rows: number;
  /** Undefined where a price is not known. */
  costUsd: { low: number; high: number } | undefined;
  seconds: { low: number; high: number } | undefined;
  tokens: number;
  /** Sampled rows whose outputs the cache has. Absent: it has none. */
  cached?: { rows: number; sampled: number };
}

/** Student's t for 95 % and 1, 2, 3 … degrees of freedom: five rows say little of ten thousand. */
const T_VALUES = [12.7, 4.3, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26];
const T_OF_MANY = 2;
/** No sample is as good as its numbers say. */
const LEAST_SPREAD = 0.05;
/** Rows in flight in a run that does not say. */
const USUAL_IN_FLIGHT = 64;
/** Providers are slower and faster than a moment ago. */
const SPEED_SPREAD = 0.25;

export function priceOf(
  rows: number,
  tried: readonly TriedRow[],
  { estimate }: Pick<RunEstimate, "estimate">,
  inFlight = USUAL_IN_FLIGHT,
): Price {
  const costs = tried.flatMap(({ costUsd }) => (costUsd === undefined ? [] : [costUsd]));
  const durations = tried.flatMap(({ durationMs, isCached }) =>
    durationMs === undefined || isCached === true ? [] : [durationMs],
  );
  const { cachedSampledRows: cached = 0, sampledRows: sampled, requests } = estimate;
  const share = cached === 0 ? ALL_CALLED : { low: shareOf(requests.low, rows), high: shareOf(requests.high, rows) };
  const bounds = estimate.costUsd;
  const [low, high] = [Number(bounds?.low ?? 0), Number(bounds?.high ?? 0)];
  const costUsd =
    bounds === null ? undefined : costs.length === 0 ? { low, high } : clamp(scale(rows, costs, share), low, high);
  const limited = estimate.durationSeconds;
  return {
    rows,
    costUsd,
    seconds: limited ?? (durations.length === 0 ? undefined : timeOf(rows, mean(durations), inFlight, share)),
    tokens: estimate.inputTokens.expected + estimate.outputTokens.expected,
    ...(cached === 0 ? {} : { cached: { rows: cached, sampled } }),
  };
}

/** How a price is given: by an option of `rowmill map`, or to a connection. */
export const PRICE_BY_OPTION = "--price IN/OUT gives it";
export const PRICE_OF_CONNECTION = "`rowmill connect PROVIDER --name NAME --price IN/OUT` gives it";

/** `9,995 more rows: $1.84–2.10, 6–8 min.` `maxCost` is what --max-cost allows, in US dollars. */
export function describePrice(
  { rows, costUsd, seconds, tokens, cached }: Price,
  isMore: boolean,
  howToPrice: string,
  maxCost?: string,
): string {
  const known =
    cached === undefined ? "" : ` (the cache has ${count(cached.rows)} of ${count(cached.sampled)} looked up)`;
  const what = `${isMore ? plural(rows, "more row") : plural(rows, "row")}${known}`;
  const cost =
    costUsd === undefined
      ? `about ${plural(tokens, "token")}, at a price that is not known (${howToPrice})`
      : describeCost(costUsd, maxCost === undefined ? Infinity : Number(maxCost), isMore);
  return [`${what}: ${cost}`, ...(seconds === undefined ? [] : [durationRange(seconds.low, seconds.high)])].join(", ");
}

/** Without a limit of the output tokens, the high end of an estimate is far above what a run with a budget can cost. */
function describeCost({ low, high }: { low: number; high: number }, most: number, isMore: boolean): string {
  if (high <= most) return usdRange(low, high);
  // The first rows are paid already, and are taken off.
  if (low < most) return `${usd(low)} or more, at most ${usd(most)} ${isMore ? "for them" : "in all"} (--max-cost)`;
  return `${usdRange(low, high)}, of which --max-cost allows ${usd(most)}`;
}

/** Of the rows, those for which something is called: the cache has the outputs of the others. */
interface Share {
  low: number;
  high: number;
}
const ALL_CALLED: Share = { low: 1, high: 1 };

const shareOf = (requests: number, rows: number): number => (rows === 0 ? 1 : Math.min(1, requests / rows));

function scale(rows: number, costs: readonly number[], share: Share): { low: number; high: number } {
  const average = mean(costs);
  const variance = costs.reduce((sum, cost) => sum + (cost - average) ** 2, 0) / Math.max(1, costs.length - 1);
  const t = T_VALUES[costs.length - 2] ?? (costs.length < 2 ? T_VALUES[0] : T_OF_MANY) ?? T_OF_MANY;
  const spread = Math.max(average * LEAST_SPREAD, t * Math.sqrt(variance / costs.length));
  return { low: rows * share.low * Math.max(0, average - spread), high: rows * share.high * (average + spread) };
}

/** The service has looked at more rows than were tried: where its bounds are tighter, they hold. */
function clamp(range: { low: number; high: number }, low: number, high: number): { low: number; high: number } {
  const result = { low: Math.max(range.low, low), high: Math.min(range.high, high) };
  return result.low <= result.high ? result : range;
}

function timeOf(rows: number, durationMs: number, inFlight: number, share: Share): { low: number; high: number } {
  const seconds = (called: number): number => (Math.ceil(called / Math.min(rows, inFlight)) * durationMs) / 1000;
  return {
    low: seconds(rows * share.low) * (1 - SPEED_SPREAD),
    high: seconds(rows * share.high) * (1 + SPEED_SPREAD),
  };
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
