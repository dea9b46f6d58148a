import { expect, test } from "vitest";
import { FairQueue } from "./fair-queue.ts";

/** Gives `threads` turns of the time that `costMs` says, until nothing waits; answers the owners in order. */
function drain(queue: FairQueue<string>, costMs: Record<string, number>, most = Infinity): string[] {
  const order: string[] = [];
  for (let next = queue.take(); next !== null && order.length < most; next = queue.take()) {
    order.push(next.ownerId);
    queue.finish(next.ownerId, costMs[next.ownerId] ?? 1, false);
  }
  return order;
}

function addMany(queue: FairQueue<string>, ownerId: string, count: number): void {
  for (let n = 0; n < count; n++) queue.add(ownerId, `${ownerId}${n}`);
}

test("equal owners take turns, and an owner's tasks keep their order", () => {
  const queue = new FairQueue<string>();
  addMany(queue, "a", 3);
  addMany(queue, "b", 2);
  expect(drain(queue, {})).toEqual(["a", "b", "a", "b", "a"]);
  queue.add("a", "first");
  queue.add("a", "second");
  expect([queue.take()?.task, queue.take()?.task, queue.take()]).toEqual(["first", "second", null]);
});

test("an owner with slow turns gets as much time as one with fast turns, not as many turns", () => {
  const queue = new FairQueue<string>();
  addMany(queue, "slow", 100);
  addMany(queue, "fast", 1_000);
  const order = drain(queue, { slow: 100, fast: 1 }, 505);
  expect(order.filter((ownerId) => ownerId === "slow")).toHaveLength(5);
});

test("an owner that comes later starts level: it neither waits for the others' past nor makes them wait for it", () => {
  const queue = new FairQueue<string>();
  addMany(queue, "early", 1_000);
  drain(queue, { early: 10 }, 500);
  addMany(queue, "late", 100);
  expect(drain(queue, { early: 10, late: 10 }, 6).filter((ownerId) => ownerId === "late")).toHaveLength(3);
});

test("an owner that has used much and comes back still owes it", () => {
  const queue = new FairQueue<string>();
  queue.add("hog", "one");
  addMany(queue, "other", 20);
  expect(drain(queue, { hog: 1_000, other: 1 }, 2)).toEqual(["hog", "other"]);
  queue.add("hog", "two");
  expect(drain(queue, { other: 1 }, 10)).not.toContain("hog");
});

test("a thread goes to the owner that has none before one gets a second", () => {
  const queue = new FairQueue<string>();
  addMany(queue, "a", 5);
  addMany(queue, "b", 5);
  expect([queue.take(), queue.take(), queue.take(), queue.take()].map((next) => next?.ownerId)).toEqual([
    "a",
    "b",
    "a",
    "b",
  ]);
});

test("an owner that made a thread hang has one turn in hand at most", () => {
  const queue = new FairQueue<string>();
  addMany(queue, "hanging", 5);
  expect(queue.take()?.ownerId).toBe("hanging");
  queue.finish("hanging", 1, true);
  expect(queue.take()?.ownerId).toBe("hanging");
  expect(queue.take()).toBeNull();
  queue.finish("hanging", 1, false);
  expect(queue.take()?.ownerId).toBe("hanging");
});

test("a task that is taken out is never given", () => {
  const queue = new FairQueue<string>();
  queue.add("a", "one");
  queue.add("a", "two");
  expect(queue.remove("a", "one")).toBe(true);
  expect(queue.remove("a", "one")).toBe(false);
  expect(queue.remove("stranger", "one")).toBe(false);
  expect(queue.take()?.task).toBe("two");
  expect(queue.remove("a", "two")).toBe(false);
});
