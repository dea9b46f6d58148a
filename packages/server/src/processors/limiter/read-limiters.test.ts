/** What users can see of a rate that the provider's refusals hold back. */
import { beforeAll, expect, test } from "vitest";
import type { Database } from "../../platform/database/database.ts";
import { openLimiterDatabase } from "./limiter-testing.ts";
import { readLimiters } from "./read-limiters.ts";
import { BEGINNING, requests, unlimited, unusedConnection } from "./slots-testing.ts";
import type { Said } from "./slots-testing.ts";
import type { Limits } from "./take-slots.ts";

let database: Database;
beforeAll(async () => {
  database = await openLimiterDatabase();
});

/** What is shown now, after these reports: each as many seconds ago as it says. */
async function shownAfter(limits: Limits, reports: [secondsAgo: number, said: Said][]) {
  const { key, ask } = unusedConnection(database.pool, limits);
  const now = Date.now() / 1000 - BEGINNING;
  for (const [secondsAgo, said] of reports) await ask(now - secondsAgo, said);
  const [state] = await readLimiters(database.db, key.organizationId, key.connectionId, 1);
  if (state === undefined) throw new Error("nothing is known of the connection");
  return { ...state, slowedSecondsAgo: state.slowedAt && BEGINNING + now - state.slowedAt.getTime() / 1000 };
}

test("one refusal in thousands of calls is shown with its moment while it holds the rate back", async () => {
  const responses = (secondsAgo: number): [number, Said] => [secondsAgo, { responses: 60, respondedSecondsAgo: 0.5 }];
  const before = Array.from({ length: 60 }, (_, second) => responses(180 - second));
  const state = await shownAfter(unlimited, [...before, [120, { refusedSecondsAgo: 0.1 }], responses(118)]);
  expect(state.refusals).toBe(0);
  expect(state.slowedSecondsAgo).toBeCloseTo(120, 2);
  expect(state.requestsPerMinute).toBeGreaterThan(0);
});

test("a rate that grows without refusals, one that is at its limit again, and a refusal that is forgotten hold nothing back", async () => {
  const grown = await shownAfter(unlimited, [[1, { responses: 20, respondedSecondsAgo: 0.1 }]]);
  expect([grown.slowedAt, grown.requestsPerMinute]).toEqual([null, 2400]);
  const atLimit = await shownAfter(requests(600), [[1, { responses: 20 }]]);
  expect(atLimit.slowedAt).toBeNull();
  const forgotten = await shownAfter(unlimited, [[620, { refusedSecondsAgo: 0.1 }]]);
  expect(forgotten.slowedAt).toBeNull();
});
