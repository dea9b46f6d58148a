/** When a lane leaves its place, since all its calls wait for a provider that has paused them. */
import { expect, test } from "vitest";
import type { Wanted } from "../../platform/queue/queue.ts";
import { createCallSlots } from "../rows/call-slots.ts";
import { PausedCalls } from "./paused-calls.ts";

const noDeadline = { deadlineAt: null };
const [one, other] = [{}, {}];

function pausedFor(ms: number, wanted: Wanted = "by others") {
  const slots = createCallSlots(() => 2);
  slots.enter();
  slots.notePause(one, Date.now() + ms);
  return { slots, paused: new PausedCalls({ slots: () => slots, wanted: () => wanted }) };
}

test("it leaves where all calls wait for some time, and comes back when the first may go on", () => {
  const { slots, paused } = pausedFor(60_000);
  slots.enter();
  expect(paused.isWaiting(noDeadline)).toBe(false);
  slots.notePause(other, Date.now() + 30_000);
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
  expect(paused.isWaiting({ deadlineAt: new Date(Date.now() + 50_000) })).toBe(false);
  expect(paused.seconds).toBeUndefined();
});

test("it goes on where the pause ends before it was to end", () => {
  const { slots, paused } = pausedFor(60_000);
  expect(paused.isWaiting(noDeadline)).toBe(true);
  slots.notePause(one, Date.now());
  expect(paused.isWaiting(noDeadline)).toBe(false);
  expect(paused.seconds).toBeUndefined();
});
