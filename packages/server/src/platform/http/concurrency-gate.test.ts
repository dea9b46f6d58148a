import { expect, test } from "vitest";
import { ConcurrencyGate } from "./concurrency-gate.ts";

const newGate = () =>
  new ConcurrencyGate({ atOnce: 2, refusal: (count) => `${count} are under way`, retryAfterSeconds: 5 });

test("each key has its own places, and what is more is refused with 429 until one is released", () => {
  const gate = newGate();
  const leave = gate.enter("a");
  gate.enter("a");
  expect(() => gate.enter("a")).toThrow("2 are under way");
  gate.enter("b");
  leave();
  leave();
  gate.enter("a");
  expect(() => gate.enter("a")).toThrow(expect.objectContaining({ code: "rate_limited" }));
});

test("work that fails releases its place", async () => {
  const gate = newGate();
  gate.enter("a");
  await expect(gate.run("a", () => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
  expect(await gate.run("a", () => Promise.resolve("done"))).toBe("done");
});
