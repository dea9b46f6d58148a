/** The time of a process whose clock is wrong, or is set, beside that of the database. */
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { newUuid, timeOfUuid } from "./ids.ts";
import { earlierMs, laterNow, sharedMs, shareTime } from "./shared-time.ts";
import { openFileStore } from "./storage/file-store.ts";
import { createReadiness } from "../readiness.ts";

const DAY_MS = 86_400_000;
const offMs = { database: 0 };
const began = { at: 0, ms: 0 };

beforeEach(() => {
  offMs.database = 0;
  Object.assign(began, { at: performance.now(), ms: Date.now() });
  const { stop } = shareTime(() => began.ms + performance.now() - began.at + offMs.database);
  onTestFinished(stop);
});
afterEach(() => void vi.useRealTimers());

const setClockOff = (byMs: number) => vi.useFakeTimers({ now: Date.now() + byMs, toFake: ["Date"] });
const distance = (ms: number): number => Math.abs(ms - began.ms);

test.each([DAY_MS, -DAY_MS])("a clock that is set by %i ms changes no time that others read", (byMs) => {
  const before = newUuid();
  setClockOff(byMs);
  const meanwhile = [newUuid(), newUuid()];
  expect(distance(sharedMs())).toBeLessThan(DAY_MS / 2);
  vi.useRealTimers();
  const times = [before, ...meanwhile, newUuid()].map((id) => timeOfUuid(id).getTime());
  for (const ms of times) expect(distance(ms)).toBeLessThan(DAY_MS / 2);
  // In order, but for the milliseconds in which the two clocks differ.
  for (const [i, ms] of times.entries()) expect(ms).toBeGreaterThan((times[i - 1] ?? 0) - 100);
});

test("of one millisecond by another clock, ids have the order in which they were made", () => {
  offMs.database = DAY_MS;
  const ids = Array.from({ length: 5_000 }, newUuid);
  expect(ids.toSorted()).toEqual(ids);
});

test("ids follow a database whose clock is set back", () => {
  offMs.database = DAY_MS;
  newUuid();
  offMs.database = 0;
  expect(distance(timeOfUuid(newUuid()).getTime())).toBeLessThan(DAY_MS / 2);
});

test("a clock that is seconds away counts", () => {
  setClockOff(5_000);
  expect(sharedMs()).toBe(Date.now());
});

test.each([
  ["ahead of", -2 * DAY_MS],
  ["behind", 2 * DAY_MS],
])("a process whose clock is %s that of the database takes no file for an old one", async (_where, byMs) => {
  const folder = await mkdtemp(join(tmpdir(), "rowmill-ages-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const store = await openFileStore(folder);
  await writeFile(join(folder, "content"), "x");
  await writeFile(join(folder, ".incoming", "begun"), "half");
  offMs.database = byMs;
  if (byMs < 0) {
    // The file is that of a machine whose clock is right.
    offMs.database = 0;
    setClockOff(-byMs);
  }
  await store.sweepLeftovers();
  for await (const { ageMs } of store.list("")) expect(ageMs).toBeLessThan(DAY_MS / 2);
  expect(await readdir(join(folder, ".incoming"))).toEqual(["begun"]);
  expect(laterNow().getTime() - earlierMs()).toBeGreaterThan(DAY_MS);
});

test("a clock that is set back lets nobody believe that a database responds which is away", async () => {
  let asked = 0;
  const ready = createReadiness(() => (asked++ === 0 ? Promise.resolve() : Promise.reject(new Error("away"))));
  await ready();
  setClockOff(-DAY_MS);
  await expect
    .poll(() =>
      ready().then(
        () => "ready",
        (error: unknown) => (error as Error).message,
      ),
    )
    .toBe("away");
});
