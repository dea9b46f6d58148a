import { setImmediate } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { waitFor } from "../../testing/wait.ts";
import { createTrials } from "./trials.ts";

const noAbort = new AbortController().signal;

test("a trial waits until nothing else is in flight, and nothing begins meanwhile", async () => {
  const trials = createTrials();
  const [tried, other] = [trials.enter(), trials.enter()];
  const seen: string[] = [];
  const trial = tried.alone(async (isAlone) => seen.push(isAlone ? "tried" : "tried beside others"), noAbort);
  expect(trials.mayBegin()).toBe(false);
  seen.push("other ended");
  other.leave();
  await trial;
  expect(seen).toEqual(["other ended", "tried"]);
  expect(trials.mayBegin()).toBe(true);
});

test("trials take turns, and do not wait for each other's chunks", async () => {
  const trials = createTrials();
  const places = [trials.enter(), trials.enter(), trials.enter()];
  let atOnce = 0;
  const ends = places.map(async (place) => {
    const end = await place.alone(async () => {
      expect(++atOnce).toBe(1);
      await Promise.resolve();
      return --atOnce;
    }, noAbort);
    // The row is committed, and the chunk released.
    place.leave();
    return end;
  });
  expect(await Promise.all(ends)).toEqual([0, 0, 0]);
});

test("what never ends, or an abort, does not keep a trial from taking place", async () => {
  const trials = createTrials({ longestWaitMs: 10 });
  trials.enter();
  const place = trials.enter();
  // A death would be no evidence.
  expect(await place.alone(async (isAlone) => isAlone, noAbort)).toBe(false);
  const patient = createTrials();
  patient.enter();
  expect(await patient.enter().alone(async () => "tried", AbortSignal.abort())).toBe("tried");
});

test("a trial that throws is over", async () => {
  const trials = createTrials();
  const place = trials.enter();
  await expect(place.alone(() => Promise.reject(new Error("broken")), noAbort)).rejects.toThrow("broken");
  expect(trials.mayBegin()).toBe(true);
});

test("a row whose trial does not end keeps the others from beginning for a while only, and counts as one of them then", async () => {
  // On a busy machine, too, the next trial need not wait for a rest.
  vi.useFakeTimers({ toFake: ["performance"] });
  try {
    const trials = createTrials({ longestTrialMs: 10 });
    const silence = Promise.withResolvers<string>();
    const ends = trials.enter().alone(() => silence.promise, noAbort);
    expect(trials.mayBegin()).toBe(false);
    await waitFor(() => trials.mayBegin(), { what: "others may begin beside it" });
    // The next trial waits for it, as for any other row.
    let hasBegun = false;
    void trials.enter().alone(async () => (hasBegun = true), noAbort);
    await setImmediate();
    expect([hasBegun, trials.mayBegin()]).toEqual([false, false]);
    silence.resolve("ended");
    expect(await ends).toBe("ended");
    expect(hasBegun).toBe(false);
  } finally {
    vi.useRealTimers();
  }
});

test("between two trials others may begin, for as long as the first kept them from it", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  try {
    const trials = createTrials();
    const ended = Promise.withResolvers<undefined>();
    const [first, second] = [trials.enter(), trials.enter()];
    const trial = first.alone(() => ended.promise, noAbort);
    const patience = new AbortController();
    let hasBegun = false;
    const next = second.alone(async () => (hasBegun = true), patience.signal);
    await setImmediate();
    vi.advanceTimersByTime(30_000);
    ended.resolve(undefined);
    await trial;
    await setImmediate();
    expect([hasBegun, trials.mayBegin()]).toEqual([false, true]);
    // Its run was canceled: it need not wait.
    patience.abort();
    expect(await next).toBe(true);
  } finally {
    vi.useRealTimers();
  }
});
