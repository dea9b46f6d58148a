/** For how long work is done again while the database is away. */
import { expect, onTestFinished, test, vi } from "vitest";
import { throughOutages } from "./through-outages.ts";

const HOURS_MS = 4 * 3_600_000;
const away = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });

test.each([
  ["ahead", HOURS_MS],
  ["back", -HOURS_MS],
])("it is done again for a minute where the clock of its process is set %s meanwhile", async (_, byMs) => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const tries: number[] = [];
  const startedAt = performance.now();
  const work = () => {
    if (tries.length === 0) vi.setSystemTime(Date.now() + byMs);
    tries.push(performance.now() - startedAt);
    return Promise.reject(away);
  };
  const ended = throughOutages(work, new AbortController().signal).catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(120_000);
  expect(tries.at(-1)).toBe(60_000);
  expect(await ended).toBe(away);
});
