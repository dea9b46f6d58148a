import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { createReservedMemory } from "./reserved-memory.ts";

const never = new AbortController().signal;

/** Takes so often, and returns how many of them have it. */
function takeMany(
  memory: ReturnType<typeof createReservedMemory>,
  organizationId: string,
  bytes: number,
  times: number,
) {
  const given: (() => void)[] = [];
  for (let n = 0; n < times; n++) void memory.take(organizationId, bytes, never).then((release) => given.push(release));
  return given;
}

test("one organization has half of it at most, and a second one half of the rest", async () => {
  const memory = createReservedMemory(1_000);
  const greedy = takeMany(memory, "org_greedy", 10, 200);
  await setImmediate();
  expect(greedy).toHaveLength(50);
  const other = takeMany(memory, "org_other", 10, 200);
  await setImmediate();
  expect(other).toHaveLength(25);
});

test("what is given back goes to those who wait, in their order", async () => {
  const memory = createReservedMemory(100);
  const first = await memory.take("org_a", 50, never);
  const order: string[] = [];
  const second = memory.take("org_a", 40, never).then((release) => {
    order.push("second");
    return release;
  });
  // It would fit, and does not overtake.
  void memory.take("org_a", 1, never).then(() => order.push("third"));
  await setImmediate();
  expect(order).toEqual([]);
  first();
  first();
  await second;
  await setImmediate();
  expect(order).toEqual(["second", "third"]);
});

test("who has reserved nothing is never refused, whatever it takes and others have", async () => {
  const memory = createReservedMemory(100);
  const ofA = takeMany(memory, "org_a", 1_000, 2);
  const ofB = takeMany(memory, "org_b", 1_000, 2);
  await setImmediate();
  expect([ofA.length, ofB.length]).toEqual([1, 1]);
  ofA[0]?.();
  await setImmediate();
  expect([ofA.length, ofB.length]).toEqual([2, 1]);
});

test("one that is abandoned while it waits leaves its place to the next", async () => {
  const memory = createReservedMemory(100);
  await memory.take("org_a", 30, never);
  const row = new AbortController();
  const given = memory.take("org_a", 90, row.signal);
  const next = memory.take("org_a", 10, never);
  row.abort(new Error("the run was canceled"));
  await expect(given).rejects.toThrow("the run was canceled");
  await next;
  await expect(memory.take("org_a", 1, row.signal)).rejects.toThrow("the run was canceled");
});
