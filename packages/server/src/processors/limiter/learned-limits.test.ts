import { describe, expect, test } from "vitest";
import { readLearnedLimits } from "./learned-limits.ts";

const NOW = new Date("2026-11-20T12:00:00.500Z");
const read = (headers: Record<string, string>) => readLearnedLimits(headers, NOW);
const openAi = (unit: string, limit: string, remaining: string, reset: string) => ({
  [`x-ratelimit-limit-${unit}`]: limit,
  [`x-ratelimit-remaining-${unit}`]: remaining,
  [`x-ratelimit-reset-${unit}`]: reset,
});
const anthropic = (unit: string, limit: string, remaining: string, reset: string) => ({
  [`anthropic-ratelimit-${unit}-limit`]: limit,
  [`anthropic-ratelimit-${unit}-remaining`]: remaining,
  [`anthropic-ratelimit-${unit}-reset`]: reset,
});

test("a response that says nothing of limits teaches nothing", () => {
  expect(read({ "content-type": "application/json", "x-request-id": "req_1" })).toBeUndefined();
});

describe("in OpenAI's words", () => {
  test("requests and tokens are read, and when they are full again", () => {
    expect(read({ ...openAi("requests", "600", "540", "6s"), ...openAi("tokens", "150000", "149984", "6ms") })).toEqual(
      {
        requestsPerMinute: 600,
        remainingRequests: 540,
        requestsResetMs: 6000,
        tokensPerMinute: 150_000,
        remainingTokens: 149_984,
        tokensResetMs: 6,
      },
    );
  });

  test.each([
    ["20ms", 20],
    ["1s", 1000],
    ["1.5s", 1500],
    ["6m0s", 360_000],
    ["2m59.56s", 179_560],
    ["1h2m3s", 3_723_000],
    ["1d", 86_400_000],
    ["12", 12_000],
    ["0.5", 500],
  ])("%s is a duration", (reset, ms) => {
    expect(read(openAi("requests", "600", "0", reset))?.requestsResetMs).toBeCloseTo(ms, 6);
  });

  test.each([
    ["a window that has just begun", "600", "599", "59s"],
    ["a window that ends soon", "600", "17", "2s"],
    ["a bucket that is nearly full", "3000", "2999", "20ms"],
    ["a bucket that is half full", "60", "30", "30s"],
    ["a bucket that is empty", "60", "0", "1m0s"],
  ])("a limit of a minute is taken: %s", (_what, limit, remaining, reset) => {
    expect(read(openAi("requests", limit, remaining, reset))?.requestsPerMinute).toBe(Number(limit));
  });

  test.each([
    ["Groq's requests of a day", "14400", "14370", "2m59.56s"],
    ["its first request", "14400", "14399", "6s"],
    ["a day of few requests", "200", "199", "7m12s"],
    ["an hour's bucket", "3600", "3590", "10s"],
    ["a second's window", "10", "4", "0.6"],
    ["more left than there is", "60", "61", "1s"],
    ["nothing used", "14400", "14400", "0s"],
  ])("a limit that is none of a minute is not: %s", (_what, limit, remaining, reset) => {
    expect(read(openAi("requests", limit, remaining, reset))?.requestsPerMinute).toBeUndefined();
  });

  test("a day's allowance that is used up is still something to wait for", () => {
    expect(read(openAi("requests", "200", "0", "11h59m"))).toEqual({
      remainingRequests: 0,
      requestsResetMs: 43_140_000,
    });
  });
});

describe("in Anthropic's words", () => {
  test("limits are those of a minute, and moments are by the provider's clock", () => {
    expect(
      read({
        date: "Fri, 20 Nov 2026 11:58:00 GMT",
        ...anthropic("requests", "50", "49", "2026-11-20T11:58:01Z"),
        ...anthropic("tokens", "48000", "47000", "2026-11-20T11:58:02Z"),
        ...anthropic("input-tokens", "40000", "39500", "2026-11-20T11:58:01Z"),
        ...anthropic("output-tokens", "8000", "7500", "2026-11-20T11:58:04Z"),
      }),
    ).toEqual({
      requestsPerMinute: 50,
      remainingRequests: 49,
      requestsResetMs: 1000,
      tokensPerMinute: 48_000,
      remainingTokens: 47_000,
      tokensResetMs: 2000,
    });
  });

  test("tokens are those of input and output together, and nothing is left where one of them is used up", () => {
    expect(
      read({
        ...anthropic("input-tokens", "40000", "39500", "2026-11-20T12:00:01Z"),
        ...anthropic("output-tokens", "8000", "0", "2026-11-20T12:00:40.500Z"),
      }),
    ).toEqual({ tokensPerMinute: 48_000, remainingTokens: 0, tokensResetMs: 40_000 });
  });

  test("a limit that is full again tomorrow is none of a minute", () => {
    expect(read(anthropic("requests", "50", "49", "2026-11-21T12:00:00Z"))?.requestsPerMinute).toBeUndefined();
  });
});

describe("in the words of the IETF's drafts", () => {
  test.each([
    [{ "ratelimit-policy": '"default";q=100;w=60', ratelimit: '"default";r=50;t=30' }, 100, 50, 30_000],
    [
      {
        "ratelimit-policy": '"burst";q=10;w=1, "daily";q=5000;w=86400',
        ratelimit: '"burst";r=9;t=1, "daily";r=3;t=60',
      },
      600,
      3,
      60_000,
    ],
    [
      { "ratelimit-policy": "100;w=30", "ratelimit-limit": "100", "ratelimit-remaining": "7", "ratelimit-reset": "12" },
      200,
      7,
      12_000,
    ],
    [{ "ratelimit-policy": "100;w=60", ratelimit: "limit=100, remaining=5, reset=6" }, 100, 5, 6000],
    [{ "ratelimit-policy": '"bytes";q=1000;w=60;qu="content-bytes"' }, undefined, undefined, undefined],
    [{ "ratelimit-remaining": "7", "ratelimit-reset": "12" }, undefined, 7, 12_000],
  ])("%j", (headers, requestsPerMinute, remainingRequests, requestsResetMs) => {
    const learned = read(Object.fromEntries(Object.entries(headers)));
    expect([learned?.requestsPerMinute, learned?.remainingRequests, learned?.requestsResetMs]).toEqual([
      requestsPerMinute,
      remainingRequests,
      requestsResetMs,
    ]);
  });
});

test.each([
  ["in seconds", "30", 30_000],
  ["as a moment", String(Math.floor(NOW.getTime() / 1000) + 30), 29_500],
])("of words without a window only what is left counts: a reset %s", (_what, reset, ms) => {
  expect(read({ "x-ratelimit-limit": "60", "x-ratelimit-remaining": "0", "x-ratelimit-reset": reset })).toEqual({
    remainingRequests: 0,
    requestsResetMs: ms,
  });
});

test.each([
  openAi("requests", "-1", "-1", "1s"),
  openAi("requests", "1e3", "0x1", "1"),
  openAi("requests", "99999999999999999999", "99999999999999999998", "1s"),
  openAi("requests", "600", "599", "m"),
  openAi("requests", "600", "599", ""),
  openAi("requests", "600", "599", "1s; drop table limiters"),
  openAi("requests", "600", "599", `${"9".repeat(2000)}s`),
  openAi("requests", "600", "599", "999d999999s"),
  openAi("tokens", "NaN", "Infinity", "-5s"),
  anthropic("requests", "50", "0", "yesterday"),
  anthropic("requests", "0", "0", "9999-12-31T23:59:59Z"),
  { "ratelimit-policy": ";;;,,,===;w=;q=", ratelimit: ",;=,r=1" },
  { "ratelimit-policy": '"x";q=0;w=0' },
  { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1e9" },
])("what nobody could mean is left out: %j", (headers) => {
  const learned = read(Object.fromEntries(Object.entries(headers)));
  expect(learned?.requestsPerMinute).toBeUndefined();
  expect(learned?.tokensPerMinute).toBeUndefined();
  expect(learned?.requestsResetMs).toBeUndefined();
  expect(learned?.tokensResetMs).toBeUndefined();
});
