/**
 * From a sample of a run's rows to all of them. Each row has three values of everything: the least, the most likely and the
 * most. Their means, times the rows, are the totals; the error of the sample (95 %) makes the range wider:
 *
 *     low = rows · (mean of the least − error)      high = rows · (mean of the most + error)
 */
import type { RunEstimate } from "@rowmill/contract/run-estimates";
import type { Estimator, RequestPrice, TokenRange } from "../../processors/processor.ts";

export interface Spread {
  low: number;
  expected: number;
  high: number;
}

/** What rows really took in earlier runs, each with all of its calls: means and their errors. */
export interface EarlierResults {
  requests: Spread;
  outputTokens: Spread;
}

/** A sampled row that would be called for; others take nothing. */
export type SampledRow = { inputTokens: TokenRange; outputTokens: TokenRange } | undefined;

/** Of a normal distribution, as means of dozens of rows nearly have. */
const SIGMAS_OF_95_PERCENT = 1.96;

/** Until completions were seen: structured ones are short, and free ones seldom longer than a page. */
const EXPECTED_OUTPUT_TOKENS = 256;

/** Of rows, need another attempt on a bad day of a provider; refused calls are free, so that most cost nothing. */
const SHARE_TRIED_AGAIN = 0.1;

export function estimateTotals(
  rows: number,
  sample: readonly SampledRow[],
  estimator: Pick<Estimator, "maxRequests" | "price" | "highestPrice" | "rateLimit">,
  earlier: EarlierResults | undefined,
  isTriedAgain: boolean,
): Pick<RunEstimate["estimate"], "requests" | "inputTokens" | "outputTokens" | "costUsd" | "durationSeconds"> {
  const { price, highestPrice, maxRequests } = estimator;
  const uses = sample.map((row) => {
    if (row === undefined) return NO_USE;
    return earlier === undefined ? useByLimits(row, maxRequests, isTriedAgain) : useByEarlier(row, earlier);
  });
  const total = (valueOf: (use: Use, bound: keyof Spread) => number): Spread => extrapolate(rows, uses, valueOf);
  const requests = roundSpread(total((use, bound) => use.requests[bound]));
  const inputTokens = roundSpread(total((use, bound) => use.inputTokens[bound]));
  const outputTokens = roundSpread(total((use, bound) => use.outputTokens[bound]));
  const cost =
    price === undefined
      ? undefined
      : total((use, bound) => costOf(bound === "high" ? (highestPrice ?? price) : price, use, bound));
  return {
    requests,
    inputTokens,
    outputTokens,
    costUsd:
      cost === undefined ? null : { low: toUsd(cost.low), expected: toUsd(cost.expected), high: toUsd(cost.high) },
    durationSeconds: durationOf(estimator.rateLimit, requests, inputTokens, outputTokens),
  };
}

type Totals = ReturnType<typeof estimateTotals>;

/**
 * Totals where the cache has outputs of sampled rows: these take nothing. Where other rows were not looked up, the high end counts one row
 * more as open than was found, as large as the mean: with its error, 200 cached rows of 200 leave three in 200 open, which they do not rule out.
 * `mayBeCalled`: outputs of the cache are not certain to be taken, so the high end is the one without a cache.
 */
export function estimateWithCache(
  { rows, sample, cached, mayBeCalled }: CachedSample,
  totalsOf: (sample: readonly SampledRow[]) => Totals,
): Totals {
  const without = totalsOf(sample);
  const [some] = cached;
  if (some === undefined) return without;
  const open = sample.map((row, place) => (cached.has(place) ? undefined : row));
  const totals = totalsOf(open);
  if (mayBeCalled) return withHigh(totals, without);
  if (rows <= sample.length) return totals;
  const further = totalsOf(open.with(some, meanRowOf(sample)));
  // Of few rows, the error of one more is larger than all of them.
  return withHigh(totals, further.requests.high < without.requests.high ? further : without);
}

export interface CachedSample {
  /** Of the run. */
  rows: number;
  sample: readonly SampledRow[];
  /** Places in the sample. */
  cached: ReadonlySet<number>;
  mayBeCalled: boolean;
}

const withHigh = (
  totals: Totals,
  { requests, inputTokens, outputTokens, costUsd, durationSeconds }: Totals,
): Totals => ({
  requests: { ...totals.requests, high: requests.high },
  inputTokens: { ...totals.inputTokens, high: inputTokens.high },
  outputTokens: { ...totals.outputTokens, high: outputTokens.high },
  costUsd: totals.costUsd === null || costUsd === null ? null : { ...totals.costUsd, high: costUsd.high },
  durationSeconds:
    totals.durationSeconds === null || durationSeconds === null
      ? null
      : { ...totals.durationSeconds, high: durationSeconds.high },
});

function meanRowOf(sample: readonly SampledRow[]): SampledRow {
  const called = sample.filter((row) => row !== undefined);
  const mean = (valueOf: (row: NonNullable<SampledRow>) => number): number =>
    called.reduce((sum, row) => sum + valueOf(row), 0) / called.length;
  return {
    inputTokens: { low: mean((row) => row.inputTokens.low), high: mean((row) => row.inputTokens.high) },
    outputTokens: { low: mean((row) => row.outputTokens.low), high: mean((row) => row.outputTokens.high) },
  };
}

/** Mean of values with its error, without knowing how many there could have been. */
export function meanOf(values: readonly number[]): Spread {
  const { mean, error } = describe(values);
  return { low: Math.max(0, mean - error), expected: mean, high: mean + error };
}

interface Use {
  requests: Spread;
  inputTokens: Spread;
  outputTokens: Spread;
}

const NOTHING: Spread = { low: 0, expected: 0, high: 0 };
const NO_USE: Use = { requests: NOTHING, inputTokens: NOTHING, outputTokens: NOTHING };

/** What lies between the ends is the length of a token, of which their number is the inverse: hence the harmonic mean. */
const middleOf = ({ low, high }: TokenRange): number => (high === 0 ? 0 : (2 * low * high) / (low + high));

function useByLimits(
  { inputTokens, outputTokens }: NonNullable<SampledRow>,
  rounds: number,
  isTriedAgain: boolean,
): Use {
  const times = 1 + (isTriedAgain ? SHARE_TRIED_AGAIN : 0);
  // Every message sends those before it, too.
  const repeatedInput = inputTokens.high * rounds + (outputTokens.high * rounds * (rounds - 1)) / 2;
  return {
    requests: { low: 1, expected: 1, high: rounds * times },
    inputTokens: { low: inputTokens.low, expected: middleOf(inputTokens), high: repeatedInput * times },
    outputTokens: {
      low: outputTokens.low,
      expected: Math.min(outputTokens.high, Math.max(outputTokens.low, EXPECTED_OUTPUT_TOKENS)),
      high: outputTokens.high * rounds * times,
    },
  };
}

function useByEarlier({ inputTokens }: NonNullable<SampledRow>, { requests, outputTokens }: EarlierResults): Use {
  return {
    requests,
    inputTokens: {
      low: inputTokens.low * requests.low,
      expected: middleOf(inputTokens) * requests.expected,
      high: inputTokens.high * requests.high,
    },
    outputTokens,
  };
}

function costOf(price: RequestPrice, use: Use, bound: keyof Spread): number {
  const tokens =
    use.inputTokens[bound] * Number(price.inputUsdPerMillionTokens) +
    use.outputTokens[bound] * Number(price.outputUsdPerMillionTokens);
  return use.requests[bound] * Number(price.requestUsd) + tokens / 1_000_000;
}

function extrapolate(rows: number, uses: readonly Use[], valueOf: (use: Use, bound: keyof Spread) => number): Spread {
  // Of a sample that is nearly everything there is little that is not known.
  const unseen = rows <= 1 ? 0 : Math.sqrt(Math.max(0, rows - uses.length) / (rows - 1));
  const at = (bound: keyof Spread) => describe(uses.map((use) => valueOf(use, bound)));
  const [low, expected, high] = [at("low"), at("expected"), at("high")];
  return {
    low: Math.max(0, Math.min(expected.mean, low.mean - low.error * unseen)) * rows,
    expected: expected.mean * rows,
    high: (high.mean + high.error * unseen) * rows,
  };
}

function describe(values: readonly number[]): { mean: number; error: number } {
  const count = values.length;
  if (count === 0) return { mean: 0, error: 0 };
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  const variance = count < 2 ? 0 : values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (count - 1);
  return { mean, error: SIGMAS_OF_95_PERCENT * Math.sqrt(variance / count) };
}

function durationOf(
  { requestsPerMinute, tokensPerMinute }: Estimator["rateLimit"],
  requests: Spread,
  inputTokens: Spread,
  outputTokens: Spread,
): Spread | null {
  if (requestsPerMinute === null && tokensPerMinute === null) return null;
  const seconds = (bound: keyof Spread): number =>
    60 *
    Math.max(
      requestsPerMinute === null ? 0 : requests[bound] / requestsPerMinute,
      tokensPerMinute === null ? 0 : (inputTokens[bound] + outputTokens[bound]) / tokensPerMinute,
    );
  return roundSpread({ low: seconds("low"), expected: seconds("expected"), high: seconds("high") });
}

const roundSpread = ({ low, expected, high }: Spread): Spread => ({
  low: Math.floor(exact(low)),
  expected: Math.round(exact(expected)),
  high: Math.ceil(exact(high)),
});

/** Without what a float adds in its last places: 60 · 1.1 is 66. */
const exact = (value: number): number => Number(value.toPrecision(12));

const toUsd = (amount: number): string => amount.toFixed(6);
