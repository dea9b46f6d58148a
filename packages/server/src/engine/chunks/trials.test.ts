import { expect, test } from "vitest";
import { createTrials } from "./trials.ts";

const noAbort = new AbortController().signal;

test("a trial waits until nothing else is in flight, and nothing begins meanwhile", async () => {
  const trials = createTrials();
  const [tried, other] = [trials.enter(), trials.enter()];
  const seen: string[] = [];
  const trial = tried.alone(async () => seen.push("tried"), noAbort);
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
  const trials = createTrials(10);
  trials.enter();
  const place = trials.enter();
  expect(await place.alone(async () => "tried", noAbort)).toBe("tried");
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
