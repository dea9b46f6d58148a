import { expect, test, vi } from "vitest";
import type { Log } from "../log.ts";
import { createOutages } from "./outages.ts";

const withCode = (message: string, code: string): Error => Object.assign(new Error(message), { code });

function reported(error: unknown) {
  const log = { error: vi.fn(), warn: vi.fn(), info: vi.fn() };
  const outages = createOutages(log as unknown as Log, vi.fn<() => Promise<unknown>>());
  outages.report(error);
  outages.stop();
  return { errors: log.error.mock.calls.length, warnings: log.warn.mock.calls.map(([, message]): unknown => message) };
}

test("a statement that PostgreSQL has rolled back for another one is a warning: it is repeated", () => {
  const expected = { errors: 0, warnings: [expect.stringContaining("rolled back, and is repeated")] };
  expect(reported(withCode("deadlock detected", "40P01"))).toEqual(expected);
  // As workers of the queue report it.
  expect(reported({ message: "deadlock detected", code: "40P01" })).toEqual(expected);
});

test("any other fault of the queue is an error", () => {
  expect(reported(withCode("relation does not exist", "42P01"))).toEqual({ errors: 1, warnings: [] });
});

test("an outage is remembered for as long as somebody asks, beyond its end", async () => {
  const log = { error: vi.fn(), warn: vi.fn(), info: vi.fn() };
  const back = Promise.withResolvers<void>();
  const outages = createOutages(log as unknown as Log, () => back.promise);
  expect(outages.wasAway(60_000)).toBe(false);
  outages.report(withCode("the server is stopping", "57P01"));
  expect(outages.wasAway(0)).toBe(true);
  back.resolve();
  await expect.poll(() => outages.wasAway(0)).toBe(false);
  expect(outages.wasAway(600_000)).toBe(true);
  outages.stop();
});
