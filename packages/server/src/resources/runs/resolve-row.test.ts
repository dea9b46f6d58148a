import { describe, expect, test } from "vitest";
import type { ResultState } from "@rowmill/contract/run-results";
import { resolveRow } from "./resolve-row.ts";
import type { Candidate } from "./resolve-row.ts";

/** `state@time` by run; `!` marks a run that was asked for the row by selection `all` or `rows`. */
function candidates(text: string): Candidate[] {
  return text
    .split(" ")
    .filter((part) => part !== "")
    .map((part, retryNumber) => {
      const [state = "", time] = part.replace("!", "").split("@");
      return {
        runId: `run ${retryNumber}`,
        retryNumber,
        isExplicit: part.startsWith("!"),
        state: state as ResultState, // as written in the tables below
        finishedAt: time === undefined ? Number.POSITIVE_INFINITY : Number(time),
      };
    });
}

describe("the result of a row", () => {
  test.each([
    ["nothing has finished it", "pending", "pending", undefined],
    ["no run had it", "", "pending", undefined],
    ["the only run succeeded", "succeeded@1", "succeeded", 0],
    ["the only run failed", "failed@1", "failed", 0],
    ["a retry succeeded", "failed@1 succeeded@2", "succeeded", 1],
    ["a retry failed, too", "failed@1 failed@2", "failed", 1],
    ["a later failure, which never hides a success", "succeeded@1 failed@2", "succeeded", 0],
    ["a later failure of an explicit retry, which hides it neither", "succeeded@1 !failed@2", "succeeded", 0],
    ["a later success that nobody asked for", "failed@1 succeeded@2 succeeded@3", "succeeded", 1],
    ["an explicit retry that succeeded", "succeeded@1 !succeeded@2", "succeeded", 1],
    ["several explicit retries that succeeded", "succeeded@1 !succeeded@2 !succeeded@3", "succeeded", 2],
    ["an explicit success before an explicit failure", "succeeded@1 !succeeded@2 !failed@3", "succeeded", 1],
    ["two retries at once: the first one to succeed", "failed@1 succeeded@9 succeeded@5", "succeeded", 2],
    ["two retries at once, one still under way", "failed@1 pending succeeded@5", "succeeded", 2],
    ["two retries at once, the other has failed", "failed@1 failed@6 succeeded@5", "succeeded", 2],
    ["a retry under way", "failed@1 pending", "failed", 0],
    ["a canceled retry", "failed@1 canceled", "canceled", 1],
    ["a canceled retry of a success", "succeeded@1 canceled", "succeeded", 0],
    ["a skipped row, then a failed retry", "skipped failed@2", "failed", 1],
    ["a canceled run whose row was retried", "canceled succeeded@2", "succeeded", 1],
  ])("is, when there is %s", (_name, text, state, retryNumber) => {
    const resolved = resolveRow(candidates(text));
    expect(resolved.state).toBe(state);
    expect(resolved.candidate?.retryNumber).toBe(retryNumber);
  });

  test("does not depend on the order of what is known", () => {
    const all = candidates("failed@1 succeeded@9 succeeded@5 canceled failed@7");
    for (let rotation = 0; rotation < all.length; rotation++) {
      const rotated = [...all.slice(rotation), ...all.slice(0, rotation)];
      expect(resolveRow(rotated).candidate?.retryNumber).toBe(2);
      expect(resolveRow(rotated.toReversed()).candidate?.retryNumber).toBe(2);
    }
  });

  test("once a success, never becomes anything else by what comes later", () => {
    const states = ["succeeded", "failed", "canceled", "skipped", "pending"] as const;
    for (const second of states)
      for (const third of states)
        expect(resolveRow(candidates(`failed@1 succeeded@2 ${second}@3 ${third}@4`)).candidate?.retryNumber).toBe(1);
  });
});
