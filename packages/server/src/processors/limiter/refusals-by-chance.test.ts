/** Refusals that have nothing to do with the rate, on a clock of the test. */
import { beforeAll, describe, expect, test } from "vitest";
import type { Database } from "../../platform/database/database.ts";
import { openLimiterDatabase } from "./limiter-testing.ts";
import {
  BEGINNING,
  bucket,
  callFor,
  demand,
  isAway,
  oneIn,
  STEP,
  unlimited,
  unusedConnection,
} from "./slots-testing.ts";
import type { Allows } from "./slots-testing.ts";

let database: Database;
beforeAll(async () => {
  database = await openLimiterDatabase();
});

describe("a provider that refuses some calls, whatever the rate,", () => {
  const overloaded = (allows: Allows): Allows => {
    return (at) => (allows(at) === undefined ? undefined : { retryAfter: 0, isOverloaded: true });
  };
  test.each([
    // 64 calls each 0.2 s, and a second without one after each refusal.
    ["one in two hundred, and asks for a second", oneIn(200, 1), { callers: 64, takes: STEP }, 8_000],
    // If all waited for that second each time, at most 50 a second would be called: 6,000.
    ["one in fifty, and asks for a second", oneIn(50, 1), { callers: 64, takes: STEP }, 15_000],
    // As many calls under way as there are callers would be 7,200.
    ["one in a thousand of those that take five seconds", oneIn(1000, 1), { callers: 300, takes: 5 }, 4_800],
    ["one in a hundred of those that take five seconds", oneIn(100, 0), { callers: 300, takes: 5 }, 1_500],
    ["one in fifty, by 503", overloaded(oneIn(50, 0)), { callers: 60, takes: 1 }, 5_000],
  ])("is called well nevertheless: %s", async (_kind, allows, calls, least) => {
    const { ask } = unusedConnection(database.pool, unlimited);
    const ends = await callFor(ask, { allows, saysWhen: true, from: 120, until: 240, ...calls });
    expect(ends.responses).toBeGreaterThan(least);
  });

  test("and has a limit from some moment on, is soon called within that", async () => {
    const { ask } = unusedConnection(database.pool, unlimited);
    const [some, limit] = [oneIn(100, 0), bucket(600, 10)];
    const allows: Allows = (at) => (at < 120 ? some(at) : limit(at));
    const ends = await callFor(ask, { allows, saysWhen: true, from: 180, until: 300 });
    expect(ends.responses).toBeGreaterThan(0.85 * 1200);
    expect(ends.refused).toBeLessThan(0.03 * 1200);
  });
});

test.each([
  ["one call in five", { share: 0.2, isOverloaded: false }],
  ["two calls in five", { share: 0.4, isOverloaded: false }],
  ["two calls in five by 503", { share: 0.4 }],
  ["all calls", { isOverloaded: false }],
])("a provider that refused %s for a minute is called nearly as before a minute later", async (_kind, refuses) => {
  const { ask } = unusedConnection(database.pool, unlimited);
  const allows = isAway(90, 150, refuses);
  const ends = await callFor(ask, { allows, saysWhen: false, from: 210, until: 270 });
  // 64 calls each 0.2 s would be 19,200.
  expect(ends.responses).toBeGreaterThan(15_000);
});

test("a provider that allows a third of what it allowed before is called again at the earlier rate only a few times", async () => {
  const { ask } = unusedConnection(database.pool, unlimited);
  const [earlier, later] = [bucket(1800, 30), bucket(600, 10)];
  const allows: Allows = (at) => (at < 120 ? earlier(at) : later(at));
  const ends = await callFor(ask, { allows, saysWhen: true, from: 120, until: 300 });
  expect(ends.responses).toBeGreaterThan(0.85 * 1800);
  expect(ends.refused).toBeLessThan(0.03 * 1800);
});

test("lone refusals are counted up to a bound", async () => {
  const { key, ask } = unusedConnection(database.pool, unlimited);
  await demand(ask, { until: 5, said: (given) => ({ responses: given, respondedSecondsAgo: 0 }) });
  const most = 32_767;
  await database.pool.query(
    // Ten calls since the latest refusal, at a lower rate than those before: three of them refused are a lone refusal, and too many for chance.
    "update limiters set lone_refusals = $2, usual_run = 8, started = 10, rate = 20, ceiling = 40, lone_rate = 40, slowed_at = $3 where connection_id = $1",
    [key.connectionId, most, BEGINNING + 4],
  );
  await ask(5.1, { refusals: 3, overloadedSecondsAgo: 0.05 });
  const { rows } = await database.pool.query<{ lone: number }>(
    "select lone_refusals as lone from limiters where connection_id = $1",
    [key.connectionId],
  );
  expect(rows[0]?.lone).toBeLessThan(10);
});

test("a provider that was overloaded for a minute is called nearly as before a minute later", async () => {
  const { ask } = unusedConnection(database.pool, unlimited);
  const ends = await callFor(ask, { allows: isAway(60, 120), saysWhen: false, from: 180, until: 240 });
  // 64 calls each 0.2 s would be 19,200.
  expect(ends.responses).toBeGreaterThan(12_000);
});

test("a process of the version before, which does not report how many calls were refused, gets slots beside this one", async () => {
  const { key, ask } = unusedConnection(database.pool, unlimited);
  await demand(ask, { until: 5, said: (given) => ({ responses: given, respondedSecondsAgo: 0 }) });
  const { rows } = await database.pool.query<{ delays: number[]; cooling: number }>(
    `select delays_ms as delays, cooling_ms as cooling from take_limiter_slots(
       $1, $2, '', $3, null, null, $4, 0, 0, 0, null, $5, null, null, null, null)`,
    [key.organizationId, key.connectionId, BEGINNING + 5, [0, 0], 0.1],
  );
  expect(rows).toEqual([{ delays: [], cooling: 500 }]);
  expect((await ask(6, { wanted: 4 })).delaysMs.length).toBeGreaterThan(0);
});
