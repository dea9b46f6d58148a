import { describe, expect, test } from "vitest";
import type { RunEstimate } from "@rowmill/contract/run-estimates";
import { suggestionsFor } from "./estimate-suggestions.ts";

const range = (low: number, high: number) => ({ low, expected: low, high });
const estimate = (outputTokens: RunEstimate["estimate"]["outputTokens"], basis: RunEstimate["estimate"]["basis"]) => ({
  basis,
  sampledRows: 100,
  failingSampledRows: 0,
  requests: range(1_000, 2_000),
  inputTokens: range(500, 600),
  outputTokens,
  costUsd: null,
  unpricedModels: [],
  durationSeconds: null,
});
const codesFor = (...given: Parameters<typeof suggestionsFor>): string[] =>
  suggestionsFor(...given).map(({ code }) => code);

describe("an estimate that spans far", () => {
  const wide = estimate(range(500, 4_500_000), "limits");

  test("without a cap proposes one, and a sample first", () => {
    expect(codesFor("parameters.maxOutputTokens", 1_000, wide)).toEqual(["cap_output_tokens", "sample_first"]);
    expect(suggestionsFor("parameters.maxOutputTokens", 1_000, wide)[0]?.message).toContain("4500000 output tokens");
    expect(suggestionsFor("parameters.maxOutputTokens", 1_000, wide)[1]?.message).toContain('"count": 100');
  });

  test("of few rows, or with a cap, proposes what is left", () => {
    expect(codesFor("parameters.maxOutputTokens", 100, wide)).toEqual(["cap_output_tokens"]);
    expect(codesFor(undefined, 1_000, wide)).toEqual(["sample_first"]);
  });
});

test("an estimate from earlier results, or of nothing that is called, proposes nothing", () => {
  expect(codesFor("parameters.maxOutputTokens", 1_000, estimate(range(500, 600), "earlier_results"))).toEqual([]);
  expect(codesFor(undefined, 1_000, estimate(range(0, 0), "no_calls"))).toEqual([]);
});

test("an estimate in which no row makes a call proposes no cap", () => {
  const none = { ...estimate(range(0, 0), "limits"), requests: range(0, 0) };
  expect(codesFor("parameters.maxOutputTokens", 1_000, none)).toEqual([]);
});

test("a narrow estimate from limits proposes no sample", () => {
  const narrow = estimate(range(500, 600), "limits");
  expect(codesFor(undefined, 1_000, narrow)).toEqual([]);
});
