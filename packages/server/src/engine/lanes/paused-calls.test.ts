/** When a lane leaves its place, since all its calls wait for a provider that has paused them. */
import { expect, onTestFinished, test, vi } from "vitest";
import type { Wanted } from "../../platform/queue/queue.ts";
import { createCallSlots } from "../rows/call-slots.ts";
import { PausedCalls } from "./paused-calls.ts";

const noDeadline = Number.POSITIVE_INFINITY;
const [one, other] = [{}, {}];

function pausedFor(ms: number, wanted: Wanted = "by others") {
  const slots = createCallSlots(() => 2);
  slots.enter();
  slots.notePause(one, performance.now() + ms);
  return { slots, paused: new PausedCalls({ slots: () => slots, wanted: () => wanted }) };
}

test("it leaves where all calls wait for some time, and comes back when the first may go on", () => {
  const { slots, paused } = pausedFor(60_000);
  slots.enter();
  expect(paused.isWaiting(noDeadline)).toBe(false);
  slots.notePause(other, performance.now() + 30_000);
  expect(paused.isWaiting(noDeadline)).toBe(true);
  expect(paused.seconds).toBeGreaterThan(0);
  expect(paused.seconds).toBeLessThanOrEqual(30);
  // The calls have ended their wait.
  slots.notePause(one, undefined);
  slots.notePause(other, undefined);
  slots.leave();
  slots.leave();
  expect(paused.isWaiting(noDeadline)).toBe(true);
});

test("it stays where nobody wants its place, for a short pause, and where the run's deadline comes first", () => {
  expect(pausedFor(60_000, "by nobody").paused.isWaiting(noDeadline)).toBe(false);
  expect(pausedFor(2_000).paused.isWaiting(noDeadline)).toBe(false);
  const { paused } = pausedFor(60_000);
  expect(paused.isWaiting(50_000)).toBe(false);
  expect(paused.seconds).toBeUndefined();
});

test("it goes on where the pause ends before it was to end", () => {
  const { slots, paused } = pausedFor(60_000);
  expect(paused.isWaiting(noDeadline)).toBe(true);
  slots.notePause(one, performance.now());
  expect(paused.isWaiting(noDeadline)).toBe(false);
  expect(paused.seconds).toBeUndefined();
});

test("it comes back in time where the clock of its process is set back meanwhile", () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { paused } = pausedFor(60_000);
  expect(paused.isWaiting(noDeadline)).toBe(true);
  vi.setSystemTime(Date.now() - 4 * 3_600_000);
  expect(paused.seconds).toBe(60);
  vi.advanceTimersByTime(60_000);
  expect(paused.seconds).toBeUndefined();
});

test("while no row may begin it leaves its place once all calls wait, for a second or more, and stays away", () => {
  vi.useFakeTimers();
  try {
    const slots = createCallSlots(() => 2);
    slots.enter();
    slots.enter();
    const paused = new PausedCalls({ slots: () => slots, wanted: () => "by others" });
    let isAsked = false;
    const job = { leavePlace: () => (isAsked = true) };
    const look = (afterMs: number): boolean => {
      vi.advanceTimersByTime(afterMs);
      expect(paused.endsRows("turn_over", job)).toBe("turn_over");
      return paused.hasLeftPlace;
    };
    slots.noteWait(one, true);
    expect([look(0), look(5_000)]).toEqual([false, false]);
    slots.noteWait(other, true);
    expect([look(0), look(500)]).toEqual([false, false]);
    // A response came, and the next call waits.
    slots.noteWait(one, false);
    expect(look(400)).toBe(false);
    slots.noteWait(one, true);
    expect([look(100), look(900), isAsked]).toEqual([false, false, false]);
    expect([look(100), isAsked]).toEqual([true, true]);
    slots.noteWait(one, false);
    expect(look(0)).toBe(true);
  } finally {
    vi.useRealTimers();
  }
});
