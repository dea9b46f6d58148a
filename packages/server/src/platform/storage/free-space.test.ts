import { pino } from "pino";
import { expect, test } from "vitest";
import { createFreeSpace } from "./free-space.ts";

const GB = 1e9;
const log = pino({ level: "silent" });

function spaceOf(free: Record<string, number>, minFreeBytes = 2 * GB) {
  const clock = { ms: 0 };
  let readings = 0;
  const space = createFreeSpace({
    workPath: "data",
    storePath: "store" in free ? "store" : undefined,
    minFreeBytes,
    log,
    now: () => clock.ms,
    pauseMs: 1,
    readFreeBytes: async (path) => {
      readings++;
      return free[path] ?? 0;
    },
  });
  return { space, clock, readings: () => readings };
}

test("is low where any of the paths has less than the floor", async () => {
  expect(await spaceOf({ data: 2 * GB, store: 3 * GB }).space.isLow()).toBe(false);
  expect(await spaceOf({ data: 9 * GB, store: 2 * GB - 1 }).space.isLow()).toBe(true);
});

test("is read once a second, however many ask", async () => {
  const { space, clock, readings } = spaceOf({ data: 5 * GB });
  await Promise.all(Array.from({ length: 100 }, () => space.isLow()));
  clock.ms = 999;
  await space.check();
  expect(readings()).toBe(1);
  clock.ms = 1000;
  await space.check();
  expect(readings()).toBe(2);
});

test("a check says that the request may be repeated later, also for bytes that would lead below the floor", async () => {
  const { space } = spaceOf({ data: 2 * GB, store: 5 * GB });
  await space.check(3 * GB);
  await expect(space.check(3 * GB + 1)).rejects.toMatchObject({
    code: "insufficient_storage",
    message: expect.stringMatching(
      /needs 3000000001 bytes, and 3000000000 are left, .*ROWMILL_MIN_FREE_BYTES/,
    ) as string,
    options: { retryAfterSeconds: 30 },
  });
});

test("what is stored elsewhere needs no room here, and work does", async () => {
  const { space } = spaceOf({ data: 5 * GB });
  await space.check(1e15);
  await space.checkWork(3 * GB);
  await expect(space.checkWork(3 * GB + 1)).rejects.toThrow(/no room for 3000000001 more bytes/);
  await expect(spaceOf({ data: 2 * GB - 1 }).space.check()).rejects.toMatchObject({
    code: "insufficient_storage",
    message: expect.stringMatching(/1999999999 bytes are free, and ROWMILL_MIN_FREE_BYTES keeps 2000000000/) as string,
  });
});

test("waiting ends when there is room, or with the signal", async () => {
  const free = { data: 0 };
  const { space, clock } = spaceOf(free);
  const stop = new AbortController();
  const stopped = space.wait(stop.signal);
  stop.abort(new Error("stopped"));
  await expect(stopped).rejects.toThrow("stopped");
  const waiting = space.wait(new AbortController().signal);
  free.data = 5 * GB;
  clock.ms += 5_000;
  await expect(waiting).resolves.toBeUndefined();
});

test("a floor of 0 is none, and nothing is read", async () => {
  const { space, readings } = spaceOf({ data: 0 }, 0);
  await space.check(1e15);
  expect([await space.isLow(), readings()]).toEqual([false, 0]);
});
