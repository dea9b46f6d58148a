/** The rules, on a clock of the test: what is given is when each request may begin, in seconds from the beginning. */
import { beforeAll, describe, expect, test } from "vitest";
import type { Database } from "../../platform/database/database.ts";
import { newUuid } from "../../platform/ids.ts";
import { purgeUnusedLimiters, takeSlots } from "./take-slots.ts";
import type { SlotRequest, Limits } from "./take-slots.ts";
import { openLimiterDatabase } from "./limiter-testing.ts";
import {
  BEGINNING,
  bucket,
  callFor,
  demand,
  fixedWindow,
  mostWithin,
  requests,
  tokens,
  unlimited,
  unusedConnection,
} from "./slots-testing.ts";
import type { Said } from "./slots-testing.ts";

let database: Database;
beforeAll(async () => {
  database = await openLimiterDatabase();
});

const newConnection = (limits: Limits, model = "") => unusedConnection(database.pool, limits, model);

describe("a limit of requests", () => {
  test("is used nearly, and kept in any window of a minute, however many ask", async () => {
    const { ask } = newConnection(requests(600));
    const begun = await demand(ask, { until: 75, processes: 2, wanted: 8 });
    expect(mostWithin(begun, 60)).toBeLessThanOrEqual(600);
    expect(begun.length).toBeGreaterThan(0.975 * 750);
    // A bucket of one second's worth would do.
    expect(mostWithin(begun, 1)).toBeLessThanOrEqual(14);
  });

  test("of one a minute gives one a minute", async () => {
    const { ask } = newConnection(requests(1));
    const first = await ask(0, { wanted: 2 });
    expect(first.delaysMs).toEqual([0]);
    expect(first.nextMs / 1000).toBeCloseTo(60 / 0.985, 3);
    expect((await ask(60, { wanted: 2 })).delaysMs).toEqual([]);
    expect((await ask(61, { wanted: 2 })).delaysMs).toHaveLength(1);
  });

  test("is shared evenly by processes that want as much", async () => {
    const { ask } = newConnection(requests(6000));
    const given = [0, 0, 0, 0];
    for (let at = 0; at < 10; at += 0.1)
      for (const process of given.keys()) {
        const { delaysMs } = await ask(at, { wanted: 500 });
        given[process] = (given[process] ?? 0) + delaysMs.length;
      }
    // The first process to ask in each round gets what came free; none takes the whole horizon.
    expect(Math.max(...given)).toBeLessThan(1000);
    expect(given.reduce((sum, count) => sum + count)).toBeGreaterThan(980);
  });

  test("that was raised or lowered holds with the next question", async () => {
    const { ask } = newConnection(requests(1));
    await ask(0, { wanted: 1 });
    const raised = await ask(1, { wanted: 1, limits: requests(600) });
    expect(raised.nextMs).toBeLessThan(360);
    const lowered = await ask(2, { wanted: 64, limits: requests(60) });
    expect(lowered.delaysMs).toHaveLength(1);
  });

  test("takes slots back that nobody used", async () => {
    const { ask } = newConnection(requests(60));
    await ask(0, { wanted: 1 });
    expect((await ask(0.1, { wanted: 1 })).delaysMs).toEqual([]);
    expect((await ask(0.2, { wanted: 1, returnedSlots: 1 })).delaysMs).toHaveLength(1);
  });

  test("of another model, connection or organization is another one", async () => {
    const { key, ask } = newConnection(requests(1), "large");
    await ask(0, { wanted: 1 });
    for (const other of [{ model: "small" }, { connectionId: newUuid() }, { organizationId: newUuid() }])
      expect((await ask(0, { wanted: 1, ...key, ...other })).delaysMs).toHaveLength(1);
  });

  test("survives a clock that goes back", async () => {
    const { ask } = newConnection(requests(600));
    await ask(3600, { wanted: 1 });
    expect((await ask(0, { wanted: 1 })).nextMs).toBeLessThan(360);
    expect((await ask(0.4, { wanted: 1 })).delaysMs).toHaveLength(1);
  });
});

describe("a limit of tokens", () => {
  const sum = (moments: readonly number[], each: number) => moments.length * each;

  test("is kept in any window of a minute, and used but for one request", async () => {
    const { ask } = newConnection(tokens(10_000));
    const begun = await demand(ask, { until: 120, processes: 2, wanted: Array.from({ length: 8 }, () => 200) });
    expect(sum(Array.from({ length: mostWithin(begun, 60) }), 200)).toBeLessThanOrEqual(10_000);
    expect(sum(begun, 200)).toBeGreaterThan(0.95 * 20_000);
  });

  test("lets a request pass that is larger than it, and makes those after it wait for a minute", async () => {
    const { ask } = newConnection(tokens(1000));
    const first = await ask(0, { wanted: [50_000, 10] });
    expect(first.delaysMs).toHaveLength(1);
    expect(first.nextMs).toBeGreaterThan(59_000);
    expect(first.nextMs).toBeLessThanOrEqual(60_000);
    expect((await ask(59, { wanted: [10] })).delaysMs).toEqual([]);
    expect((await ask(60, { wanted: [10] })).delaysMs).toHaveLength(1);
  });

  test("counts what was really used", async () => {
    const { ask } = newConnection(tokens(6000));
    await ask(0, { wanted: [300] });
    const more = await ask(0, { wanted: [300], tokens: 3000 });
    expect(more.nextMs).toBeGreaterThan(30_000);
    const less = await ask(0, { wanted: [300], tokens: -3300 });
    expect(less.delaysMs).toHaveLength(1);
  });

  test("holds beside one of requests: the stricter one counts", async () => {
    const both = { requestsPerMinute: 600, tokensPerMinute: 6000 };
    const { ask } = newConnection(both);
    expect((await demand(ask, { until: 60, wanted: [1, 1, 1, 1] })).length).toBeGreaterThan(580);
    const large = newConnection(both);
    expect((await demand(large.ask, { until: 60, wanted: [100, 100] })).length).toBeLessThanOrEqual(60);
  });
});

describe("who knows no limit", () => {
  /** Responses come at once, to all requests. */
  const responding = (given: number): Said => ({ responses: given, respondedSecondsAgo: 0 });

  test("begins slowly, and doubles with the responses to thousands a second within two seconds", async () => {
    const { ask } = newConnection(unlimited);
    const begun = await demand(ask, { until: 3, wanted: 1000, said: responding });
    const inSecond = (second: number) => begun.filter((at) => at >= second && at < second + 1).length;
    expect(begun.filter((at) => at < 0.1).length).toBeLessThanOrEqual(10);
    expect(inSecond(2)).toBeGreaterThan(2000);
  });

  test("does not go faster before responses come", async () => {
    const { ask } = newConnection(unlimited);
    expect((await demand(ask, { until: 5 })).length).toBeLessThanOrEqual(110);
  });

  test("keeps to a limit that is learned, and forgets it ten minutes after it was last said", async () => {
    const { ask } = newConnection(unlimited);
    await ask(0, { wanted: 1 });
    await ask(0.1, { responses: 1, learnedRequestsPerMinute: 60 });
    const begun = await demand(ask, { from: 1, until: 61, said: responding });
    expect(mostWithin(begun, 60)).toBeLessThanOrEqual(60);
    expect(begun.length).toBeGreaterThan(56);
    const later = await demand(ask, { from: 602, until: 605, said: responding });
    expect(later.length).toBeGreaterThan(60);
  });

  test("learns a limit of tokens, too", async () => {
    const { ask } = newConnection(unlimited);
    const first = await ask(0, { wanted: [100] });
    expect(first.countsTokens).toBe(false);
    const second = await ask(0.1, { responses: 1, learnedTokensPerMinute: 600, wanted: [300, 300] });
    expect([second.countsTokens, second.delaysMs.length]).toEqual([true, 1]);
  });
});

test("what was guessed from refusals gives way to a limit that is reported", async () => {
  const { ask } = newConnection(unlimited);
  await ask(0, { wanted: 10 });
  await ask(1, { refusedSecondsAgo: 0.5, pauseSeconds: 1 });
  await ask(2.1, { responses: 1, learnedRequestsPerMinute: 6000 });
  expect((await demand(ask, { from: 3, until: 4, wanted: 500 })).length).toBeGreaterThan(90);
});

test("a learned limit lowers the configured one, and does not raise it", async () => {
  const { ask } = newConnection(requests(60));
  await ask(0, { responses: 1, learnedRequestsPerMinute: 6000 });
  expect((await ask(1, { wanted: 64 })).nextMs).toBeGreaterThan(900);
  await ask(1, { responses: 1, learnedRequestsPerMinute: 6 });
  expect((await ask(2.1, { wanted: 64 })).delaysMs).toHaveLength(1);
  expect((await ask(2.1, { wanted: 64 })).nextMs).toBeGreaterThan(10_000);
});

describe("a refusal", () => {
  test("makes everyone wait as long as the provider asked", async () => {
    const { ask } = newConnection(requests(6000));
    await ask(0, { wanted: 10 });
    const reported = await ask(1, { refusedSecondsAgo: 0.2, pauseSeconds: 7, wanted: 10 });
    expect([reported.delaysMs, reported.coolingMs]).toEqual([[], 7000]);
    const other = await ask(7.9, { wanted: 10 });
    expect(Math.min(...other.delaysMs)).toBeCloseTo(100, 3);
    expect((await ask(8.5, { wanted: 10 })).coolingMs).toBe(0);
  });

  test("that asks for days counts for a quarter of an hour", async () => {
    const { ask } = newConnection(requests(600));
    const { coolingMs } = await ask(0, { refusedSecondsAgo: 0, pauseSeconds: 1e9 });
    expect(coolingMs).toBe(900_000);
    expect((await ask(901, { wanted: 1 })).delaysMs).toHaveLength(1);
  });

  test("without a word of when means waiting longer each time, until a response comes", async () => {
    const { ask } = newConnection(requests(600));
    const waits: number[] = [];
    let at = 0;
    for (let i = 0; i < 14; i++) {
      const { coolingMs } = await ask(at, { refusedSecondsAgo: 0 });
      waits.push(coolingMs / 1000);
      at += coolingMs / 1000 + 0.1;
    }
    expect(waits).toEqual([0.5, 1, 2, 4, 8, 8, 8, 8, 8, 8, 8, 8, 60, 60]);
    await ask(at, { responses: 1 });
    expect((await ask(at + 1, { refusedSecondsAgo: 0 })).coolingMs).toBe(500);
  });

  test("that says a moment each time is believed twice", async () => {
    const { ask } = newConnection(requests(600));
    const waits: number[] = [];
    for (let at = 0; at < 60; at += 10) {
      const { coolingMs } = await ask(at, { refusedSecondsAgo: 0, pauseSeconds: 0.05 });
      waits.push(Math.round(coolingMs));
    }
    expect(waits).toEqual([50, 50, 500, 1000, 2000, 4000]);
  });

  test("of many calls that were under way together slows down once", async () => {
    const rateOf = async (refusals: number): Promise<number> => {
      const { ask } = newConnection(requests(6000));
      await ask(0, { wanted: 10 });
      // Each is reported by itself, and all of the calls began before the first was refused.
      for (let i = 0; i < refusals; i++) await ask(1 + i / 100, { refusedSecondsAgo: 0.9, pauseSeconds: 1 });
      return (await demand(ask, { from: 10, until: 11, wanted: 500 })).length;
    };
    const once = await rateOf(1);
    expect(once).toBeLessThan(80);
    expect(await rateOf(50)).toBe(once);
  });

  test("is recovered from: the limit is used again within a minute or two", async () => {
    const { ask } = newConnection(requests(600));
    const responses = (given: number): Said => ({ responses: given, respondedSecondsAgo: 0 });
    await demand(ask, { until: 5, said: responses });
    await ask(5, { refusedSecondsAgo: 0, pauseSeconds: 1 });
    const after = await demand(ask, { from: 6, until: 126, said: responses });
    const inWindow = (from: number, until: number) => after.filter((at) => at >= from && at < until).length;
    expect(inWindow(6, 7)).toBeLessThanOrEqual(9);
    expect(inWindow(116, 126)).toBeGreaterThanOrEqual(96);
  });

  test("of an overloaded provider slows down less", async () => {
    const rateAfter = async (said: Said): Promise<number> => {
      const { ask } = newConnection(requests(6000));
      await ask(0, { wanted: 1 });
      await ask(1, { ...said, pauseSeconds: 1 });
      return (await demand(ask, { from: 10, until: 12, wanted: 500 })).length;
    };
    const overloaded = await rateAfter({ overloadedSecondsAgo: 0 });
    const refused = await rateAfter({ refusedSecondsAgo: 0 });
    expect(overloaded).toBeGreaterThan(refused);
    expect(overloaded).toBeLessThan(190);
  });
});

describe("a provider that never says that it allows 300 a minute", () => {
  test.each([
    ["a fixed window of a minute, and says when to come back", () => fixedWindow(300, 23), true],
    ["a fixed window of a minute, and says nothing", () => fixedWindow(300, 23), false],
    ["a bucket of a minute, and says nothing", () => bucket(300, 300), false],
    ["a bucket of a second, and says when to come back", () => bucket(300, 5), true],
  ])(
    "is used well after a minute and a half, with few refusals, where it has %s",
    async (_kind, makeProvider, saysWhen) => {
      const { ask } = newConnection(unlimited);
      // Three whole windows.
      const ends = await callFor(ask, { allows: makeProvider(), saysWhen, from: 97, until: 277 });
      expect(ends.responses).toBeGreaterThan(0.85 * 900);
      expect(ends.refused).toBeLessThan(0.02 * 900);
    },
  );
});

test("concurrent requests are granted one after the other", async () => {
  const { ask } = newConnection(requests(6000));
  await ask(0, { wanted: 0 });
  const responses = await Promise.all(Array.from({ length: 40 }, () => ask(1, { wanted: 10 })));
  const delays = responses.flatMap(({ delaysMs }) => delaysMs).map((delayMs) => Math.round(delayMs * 100));
  expect(new Set(delays).size).toBe(delays.length);
  expect(Math.max(...delays)).toBeLessThanOrEqual(25_000);
});

test("what was left alone for an hour is purged, and begun again", async () => {
  const { key, ask } = newConnection(requests(60));
  await takeSlots(database.pool, { ...(await lastAsk(key)), wanted: [0] });
  await purgeUnusedLimiters(database.pool);
  expect(await rowsOf(key.connectionId)).toBe(1);
  await ask(-BEGINNING + 1, { wanted: 1 });
  await purgeUnusedLimiters(database.pool);
  expect(await rowsOf(key.connectionId)).toBe(0);
  expect((await ask(0, { wanted: 1 })).delaysMs).toHaveLength(1);
});

const lastAsk = async (key: { organizationId: string; connectionId: string; model: string }): Promise<SlotRequest> => ({
  ...key,
  limits: unlimited,
  wanted: [],
  returnedSlots: 0,
  tokens: 0,
  responses: 0,
  refusals: 0,
  respondedSecondsAgo: null,
  refusedSecondsAgo: null,
  overloadedSecondsAgo: null,
  pauseSeconds: null,
  learnedRequestsPerMinute: null,
  learnedTokensPerMinute: null,
});

async function rowsOf(connectionId: string): Promise<number> {
  const { rows } = await database.pool.query("select 1 from limiters where connection_id = $1", [connectionId]);
  return rows.length;
}
