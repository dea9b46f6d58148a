import { expect, test } from "vitest";
import type { Party } from "./fair-share.ts";
import { FairShare } from "./fair-share.ts";

/** `a` is an owner in an organization of its own, `x/a` one of the organization `x`. */
function partyOf(name: string): Party {
  const [organizationId = "", ownerId = organizationId] = name.split("/");
  return { organizationId, ownerId };
}

const nameOf = ({ organizationId, ownerId }: Party): string =>
  organizationId === ownerId ? ownerId : `${organizationId}/${ownerId}`;

/** Gives each the time that `costMs` says, until nothing waits; returns the owners in order. */
function drain(queue: FairShare<string>, costMs: Record<string, number>, most = Infinity): string[] {
  const order: string[] = [];
  for (let next = queue.take(); next !== null && order.length < most; next = queue.take()) {
    const name = nameOf(next.party);
    order.push(name);
    queue.finish(next.party, costMs[name] ?? 1, false);
  }
  return order;
}

function addMany(queue: FairShare<string>, ownerId: string, count: number): void {
  for (let n = 0; n < count; n++) queue.add(partyOf(ownerId), `${ownerId}${n}`);
}

test("equal owners take turns, and an owner's tasks keep their order", () => {
  const queue = new FairShare<string>();
  addMany(queue, "a", 3);
  addMany(queue, "b", 2);
  expect(drain(queue, {})).toEqual(["a", "b", "a", "b", "a"]);
  queue.add(partyOf("a"), "first");
  queue.add(partyOf("a"), "second");
  expect([queue.take()?.task, queue.take()?.task, queue.take()]).toEqual(["first", "second", null]);
});

test("an owner with slow turns gets as much time as one with fast turns, not as many turns", () => {
  const queue = new FairShare<string>();
  addMany(queue, "slow", 100);
  addMany(queue, "fast", 1_000);
  const order = drain(queue, { slow: 100, fast: 1 }, 505);
  expect(order.filter((ownerId) => ownerId === "slow")).toHaveLength(5);
});

test("an owner that comes later starts level: it neither waits for the others' past nor makes them wait for it", () => {
  const queue = new FairShare<string>();
  addMany(queue, "early", 1_000);
  drain(queue, { early: 10 }, 500);
  addMany(queue, "late", 100);
  expect(drain(queue, { early: 10, late: 10 }, 6).filter((ownerId) => ownerId === "late")).toHaveLength(3);
});

test("an owner that has used much and comes back still owes it", () => {
  const queue = new FairShare<string>();
  queue.add(partyOf("hog"), "one");
  addMany(queue, "other", 20);
  expect(drain(queue, { hog: 1_000, other: 1 }, 2)).toEqual(["hog", "other"]);
  queue.add(partyOf("hog"), "two");
  expect(drain(queue, { other: 1 }, 10)).not.toContain("hog");
});

test("a thread goes to the owner that has none before one gets a second", () => {
  const queue = new FairShare<string>();
  addMany(queue, "a", 5);
  addMany(queue, "b", 5);
  expect([queue.take(), queue.take(), queue.take(), queue.take()].map((next) => next?.party.ownerId)).toEqual([
    "a",
    "b",
    "a",
    "b",
  ]);
});

test("an owner that made a thread hang has one work item in flight at most", () => {
  const queue = new FairShare<string>();
  addMany(queue, "hanging", 5);
  expect(queue.take()?.party.ownerId).toBe("hanging");
  queue.finish(partyOf("hanging"), 1, true);
  expect(queue.take()?.party.ownerId).toBe("hanging");
  expect(queue.take()).toBeNull();
  queue.finish(partyOf("hanging"), 1, false);
  expect(queue.take()?.party.ownerId).toBe("hanging");
});

test("a task that is taken out is never given", () => {
  const queue = new FairShare<string>();
  queue.add(partyOf("a"), "one");
  queue.add(partyOf("a"), "two");
  expect(queue.remove(partyOf("a"), "one")).toBe(true);
  expect(queue.remove(partyOf("a"), "one")).toBe(false);
  expect(queue.remove(partyOf("stranger"), "one")).toBe(false);
  expect(queue.take()?.task).toBe("two");
  expect(queue.remove(partyOf("a"), "two")).toBe(false);
});

test("an organization with many runs gets no more than one with a single run", () => {
  const queue = new FairShare<string>();
  for (let run = 0; run < 50; run++) addMany(queue, `many/run${run}`, 10);
  addMany(queue, "one", 10);
  const order = drain(queue, {}, 20);
  expect(order.filter((name) => name === "one")).toHaveLength(10);
});

test("the runs of one organization share its part among themselves", () => {
  const queue = new FairShare<string>();
  addMany(queue, "x/slow", 100);
  addMany(queue, "x/fast", 100);
  addMany(queue, "y", 200);
  const order = drain(queue, { "x/slow": 100, "x/fast": 1, y: 10 }, 110);
  expect(order.filter((name) => name === "x/slow").length).toBeLessThanOrEqual(2);
  expect(order.filter((name) => name === "x/fast").length).toBeGreaterThan(80);
});

test("an organization whose first run hangs has places for its others", () => {
  const queue = new FairShare<string>();
  addMany(queue, "x/hanging", 3);
  addMany(queue, "x/other", 1);
  expect(nameOf(queue.take()?.party ?? partyOf("none"))).toBe("x/hanging");
  queue.finish(partyOf("x/hanging"), 1, true);
  expect([queue.take(), queue.take(), queue.take()].map((next) => next && nameOf(next.party))).toEqual([
    "x/other",
    "x/hanging",
    null,
  ]);
});

test("an organization whose code has made a thread hang leaves the last idle one to others, also with other owners", () => {
  const queue = new FairShare<string>();
  queue.add(partyOf("x/a"), "hangs");
  expect(queue.take(3)?.task).toBe("hangs");
  queue.finish(partyOf("x/a"), 10_000, true);
  for (const owner of ["x/b", "x/c", "x/d"]) queue.add(partyOf(owner), owner);
  expect([queue.take(3)?.task, queue.take(2)?.task, queue.take(1)]).toEqual(["x/b", "x/c", null]);
  queue.add(partyOf("y"), "y");
  expect(queue.take(1)?.task).toBe("y");
  // With nothing in a thread it has the only one that there is.
  queue.finish(partyOf("x/b"), 1, false);
  queue.finish(partyOf("x/c"), 1, false);
  expect(queue.take(1)?.task).toBe("x/d");
});

test("beyond those that are idle, one more is for an organization that has none", () => {
  const queue = new FairShare<string>();
  addMany(queue, "x/a", 2);
  queue.add(partyOf("x/b"), "b");
  expect(queue.take(1)?.task).toBe("x/a0");
  expect(queue.take(0)).toBeNull();
  queue.add(partyOf("y"), "y");
  expect(queue.take(0)?.task).toBe("y");
  expect([queue.take(0), queue.hasWaiting]).toEqual([null, true]);
  queue.finish(partyOf("x/a"), 1, true);
  expect([queue.take(0)?.task, queue.take(2)?.task, queue.hasWaiting]).toEqual(["b", "x/a1", false]);
});
