/** What a lane does while the state of its run cannot be read. */
import { expect, onTestFinished, test, vi } from "vitest";
import type { LaneParts } from "./prepared-runs.ts";
import { watchChunk } from "./watch-chunk.ts";
import type { ChunkWatch } from "./watch-chunk.ts";

test("an outage is logged once for a chunk and not at each look, and the chunk is given up when its claim is lost", async () => {
  const responses = [
    ...Array.from({ length: 3 }, () => () => Promise.reject(new Error("the database is away"))),
    () => Promise.resolve({ rows: [{ isOurs: false }] }),
  ];
  let looks = 0;
  const executor = {
    transformQuery: (node: unknown) => node,
    compileQuery: () => ({}),
    executeQuery: () => responses[looks++]?.(),
  };
  const warnings: string[] = [];
  const parts = {
    database: { db: { getExecutor: () => executor } },
    log: { warn: (_what: unknown, message: string) => warnings.push(message) },
  } as unknown as LaneParts; // what a watch uses of them
  const ended = new AbortController();
  const watch = {
    control: { signal: ended.signal, abort: () => ended.abort() },
    stopping: new AbortController().signal,
  } as unknown as ChunkWatch; // it comes to nothing else
  const run = { organizationId: "o", id: "r" } as Parameters<typeof watchChunk>[1]; // the key alone is read
  const chunk = { chunkNo: 1, claimNo: 1, wake: null } as Parameters<typeof watchChunk>[2]; // the claim alone is read
  await watchChunk(parts, run, chunk, watch);
  expect(ended.signal.aborted).toBe(true);
  expect(looks).toBe(4);
  expect(warnings).toHaveLength(1);
});

test.each([
  ["only wait for a slot, with nothing paid yet: ten seconds", true, 10_000],
  ["are under way, or paid for: two minutes", false, 120_000],
] as const)("when a run is paused, calls may end that %s", async (_, areWaitingUnpaid, graceMs) => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const now = { isOurs: true, wake: null, state: "paused", laneGeneration: 1, isLate: null };
  const executor = {
    transformQuery: (node: unknown) => node,
    compileQuery: () => ({}),
    executeQuery: () => Promise.resolve({ rows: [now] }),
  };
  const parts = { database: { db: { getExecutor: () => executor } } } as unknown as LaneParts; // what a watch uses of them
  const ended = new AbortController();
  const watch = {
    generation: 1,
    control: { signal: ended.signal, abort: () => ended.abort(), drain: () => undefined },
    stopping: new AbortController().signal,
    areWaitingUnpaid: () => areWaitingUnpaid,
    report: () => Promise.resolve(),
    follow: () => undefined,
  } as unknown as ChunkWatch; // it comes to nothing else
  const run = { organizationId: "o", id: "r" } as Parameters<typeof watchChunk>[1]; // the key alone is read
  const chunk = { chunkNo: 1, claimNo: 1, wake: null } as Parameters<typeof watchChunk>[2]; // the claim alone is read
  const watched = watchChunk(parts, run, chunk, watch);
  await vi.advanceTimersByTimeAsync(1_000);
  // The calls may end as long where the clock of their process is set meanwhile.
  vi.setSystemTime(Date.now() + 4 * 3_600_000);
  await vi.advanceTimersByTimeAsync(graceMs - 1_500);
  expect(ended.signal.aborted).toBe(false);
  // It looks twice a second.
  await vi.advanceTimersByTimeAsync(2_000);
  expect(ended.signal.aborted).toBe(true);
  await watched;
});
