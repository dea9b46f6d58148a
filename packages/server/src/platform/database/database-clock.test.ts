/** The time of PostgreSQL in a process whose own clock is wrong, or is set. */
import { expect, onTestFinished, test, vi } from "vitest";
import type { Log } from "../log.ts";
import { followDatabaseClock } from "./database-clock.ts";
import type { Statements } from "./database.ts";

const HOUR_MS = 3_600_000;

/** A database and a machine, each with a clock that the test sets. */
async function follow({ firstTakesMs = 0 } = {}) {
  const logged: string[] = [];
  const off = { databaseMs: 0, ownMs: 0, isAway: false };
  let looks = 0;
  let passedMs = 0;
  const monotonic = performance.now.bind(performance);
  const spied = vi.spyOn(performance, "now").mockImplementation(() => monotonic() + passedMs);
  onTestFinished(() => spied.mockRestore());
  const query = async () => {
    looks++;
    if (off.isAway) throw new Error("the database is away");
    const ms = Date.now() + passedMs + off.databaseMs;
    if (looks === 1) passedMs += firstTakesMs;
    return { rows: [{ ms }] };
  };
  const log = {
    info: (message: string) => logged.push(message),
    warn: (_: object, message: string) => logged.push(message),
  };
  const clock = await followDatabaseClock(
    { query } as unknown as Statements, // it sends one statement
    log as unknown as Log, // it says two things
    { lookEveryMs: 1, ownNow: () => Date.now() + passedMs + off.ownMs },
  );
  onTestFinished(() => clock.stop());
  const nextLook = async (): Promise<void> => {
    const seen = looks;
    await expect.poll(() => looks).toBeGreaterThan(seen + 1);
  };
  return { clock, off, logged, nextLook };
}

const nearMs = 5_000;
const hoursFromNow = (time: Date): number => Math.round(Math.abs(time.getTime() - Date.now()) / HOUR_MS);

test("its time is that of the database, whatever the clock of the machine is set to", async () => {
  const { clock, off, nextLook } = await follow();
  expect(Math.abs(clock.msUntil(new Date(Date.now() + HOUR_MS)) - HOUR_MS)).toBeLessThan(nearMs);
  off.ownMs = -3 * HOUR_MS;
  await nextLook();
  expect(hoursFromNow(clock.date())).toBe(0);
  off.databaseMs = 2 * HOUR_MS;
  await nextLook();
  expect(hoursFromNow(clock.date())).toBe(2);
  expect(clock.msUntil(null)).toBe(Number.POSITIVE_INFINITY);
});

test("a first response that is slow does not make a right clock a wrong one", async () => {
  const { clock, logged } = await follow({ firstTakesMs: 25_000 });
  expect(Math.abs(clock.aheadMs())).toBeLessThan(nearMs);
  expect(logged).toEqual([]);
});

test("the time goes on while the database is away", async () => {
  const { clock, off, nextLook } = await follow();
  off.isAway = true;
  await nextLook();
  expect(hoursFromNow(clock.date())).toBe(0);
});

test("a difference is logged once, and its end", async () => {
  const { off, logged, nextLook } = await follow();
  expect(logged).toEqual([]);
  off.ownMs = 2 * HOUR_MS;
  await nextLook();
  await nextLook();
  off.ownMs = -HOUR_MS;
  await nextLook();
  off.ownMs = 0;
  await nextLook();
  await nextLook();
  expect(logged).toEqual([
    "the clock of this machine is 7200 seconds ahead of that of the database: set both by NTP",
    "the clock of this machine is 3600 seconds behind that of the database: set both by NTP",
    "the clock of this machine is that of the database again",
  ]);
});
