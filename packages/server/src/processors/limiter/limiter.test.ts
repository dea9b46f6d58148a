/** Limiters of several processes on one database, on a clock that only moves when the test moves it. */
import { pino } from "pino";
import { beforeAll, describe, expect, test } from "vitest";
import { openDatabase } from "../../platform/database/database.ts";
import type { Database } from "../../platform/database/database.ts";
import { formatId, newUuid } from "../../platform/ids.ts";
import { cleanUpLater } from "../../testing/cleanup.ts";
import type { Connection } from "../connection-parts.ts";
import { createLimiter } from "./limiter.ts";
import type { LimiterParts } from "./limiter.ts";
import type { CallEnd, Limiter, Permit, PermitRequest } from "./permits.ts";
import { createTestTime, openLimiterDatabase } from "./limiter-testing.ts";

let database: Database;
beforeAll(async () => {
  database = await openLimiterDatabase();
});

type Limits = Connection["rateLimit"];
const requests = (requestsPerMinute: number): Limits => ({ requestsPerMinute, tokensPerMinute: null });
const unlimited: Limits = { requestsPerMinute: null, tokensPerMinute: null };
const newConnection = (rateLimit: Limits): PermitRequest["connection"] => ({
  organizationId: newUuid(),
  id: formatId("connection", newUuid()),
  rateLimit,
});

interface Begun {
  name: string;
  at: number;
  permit: Permit;
}

/** Processes that use one connection, and what they have begun, in order. */
function newProcesses(count: number, rateLimit: Limits, parts: Partial<LimiterParts> = {}) {
  const time = createTestTime(database);
  const connection = newConnection(rateLimit);
  const limiters = Array.from({ length: count }, () =>
    createLimiter({ database, log: pino({ level: "silent" }), time, ...parts }),
  );
  for (const limiter of limiters) cleanUpLater(() => limiter.close());
  const begun: Begun[] = [];
  /** Waits for its slot; the signal of `abort` ends the wait. */
  function want(
    limiter: Limiter | undefined,
    name = "",
    more: Partial<PermitRequest> = {},
    signal = never,
  ): Promise<void> {
    if (limiter === undefined) throw new Error("there are fewer limiters");
    return limiter.acquire({ connection, model: "", tokens: 0, ...more }, signal).then((permit) => {
      begun.push({ name, at: time.now(), permit });
    });
  }
  const momentsOf = (name?: string): number[] =>
    begun.flatMap((one) => (name === undefined || one.name === name ? [Math.round(one.at)] : []));
  return { time, connection, limiters, begun, want, momentsOf };
}
const never = new AbortController().signal;

/** Those who still wait at the end of a test are refused when it is cleaned up. */
const many = (count: number, call: (index: number) => Promise<void>): void => {
  for (let i = 0; i < count; i++) call(i).catch(() => {});
};
const settleAll = (begun: Begun[], end: CallEnd): void => {
  for (const { permit } of begun.splice(0)) permit.settle(end);
};

/** Each as far from the one before as this, give or take what a timer does. */
function expectSpaced(moments: readonly number[], spacingMs: number): void {
  for (const [i, moment] of moments.slice(1).entries())
    expect(Math.abs(moment - (moments[i] ?? 0) - spacingMs)).toBeLessThanOrEqual(2);
}

describe("calls of one process", () => {
  test("begin one after the other in the order in which they came, as the limit allows", async () => {
    const { time, limiters, begun, want, momentsOf } = newProcesses(1, requests(60));
    many(5, (i) => want(limiters[0], String(i)));
    await time.pass(10_000);
    expect(begun.map(({ name }) => name)).toEqual(["0", "1", "2", "3", "4"]);
    expectSpaced(momentsOf(), 1000 / 0.985);
  });

  test("for other models, connections and organizations do not wait for each other", async () => {
    const { time, connection, limiters, want, momentsOf } = newProcesses(1, requests(1));
    many(2, () => want(limiters[0], "mine"));
    many(2, () => want(limiters[0], "other", { model: "other" }));
    const theirs = { ...connection, organizationId: newUuid() };
    many(2, () => want(limiters[0], "theirs", { connection: theirs }));
    await time.pass(1000);
    expect([momentsOf("mine"), momentsOf("other"), momentsOf("theirs")]).toEqual([[0], [0], [0]]);
  });

  test("that are abandoned are out of the line at once, and leave their turn to the next", async () => {
    const { time, limiters, want, momentsOf } = newProcesses(1, requests(60));
    const abort = new AbortController();
    many(1, () => want(limiters[0], "first"));
    const given = want(limiters[0], "second", {}, abort.signal);
    many(1, () => want(limiters[0], "third"));
    await time.pass(900);
    abort.abort(new Error("the run was canceled"));
    await expect(given).rejects.toThrow("the run was canceled");
    await time.pass(900);
    expect([momentsOf("second"), momentsOf("third")]).toEqual([[], [1015]]);
  });

  test("that are abandoned before anybody uses their slot release it to other processes", async () => {
    const { time, limiters, want, momentsOf } = newProcesses(2, requests(60));
    many(1, () => want(limiters[0], "used"));
    const abort = new AbortController();
    const given = want(limiters[0], "", {}, abort.signal);
    await time.pass(1010);
    abort.abort(new Error("no more"));
    await expect(given).rejects.toThrow("no more");
    // Its slot was at 1015, and is kept for a moment; the one after it would be at 2030.
    await time.pass(600);
    many(1, () => want(limiters[1], "other"));
    await time.pass(1);
    expect([momentsOf("used"), momentsOf("other")]).toEqual([[0], [1610]]);
  });

  test("are not begun for a signal that has aborted already", async () => {
    const { limiters, want } = newProcesses(1, unlimited);
    await expect(want(limiters[0], "", {}, AbortSignal.abort(new Error("too late")))).rejects.toThrow("too late");
  });

  test("leave nothing behind: no timer stays when nobody waits", async () => {
    const { time, limiters, begun, want } = newProcesses(1, unlimited);
    many(50, () => want(limiters[0]));
    await time.pass(5000);
    expect(begun).toHaveLength(50);
    settleAll(begun, { outcome: "responded" });
    await time.pass(1000);
    expect(time.pending()).toBe(0);
  });
});

describe("several processes", () => {
  test("share one allowance, use it, and none gets much more than the others", async () => {
    const { time, limiters, want, momentsOf } = newProcesses(4, requests(600));
    limiters.forEach((limiter, i) => many(200, () => want(limiter, String(i))));
    await time.pass(30_000);
    const counts = limiters.map((_, i) => momentsOf(String(i)).length);
    const total = counts.reduce((sum, count) => sum + count);
    expect(total).toBeLessThanOrEqual(300);
    expect(total).toBeGreaterThanOrEqual(285);
    expect(Math.min(...counts)).toBeGreaterThan(0.1 * total);
  });

  test("all wait when one of them was asked to", async () => {
    const { time, limiters, begun, want, momentsOf } = newProcesses(2, requests(600));
    many(100, () => want(limiters[0], "one"));
    many(100, () => want(limiters[1], "two"));
    await time.pass(1000);
    settleAll(begun, { outcome: "rate_limited", retryAfterMs: 5000 });
    await time.pass(8000);
    const late = momentsOf().filter((at) => at > 1250 && at < 6000);
    expect(late).toEqual([]);
    expect(momentsOf("one").some((at) => at >= 6000)).toBe(true);
    expect(momentsOf("two").some((at) => at >= 6000)).toBe(true);
  });

  test("learn from each other what the provider allows", async () => {
    const { time, limiters, begun, want, momentsOf } = newProcesses(2, unlimited);
    many(1, () => want(limiters[0]));
    await time.pass(100);
    settleAll(begun, { outcome: "responded", learned: { requestsPerMinute: 60 } });
    await time.pass(1000);
    many(10, () => want(limiters[1], "other"));
    await time.pass(5000);
    expect(momentsOf("other")).toHaveLength(5);
    expectSpaced(momentsOf("other"), 1000 / 0.985);
  });

  test("wait until something is left, where the provider says that nothing is", async () => {
    const { time, limiters, begun, want, momentsOf } = newProcesses(2, requests(600));
    many(1, () => want(limiters[0]));
    await time.pass(100);
    settleAll(begun, { outcome: "responded", learned: { remainingRequests: 0, requestsResetMs: 10_100 } });
    await time.pass(0);
    many(1, () => want(limiters[1], "other"));
    await time.pass(11_000);
    // Counted from when the call began, which is when the provider looked.
    expect(momentsOf("other")).toEqual([10_100]);
  });
});

describe("tokens", () => {
  test("that a call used beyond what was expected delay the next, and those it did not use are free", async () => {
    const { time, limiters, begun, want, momentsOf } = newProcesses(1, {
      requestsPerMinute: null,
      tokensPerMinute: 6000,
    });
    many(1, () => want(limiters[0], "", { tokens: 10 }));
    await time.pass(100);
    settleAll(begun, { outcome: "responded", tokens: 1000 });
    await time.pass(300);
    many(1, () => want(limiters[0], "delayed", { tokens: 1000 }));
    await time.pass(20_000);
    const [delayed = 0] = momentsOf("delayed");
    expect(delayed).toBeGreaterThan(9_000);
    expect(delayed).toBeLessThan(11_000);
    settleAll(begun, { outcome: "responded", tokens: 10 });
    await time.pass(300);
    many(1, () => want(limiters[0], "free", { tokens: 10 }));
    await time.pass(100);
    expect(momentsOf("free")).toHaveLength(1);
  });

  test("of a request larger than the allowance do not keep it from passing", async () => {
    const { time, limiters, want, momentsOf } = newProcesses(1, { requestsPerMinute: null, tokensPerMinute: 100 });
    many(2, (i) => want(limiters[0], String(i), { tokens: 1_000_000 }));
    await time.pass(61_000);
    expect(momentsOf("0")).toEqual([0]);
    expect(momentsOf("1")).toHaveLength(1);
  });

  test("that are no number count as none", async () => {
    const { time, limiters, begun, want, momentsOf } = newProcesses(1, {
      requestsPerMinute: null,
      tokensPerMinute: 100,
    });
    many(3, () => want(limiters[0], "", { tokens: Number.NaN }));
    await time.pass(10);
    settleAll(begun, { outcome: "responded", tokens: Number.NEGATIVE_INFINITY });
    await time.pass(1000);
    many(1, () => want(limiters[0], "next"));
    await time.pass(10);
    expect(momentsOf("next")).toHaveLength(1);
  });
});

test("a limit that is changed while calls wait holds for them within two seconds", async () => {
  let rateLimit = requests(1);
  const found: Connection = {
    ...newConnection(rateLimit),
    type: "http",
    baseUrl: "https://example.com",
    secret: null,
    prices: null,
    rateLimit,
  };
  const connections = { find: () => Promise.resolve({ ...found, rateLimit }) };
  const { time, limiters, want, momentsOf } = newProcesses(1, rateLimit, { connections });
  many(20, () => want(limiters[0]));
  await time.pass(5000);
  expect(momentsOf()).toEqual([0]);
  rateLimit = requests(600);
  await time.pass(2000);
  expect(momentsOf().length).toBeGreaterThan(2);
});

describe("when the database is away", () => {
  test("calls wait for it, it is logged once, and they go on when it is back", async () => {
    const away = openDatabase("postgres://nobody@127.0.0.1:1/nothing", { max: 2, onError: () => {} });
    cleanUpLater(() => away.close());
    const lines: string[] = [];
    const log = pino({ level: "info" }, { write: (line: string) => void lines.push(line) });
    const current = { pool: away.pool };
    const { time, limiters, want, momentsOf } = newProcesses(1, unlimited, { database: current, log });
    const abort = new AbortController();
    const given = want(limiters[0], "abandoned", {}, abort.signal);
    many(3, () => want(limiters[0], "waiting"));
    for (let second = 0; second < 5; second++) await passUntilRefused(away, () => time.pass(1000));
    abort.abort(new Error("the run was paused"));
    await expect(given).rejects.toThrow("the run was paused");
    expect(momentsOf()).toEqual([]);
    expect(lines).toHaveLength(1);
    current.pool = database.pool;
    await time.pass(2000);
    expect(momentsOf("waiting")).toHaveLength(3);
  });

  /** The clock of the test does not know of connections of this one. */
  async function passUntilRefused(away: Database, pass: () => Promise<void>): Promise<void> {
    await pass();
    while (away.pool.waitingCount > 0 || away.pool.totalCount > 0) await new Promise(setImmediate);
    await new Promise(setImmediate);
  }

  test("for good, since it is not ours any more, those who wait get the error", async () => {
    const broken = await openLimiterDatabase();
    await broken.pool.query("drop table limiters");
    const { limiters, want } = newProcesses(1, unlimited, { database: broken });
    await expect(want(limiters[0])).rejects.toThrow('relation "limiters" does not exist');
  });
});

describe("a limiter that is closed", () => {
  test("refuses those who wait and those who come", async () => {
    const { time, limiters, want } = newProcesses(1, requests(1));
    const [limiter] = limiters;
    many(1, () => want(limiter));
    await time.pass(10);
    const waiting = want(limiter);
    await Promise.all([expect(waiting).rejects.toThrow("service is stopping"), limiter?.close()]);
    await expect(want(limiter)).rejects.toThrow("service is stopping");
    expect(time.pending()).toBe(0);
  });

  test("has reported what it knew", async () => {
    const { time, limiters, begun, want, momentsOf } = newProcesses(2, unlimited);
    many(1, () => want(limiters[0]));
    await time.pass(10);
    begun[0]?.permit.settle({ outcome: "rate_limited", retryAfterMs: 60_000 });
    await limiters[0]?.close();
    many(1, () => want(limiters[1], "other"));
    await time.pass(59_000);
    expect(momentsOf("other")).toEqual([]);
    await time.pass(2000);
    expect(momentsOf("other")).toHaveLength(1);
  });
});
