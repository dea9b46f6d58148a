import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createLog } from "../log.ts";
import { waitForServer } from "./wait-for-server.ts";
import type { StartPatience } from "./wait-for-server.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

const coded = (code: string): Error => Object.assign(new Error(`it says ${code}`), { code });

/** A server that responds at this time, and until then fails so. */
function newStart(respondsAtMs: number, error: Error, more: Partial<StartPatience> = {}) {
  const lines: string[] = [];
  const attempts: number[] = [];
  const begun = performance.now();
  const patience = {
    log: createLog("info", (line) => lines.push(line)),
    until: begun + 60_000,
    hasLogged: false,
    ...more,
  };
  const started = waitForServer(patience, () => {
    attempts.push(Math.round(performance.now() - begun));
    return performance.now() - begun >= respondsAtMs ? Promise.resolve("there") : Promise.reject(error);
  });
  started.catch(() => undefined);
  return { started, attempts, lines };
}

test.each([
  coded("ECONNREFUSED"),
  coded("57P03"),
  coded("57P02"),
  coded("53300"),
  coded("40P01"),
  // Of a socket that is not there yet.
  Object.assign(coded("ENOENT"), { syscall: "connect" }),
  new Error("timeout expired"),
  new AggregateError([coded("ENETUNREACH"), coded("ECONNREFUSED")]),
])("a server that may respond later is asked again, with pauses that grow: %s", async (error) => {
  const { started, attempts, lines } = newStart(20_000, error);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await started).toBe("there");
  expect(attempts).toEqual([0, 250, 750, 1_750, 3_750, 7_750, 12_750, 17_750, 22_750]);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain("for up to 60 seconds");
});

test("after its time, the last error is thrown", async () => {
  const { started, attempts } = newStart(Infinity, coded("ECONNREFUSED"));
  await vi.advanceTimersByTimeAsync(61_000);
  await expect(started).rejects.toThrow("it says ECONNREFUSED");
  expect(attempts.at(-1)).toBe(60_000);
});

const missingFile = Object.assign(coded("ENOENT"), { syscall: "open" });

test.each([coded("28P01"), missingFile, coded("3D000"), new Error("Rowmill needs PostgreSQL 15 or newer")])(
  "what waiting does not cure is thrown at once: %s",
  async (error) => {
    const { started, attempts, lines } = newStart(Infinity, error);
    await expect(started).rejects.toBe(error);
    expect([attempts, lines]).toEqual([[0], []]);
  },
);

test("a process that is asked to stop waits no longer", async () => {
  const stopping = new AbortController();
  const { started, attempts } = newStart(Infinity, coded("ECONNREFUSED"), { stopping: stopping.signal });
  await vi.advanceTimersByTimeAsync(1_000);
  stopping.abort(new Error("stopped"));
  await expect(started).rejects.toThrow("stopped");
  expect(attempts).toEqual([0, 250, 750]);
});
