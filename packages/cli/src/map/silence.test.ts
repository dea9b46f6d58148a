import type { Rowmill, Run } from "@rowmill/client";
import { expect, test } from "vitest";
import { createSilenceReport } from "./silence.ts";

const signal = new AbortController().signal;
const rows = { total: 100, pending: 90, running: 6, succeeded: 3, failed: 1, canceled: 0, skipped: 0 };
const usage = { costUsd: "0.0400" } as Run["usage"];
const run = { jobSpecId: "spec_1", state: "running", rows, usage, budget: null } as Run; // all that is read of it

function clientWith(test: { ok: boolean; message: string }, processor: object = { connection: "conn_1" }) {
  let tests = 0;
  const rowmill = {
    jobSpecs: { get: () => Promise.resolve({ processor }) },
    connections: {
      get: () => Promise.resolve({ name: "small", baseUrl: "http://127.0.0.1:11434/v1" }),
      test: () => {
        tests += 1;
        return Promise.resolve(test);
      },
    },
  } as unknown as Pick<Rowmill, "jobSpecs" | "connections">; // all that is called of it
  return { rowmill, tests: () => tests };
}

test("a run that stands still for a while has its connection tested, once, and the result is the reason", async () => {
  const { rowmill, tests } = clientWith({ ok: false, message: "No complete response within 10 seconds." });
  let now = 0;
  const report = createSilenceReport(
    rowmill,
    () => undefined,
    () => now,
  );
  expect(await report(run, 3, { signal })).toBeUndefined();
  now = 14_000;
  expect(await report(run, 4, { signal })).toBeUndefined();
  now = 28_000;
  expect(await report(run, 4, { signal })).toBeUndefined();
  now = 29_000;
  expect(await report(run, 4, { signal })).toBe(
    'No row finishes: "small" (http://127.0.0.1:11434) failed a test just now: No complete response within 10 seconds. Rows are retried meanwhile; Ctrl-C leaves the run.',
  );
  now = 90_000;
  expect(await report(run, 4, { signal })).toBeUndefined();
  expect(tests()).toBe(1);
});

test.each([
  ["a paused run", { ...run, state: "paused" as const }, {}],
  ["a run without a connection", run, { type: "transform" }],
])("%s is not tested", async (_, still, processor) => {
  const { rowmill, tests } = clientWith({ ok: true, message: "" }, processor);
  let now = 0;
  const report = createSilenceReport(
    rowmill,
    () => undefined,
    () => now,
  );
  await report(still, 0, { signal });
  now = 60_000;
  expect(await report(still, 0, { signal })).toBeUndefined();
  expect(tests()).toBe(0);
});

test("a provider that refuses calls for a while is named, and is not called once more", async () => {
  const { rowmill, tests } = clientWith({ ok: false, message: "429" });
  const slowed = { connectionId: "conn_1", name: "small", model: "m", requestsPerMinute: 12, slowedAt: null };
  let now = 0;
  const report = createSilenceReport(
    rowmill,
    () => ({ ...slowed, pausedSeconds: 600 }),
    () => now,
  );
  await report(run, 3, { signal });
  now = 15_000;
  expect(await report(run, 3, { signal })).toBe(
    'No row finishes: "small" refuses calls of m, or is overloaded: no call begins for 10 min.',
  );
  expect(tests()).toBe(0);
});

const none = { ...rows, pending: 94, succeeded: 0, failed: 0 };
const budget = (maxCostUsd: string) => ({ maxCostUsd, onExceeded: "pause" as const });

test.each([
  [
    "is called slow, and not away",
    { ...run, rows: none, budget: budget("0.05") },
    /but to no row yet\. It is slow[^:]+$/,
  ],
  ["of rows that have finished says since when", run, /but to no row for 15 s\. It is slow[^:]+$/],
  ["with much of the budget left says nothing of it", { ...run, budget: budget("1") }, /how many calls it takes\.$/],
  [
    "at the end of the budget names it, too",
    { ...run, budget: budget("0.05") },
    /takes\. Or: the budget of \$0\.050 is nearly used up; rows wait until calls under way have ended, and the run pauses/,
  ],
])("a server that responds %s", async (_, still, sentence) => {
  const { rowmill } = clientWith({ ok: true, message: "" });
  let now = 0;
  const report = createSilenceReport(
    rowmill,
    () => undefined,
    () => now,
  );
  await report(still, 0, { signal });
  now = 15_000;
  expect(await report(still, 0, { signal })).toMatch(sentence);
});
