import { pino } from "pino";
import { expect, test } from "vitest";
import { createStoreHealth } from "./store-health.ts";

const log = pino({ level: "silent" });

test("one look serves all who ask at the same time, and for ten seconds", async () => {
  const clock = { ms: 0 };
  let looks = 0;
  let failure: Error | undefined;
  const health = createStoreHealth(
    async () => {
      looks++;
      if (failure !== undefined) throw failure;
    },
    log,
    { now: () => clock.ms },
  );
  expect(await Promise.all([health.isAvailable(), health.isAvailable()])).toEqual([true, true]);
  failure = new Error("the key has lost its rights");
  clock.ms = 9_999;
  expect([await health.isAvailable(), looks]).toEqual([true, 1]);
  clock.ms = 10_000;
  expect([await health.isAvailable(), looks]).toEqual([false, 2]);
  failure = undefined;
  clock.ms = 20_000;
  expect([await health.isAvailable(), looks]).toEqual([true, 3]);
});

test("a store that does not respond is not waited for", async () => {
  const health = createStoreHealth(() => new Promise(() => undefined), log, { timeoutMs: 1 });
  expect(await health.isAvailable()).toBe(false);
});
