import { expect, test } from "vitest";
import { addAbandoned, addOutcome, noResults, readCarriedUsage, usageOnly } from "./chunk-results.ts";
import type { RowFailure } from "../../processors/processor.ts";

function recorded(failure: Partial<RowFailure>) {
  const results = noResults();
  const outcome = { ok: false as const, failure: { code: "transform_error" as const, message: "", ...failure } };
  addOutcome(results, { index: 3, attempts: 2, durationMs: 5, outcome, usage: undefined });
  return results.failures[0];
}

test("a failure keeps its code's rule of whether to retry, unless it has its own", () => {
  expect(recorded({})).toMatchObject({ index: 3, attempts: 2, retryable: false });
  expect(recorded({ retryable: true })).toMatchObject({ retryable: true });
});

test.each([
  ["back", -3_599_080, 0],
  ["ahead, by years", 1_700_000_000_000, 2 ** 31 - 1],
])("a row has a duration that can be stored where the clock was set %s meanwhile", (_where, durationMs, recordedMs) => {
  const results = noResults();
  const common = { attempts: 1, durationMs, usage: undefined };
  addOutcome(results, { index: 1, ...common, outcome: { ok: true, output: "1" } });
  addOutcome(results, {
    index: 2,
    ...common,
    outcome: { ok: false, failure: { code: "transform_error", message: "" } },
  });
  expect([...results.successes, ...results.failures].map((row) => row.durationMs)).toEqual([recordedMs, recordedMs]);
});

test("messages and details are text that every reader can take", () => {
  const failure = recorded({ message: "a\0b\ud83d", details: { quoted: ["\0", "\udc00"], n: 1 } });
  expect(failure?.failure).toEqual({ message: "a\uFFFDb\uFFFD", details: { quoted: ["\uFFFD", "\uFFFD"], n: 1 } });
});

test("messages and details are bounded, without half a character at the cut", () => {
  expect(recorded({ message: "x".repeat(1_999) + "\ud83d\ude00" })?.failure.message).toBe("x".repeat(1_999));
  expect(recorded({ details: { text: "x".repeat(20_000) } })?.failure.details).toEqual({ omitted: "20011 characters" });
  expect(recorded({ details: { "\0": 1 } })?.failure.details).toEqual({ omitted: "names that are no text" });
});

test("usage adds up over successes and failures", () => {
  const results = noResults();
  const usage = { inputTokens: 3, outputTokens: 1, requests: 1, costUsd: "0.1" };
  addOutcome(results, { index: 0, attempts: 1, durationMs: 0, outcome: { ok: true, output: "1" }, usage });
  const outcome = { ok: false as const, failure: { code: "refused" as const, message: "" } };
  addOutcome(results, { index: 1, attempts: 4, durationMs: 0, outcome, usage: { ...usage, costUsd: "0.2" } });
  addOutcome(results, { index: 2, attempts: 1, durationMs: 0, outcome: { ok: true, output: "1" }, usage: undefined });
  expect(results.usage).toEqual({
    attempts: 6,
    inputTokens: 6,
    outputTokens: 2,
    requests: 2,
    unpricedRequests: 0,
    costUsd: "0.3",
  });
  expect(results.successes.map(({ index }) => index)).toEqual([0, 2]);
});

test("where results cannot be recorded, rows keep what they have used, those that were abandoned included", () => {
  const used = { requests: 1, costUsd: "0.5" };
  const results = noResults();
  addOutcome(results, { index: 1, attempts: 1, durationMs: 1, outcome: { ok: true, output: "{}" }, usage: used });
  addAbandoned(results, new Map([[0, { attempts: 1, usage: used }]]), [{ index: 2, attempts: 1, usage: used }]);
  const kept = usageOnly(results, new Map([[0, { attempts: 1, usage: used }]]));
  expect(kept).toMatchObject({ successes: [], failures: [], usage: { requests: 2, costUsd: "1" } });
  const each = { attempts: 1, usage: used };
  expect(Object.fromEntries(readCarriedUsage(kept.carriedUsage))).toEqual({ 0: each, 1: each, 2: each });
});
