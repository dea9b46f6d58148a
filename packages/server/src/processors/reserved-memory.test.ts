import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { createReservedMemory } from "./reserved-memory.ts";

const never = new AbortController().signal;

const of = (organizationId: string, ownerId = "run_1") => ({ organizationId, ownerId });

/** Takes so often, and returns how many of them have it. */
function takeMany(
  memory: ReturnType<typeof createReservedMemory>,
  party: ReturnType<typeof of>,
  bytes: number,
  times: number,
) {
  const given: (() => void)[] = [];
  for (let n = 0; n < times; n++) void memory.take(party, bytes, never).then((release) => given.push(release));
  return given;
}

test("one organization has half of it at most, of which a run leaves a quarter, and a second organization half of the rest", async () => {
  const memory = createReservedMemory(8_000);
  const greedy = takeMany(memory, of("org_greedy"), 10, 1_000);
  await setImmediate();
  expect(greedy).toHaveLength(300);
  const beside = takeMany(memory, of("org_greedy", "run_2"), 10, 1_000);
  await setImmediate();
  expect(beside).toHaveLength(75);
  const other = takeMany(memory, of("org_other"), 10, 1_000);
  await setImmediate();
  // Of 425 places that are left it may have half, and one run of it three quarters of that.
  expect(other).toHaveLength(159);
});

test("runs beside one whose rows never end go on, however many of its rows wait", async () => {
  const memory = createReservedMemory(1_000);
  takeMany(memory, of("org_a", "run_silent"), 100, 50);
  let ended = 0;
  for (let n = 0; n < 20; n++)
    void memory.take(of("org_a", "run_quick"), 40, never).then((release) => {
      ended++;
      release();
    });
  await setImmediate();
  expect(ended).toBe(20);
});

test("a large row comes although small ones of another run take all that becomes free", async () => {
  const memory = createReservedMemory(1_000);
  const small = takeMany(memory, of("org_a", "run_small"), 10, 1_000);
  await setImmediate();
  expect(small).toHaveLength(37);
  let isGiven = false;
  void memory.take(of("org_a", "run_other"), 100, never);
  void memory.take(of("org_a", "run_large"), 200, never).then(() => (isGiven = true));
  await setImmediate();
  expect(isGiven).toBe(false);
  // Each that is released would leave room for another small one, of which 963 wait.
  for (let n = 0; n < 17; n++) small[n]?.();
  await setImmediate();
  expect(isGiven).toBe(true);
});

test("what is given back goes to those who wait, in their order", async () => {
  const memory = createReservedMemory(100);
  const first = await memory.take(of("org_a"), 50, never);
  const order: string[] = [];
  const second = memory.take(of("org_a"), 30, never).then((release) => {
    order.push("second");
    return release;
  });
  // It would fit, and does not overtake.
  void memory.take(of("org_a"), 1, never).then(() => order.push("third"));
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
  const ofA = takeMany(memory, of("org_a"), 1_000, 2);
  const ofB = takeMany(memory, of("org_b"), 1_000, 2);
  await setImmediate();
  expect([ofA.length, ofB.length]).toEqual([1, 1]);
  ofA[0]?.();
  await setImmediate();
  expect([ofA.length, ofB.length]).toEqual([2, 1]);
});

test("one that is abandoned while it waits leaves its place to the next", async () => {
  const memory = createReservedMemory(100);
  await memory.take(of("org_a"), 30, never);
  const row = new AbortController();
  const given = memory.take(of("org_a"), 90, row.signal);
  const next = memory.take(of("org_a"), 5, never);
  row.abort(new Error("the run was canceled"));
  await expect(given).rejects.toThrow("the run was canceled");
  await next;
  await expect(memory.take(of("org_a"), 1, row.signal)).rejects.toThrow("the run was canceled");
});

test("what is taken at once is within the same shares, overtakes nobody of its organization, and is released once", async () => {
  const memory = createReservedMemory(1_000);
  const first = memory.takeNow(of("org_a"), 300);
  // A run has three quarters of the half of its organization.
  expect(memory.takeNow(of("org_a"), 100)).toBeUndefined();
  const beside = memory.takeNow(of("org_a", "run_2"), 100);
  expect(beside).toBeDefined();
  const waiting = memory.take(of("org_a"), 200, never);
  expect(memory.takeNow(of("org_a", "run_2"), 1)).toBeUndefined();
  expect(memory.takeNow(of("org_b"), 1)).toBeDefined();
  first?.();
  first?.();
  (await waiting)();
  const again = memory.takeNow(of("org_a"), 300);
  expect(again).toBeDefined();
  expect(memory.takeNow(of("org_a"), 100)).toBeUndefined();
});
