import { expect, test } from "vitest";
import type { RunRecord } from "../../resources/runs/runs.ts";
import { pollDelaySeconds, realTimeFrom, waitsUntil } from "./waiting-times.ts";

const at = (time: string): Date => new Date(`2026-01-01T${time}Z`);
/** The members that times depend on. */
const runOf = (more: Partial<RunRecord>): RunRecord =>
  ({ createdAt: at("00:00:00"), startedAt: at("00:00:00"), deadlineAt: null, execution: null, ...more }) as RunRecord;

test("the last quarter of the time until a deadline is kept for real time, two hours at most", () => {
  expect(realTimeFrom(runOf({ deadlineAt: at("04:00:00") }))).toEqual(at("03:00:00"));
  expect(realTimeFrom(runOf({ deadlineAt: at("20:00:00") }))).toEqual(at("18:00:00"));
  expect(realTimeFrom(runOf({}))).toBeUndefined();
});

test("a batch is waited for as long as the run says, and not into the time that is kept", () => {
  const batch = { createdAt: at("01:00:00") };
  const execution = { mode: "provider_batch", maxWaitSeconds: 3_600 } as const;
  expect(waitsUntil(batch, runOf({ execution }))).toEqual(at("02:00:00"));
  expect(waitsUntil(batch, runOf({ execution, deadlineAt: at("02:00:00") }))).toEqual(at("01:30:00"));
  expect(waitsUntil(batch, runOf({ execution: { mode: "provider_batch" } }))).toEqual(new Date("2026-01-02T01:00:00Z"));
});

test("pauses between two looks grow, obey the provider, and end when the waiting does", () => {
  const now = at("00:00:00");
  const until = at("01:00:00");
  expect([0, 1, 2, 3].map((polls) => pollDelaySeconds(30, polls, { now, until }))).toEqual([30, 45, 68, 102]);
  expect(pollDelaySeconds(30, 1_000, { now, until })).toBe(600);
  expect(pollDelaySeconds(30, 0, { now, until, retryAfterMs: 90_000 })).toBe(90);
  expect(pollDelaySeconds(30, 20, { now, until: at("00:00:10") })).toBe(10);
  expect(pollDelaySeconds(30, 0, { now, until: at("00:00:00") })).toBe(30);
  expect(pollDelaySeconds(0.1, 0, { now, until })).toBe(0.1);
});
