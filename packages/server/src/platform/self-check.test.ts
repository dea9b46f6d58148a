import { pino } from "pino";
import { expect, test } from "vitest";
import { createSelfCheck } from "./self-check.ts";

const log = pino({ level: "silent" });
const words = { failed: "the store cannot be used", worksAgain: "the store can be used again" };

test("one look serves all who ask at the same time, and for ten seconds", async () => {
  const clock = { ms: 0 };
  let looks = 0;
  let failure: Error | undefined;
  const health = createSelfCheck(
    async () => {
      looks++;
      if (failure !== undefined) throw failure;
    },
    log,
    words,
    { now: () => clock.ms },
  );
  expect(await Promise.all([health.works(), health.works()])).toEqual([true, true]);
  failure = new Error("the key has lost its rights");
  clock.ms = 9_999;
  expect([await health.works(), looks]).toEqual([true, 1]);
  clock.ms = 10_000;
  expect([await health.works(), looks]).toEqual([false, 2]);
  failure = undefined;
  clock.ms = 20_000;
  expect([await health.works(), looks]).toEqual([true, 3]);
});

test("a part that does not respond is not waited for", async () => {
  const health = createSelfCheck(() => new Promise(() => undefined), log, words, { timeoutMs: 1 });
  expect(await health.works()).toBe(false);
});

test("a network that is away is a warning with its reason, and without a stack", async () => {
  const lines: unknown[] = [];
  const kept = pino({ base: null, timestamp: false }, { write: (line) => void lines.push(JSON.parse(line)) });
  const offline = (): Promise<void> => Promise.reject(new Error("No name server responds."));
  await createSelfCheck(offline, kept, { ...words, isOfNetwork: true }).works();
  expect(lines).toEqual([{ level: 40, reason: "No name server responds.", msg: words.failed }]);
});
