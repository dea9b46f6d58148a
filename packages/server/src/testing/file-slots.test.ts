import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { FileSlots } from "./file-slots.ts";
import type { ProcessorTimes } from "./file-slots.ts";

const WATCH_MS = 1_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** The processors are as idle as `idle.share` says. */
function newSlots() {
  const idle = { share: 0 };
  const times: ProcessorTimes = { idle: 0, all: 0 };
  const slots = new FileSlots({
    always: 2,
    most: 3,
    watchMs: WATCH_MS,
    readTimes: () => {
      times.idle += idle.share * 100;
      times.all += 100;
      return { ...times };
    },
  });
  const begun: string[] = [];
  const take = (name: string): (() => void) => slots.take(() => void begun.push(name));
  return { take, begun, idle };
}

test("a set number of files begins at once, and the next when one of them has ended", () => {
  const { take, begun } = newSlots();
  const [endFirst] = ["a", "b", "c", "d"].map(take);
  expect(begun).toEqual(["a", "b"]);
  vi.advanceTimersByTime(10 * WATCH_MS);
  expect(begun).toEqual(["a", "b"]);
  endFirst?.();
  expect(begun).toEqual(["a", "b", "c"]);
});

test("while processors are idle, a further one begins after each look, up to the most", () => {
  const { take, begun, idle } = newSlots();
  const [, endSecond] = ["a", "b", "c", "d"].map(take);
  idle.share = 0.5;
  vi.advanceTimersByTime(WATCH_MS);
  expect(begun).toEqual(["a", "b", "c"]);
  vi.advanceTimersByTime(10 * WATCH_MS);
  expect(begun).toEqual(["a", "b", "c"]);
  // What has ended is replaced by what idle processors are there for, too.
  endSecond?.();
  vi.advanceTimersByTime(WATCH_MS);
  expect(begun).toEqual(["a", "b", "c", "d"]);
});

test("while processors are idle, short files are replaced as soon as they end, also those that came in addition", () => {
  const { take, begun, idle } = newSlots();
  const [endFirst, endSecond] = ["a", "b", "c", "d", "e"].map(take);
  idle.share = 0.5;
  vi.advanceTimersByTime(WATCH_MS);
  endFirst?.();
  expect(begun).toEqual(["a", "b", "c", "d"]);
  endSecond?.();
  expect(begun).toEqual(["a", "b", "c", "d", "e"]);
});

test("after a file that came in addition, the set number counts again", () => {
  const { take, begun, idle } = newSlots();
  const [endFirst, endSecond] = ["a", "b", "c", "d"].map(take);
  idle.share = 0.5;
  vi.advanceTimersByTime(WATCH_MS);
  idle.share = 0;
  vi.advanceTimersByTime(WATCH_MS);
  endFirst?.();
  vi.advanceTimersByTime(10 * WATCH_MS);
  expect(begun).toEqual(["a", "b", "c"]);
  endSecond?.();
  expect(begun).toEqual(["a", "b", "c", "d"]);
});

test("a file that ends while it waits takes no slot", () => {
  const { take, begun } = newSlots();
  const [endFirst, , leave] = ["a", "b", "c", "d"].map(take);
  leave?.();
  endFirst?.();
  expect(begun).toEqual(["a", "b", "d"]);
});
