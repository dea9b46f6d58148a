import { describe, expect, test } from "vitest";
import { estimateTotals, estimateWithCache, meanOf } from "./estimate-totals.ts";
import type { SampledRow } from "./estimate-totals.ts";

const price = { requestUsd: "0", inputUsdPerMillionTokens: "1", outputUsdPerMillionTokens: "10" };
const unlimited = { requestsPerMinute: null, tokensPerMinute: null };
const estimator = { maxRequests: 1, price, highestPrice: price, rateLimit: unlimited };

const row = (low: number, high: number, longest = 100): SampledRow => ({
  inputTokens: { low, high },
  outputTokens: { low: 1, high: longest },
});

describe("without earlier results", () => {
  test("rows that are all alike have the range of one row, times the rows", () => {
    const sample = Array.from({ length: 50 }, () => row(80, 120));
    const totals = estimateTotals(1_000, sample, estimator, undefined, false);
    expect(totals).toEqual({
      requests: { low: 1_000, expected: 1_000, high: 1_000 },
      inputTokens: { low: 80_000, expected: 96_000, high: 120_000 },
      outputTokens: { low: 1_000, expected: 100_000, high: 100_000 },
      costUsd: { low: "0.090000", expected: "1.096000", high: "1.120000" },
      durationSeconds: null,
    });
  });

  test("a sample of unlike rows widens the range, and one of all rows does not", () => {
    const sample = Array.from({ length: 100 }, (_, i) => row(i % 2 === 0 ? 0 : 200, i % 2 === 0 ? 0 : 200));
    const part = estimateTotals(10_000, sample, estimator, undefined, false).inputTokens;
    const whole = estimateTotals(100, sample, estimator, undefined, false).inputTokens;
    expect(whole).toEqual({ low: 10_000, expected: 10_000, high: 10_000 });
    // The standard deviation is 100.5, its error for 100 rows a tenth of that, and 95 % are 1.96 of it: 19.6 of each row.
    expect(part.expected).toBe(1_000_000);
    expect(part.low).toBeGreaterThan(800_000);
    expect(part.low).toBeLessThan(810_000);
    expect(part.high).toBeGreaterThan(1_190_000);
    expect(part.high).toBeLessThan(1_200_000);
  });

  test("rows that would fail at once take nothing", () => {
    const sample = [row(100, 100), undefined, row(100, 100), undefined];
    expect(estimateTotals(4, sample, estimator, undefined, false)).toMatchObject({
      requests: { low: 2, expected: 2, high: 2 },
      inputTokens: { low: 200, expected: 200, high: 200 },
    });
    expect(estimateTotals(4, [undefined], estimator, undefined, true)).toMatchObject({
      requests: { low: 0, expected: 0, high: 0 },
      costUsd: { low: "0.000000", expected: "0.000000", high: "0.000000" },
    });
  });

  test("the most holds every repair message, which sends what was said before, and further attempts", () => {
    const totals = estimateTotals(1, [row(100, 100, 50)], { ...estimator, maxRequests: 3 }, undefined, false);
    expect(totals.requests).toEqual({ low: 1, expected: 1, high: 3 });
    // 100, 100 + 50, 100 + 50 + 50
    expect(totals.inputTokens).toEqual({ low: 100, expected: 100, high: 450 });
    expect(totals.outputTokens.high).toBe(150);
    expect(estimateTotals(100, Array(100).fill(row(1, 1)), estimator, undefined, true).requests.high).toBe(110);
  });
});

describe("with earlier results", () => {
  const earlier = {
    requests: { low: 1, expected: 1.5, high: 2 },
    outputTokens: { low: 30, expected: 40, high: 50 },
  };

  test("requests and responses are as they were, and prompts are sent with each request", () => {
    const sample = Array.from({ length: 10 }, () => row(90, 110, 4_096));
    expect(estimateTotals(100, sample, { ...estimator, maxRequests: 4 }, earlier, true)).toEqual({
      requests: { low: 100, expected: 150, high: 200 },
      inputTokens: { low: 9_000, expected: 14_850, high: 22_000 },
      outputTokens: { low: 3_000, expected: 4_000, high: 5_000 },
      costUsd: { low: "0.039000", expected: "0.054850", high: "0.072000" },
      durationSeconds: null,
    });
  });

  test("a mean of many is surer than one of few", () => {
    expect(meanOf([4, 4, 4, 4])).toEqual({ low: 4, expected: 4, high: 4 });
    const [few, many] = [meanOf([0, 8]), meanOf(Array.from({ length: 200 }, (_, i) => (i % 2) * 8))];
    expect([few.expected, many.expected]).toEqual([4, 4]);
    expect(few.low).toBe(0);
    expect(many.high - many.low).toBeLessThan((few.high - few.low) / 5);
  });
});

test("a price that is not known leaves the cost open; the most is at the highest price that is", () => {
  const sample = [row(1_000_000, 1_000_000, 0)];
  const open = { ...estimator, price: undefined, highestPrice: price };
  expect(estimateTotals(1, sample, open, undefined, false).costUsd).toBeNull();
  const highestPrice = { ...price, requestUsd: "5", inputUsdPerMillionTokens: "2" };
  const totals = estimateTotals(1, sample, { ...estimator, highestPrice }, undefined, false);
  expect(totals.costUsd).toEqual({ low: expect.any(String) as string, expected: "1.000000", high: "7.000000" });
});

test("a rate limit says how long it takes, by requests or by tokens", () => {
  const sample = [row(100, 100, 0), row(100, 100, 0)];
  const within = (requestsPerMinute: number | null, tokensPerMinute: number | null) =>
    estimateTotals(2, sample, { ...estimator, rateLimit: { requestsPerMinute, tokensPerMinute } }, undefined, false)
      .durationSeconds?.expected;
  expect(within(1, null)).toBe(120);
  expect(within(null, 100)).toBe(120);
  expect(within(4, 50)).toBe(240);
  expect(within(null, null)).toBeUndefined();
});

describe("rows whose outputs the cache has", () => {
  const sampleOf = (count: number) => Array.from({ length: count }, () => row(80, 120));
  const first = (count: number) => new Set(Array.from({ length: count }, (_, place) => place));
  const totalsOf = (rows: number, sample: readonly SampledRow[], cached: number, mayBeCalled = false) =>
    estimateWithCache({ rows, sample, cached: first(cached), mayBeCalled }, (open) =>
      estimateTotals(rows, open, estimator, undefined, false),
    );
  const requestsOf = (rows: number, sampled: number, cached: number) =>
    totalsOf(rows, sampleOf(sampled), cached).requests;

  test("take nothing, where all rows were looked up", () => {
    expect(requestsOf(200, 200, 0)).toEqual({ low: 200, expected: 200, high: 200 });
    expect(requestsOf(200, 200, 150)).toEqual({ low: 50, expected: 50, high: 50 });
    expect(totalsOf(200, sampleOf(200), 200)).toEqual(estimateTotals(0, [], estimator, undefined, false));
  });

  test("leave a range, where others were not looked up", () => {
    // 95 %: a quarter of the rows, 6 % more or fewer.
    const { low, expected, high } = requestsOf(20_000, 200, 150);
    expect([expected, low > 3_750, low < 3_850, high > 6_200, high < 6_350]).toEqual([5_000, true, true, true, true]);
    // Without any there is nothing to take off.
    expect(requestsOf(20_000, 200, 0)).toEqual({ low: 20_000, expected: 20_000, high: 20_000 });
  });

  test("are perhaps not all, where all that were looked up are", () => {
    const { low, expected, high } = requestsOf(20_000, 200, 200);
    // Three rows in 200.
    expect([low, expected, high > 280, high < 300]).toEqual([0, 0, true, true]);
    // Of one open row in 200 the high end is higher.
    expect(requestsOf(20_000, 200, 199).high).toBeGreaterThan(1.5 * high);
  });

  test.each([1, 2, 3])(
    "leave no more than all rows, where %i large rows were looked up, and at least nothing",
    (few) => {
      const { low, expected, high } = requestsOf(1_000, few, few);
      expect([low, expected, high > 900, high <= 1_000]).toEqual([0, 0, true, true]);
    },
  );

  test("leave a row of the mean at the high end, however small they are", () => {
    const sample = [
      ...Array.from({ length: 100 }, () => row(1, 1)),
      ...Array.from({ length: 100 }, () => row(999, 999)),
    ];
    expect(totalsOf(20_000, sample, 200).inputTokens.high).toBeGreaterThan(280 * 500);
  });

  test("do not lower the high end, where their outputs may not fit the job spec", () => {
    const { low, expected, high } = totalsOf(200, sampleOf(200), 150, true).requests;
    expect([low, expected, high]).toEqual([50, 50, 200]);
  });
});
