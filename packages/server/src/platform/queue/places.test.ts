import { describe, expect, test } from "vitest";
import { createQueuePlaces } from "./places.ts";
import type { QueuePlaces } from "./places.ts";

const takeMany = (places: QueuePlaces, groupId: string | null, count: number): void => {
  for (let n = 0; n < count; n++) places.take({ id: `${groupId} ${n}`, retryCount: 0, groupId });
};

/** As many as may be fetched one after the other. */
const takeShare = (places: QueuePlaces, groupId: string): number => {
  let count = 0;
  while (count < 100 && !places.full().includes(groupId))
    places.take({ id: `${groupId} ${count++}`, retryCount: 0, groupId });
  return count;
};

describe("places that are shared", () => {
  test("are never all one organization's", () => {
    const places = createQueuePlaces({ places: 16, mostOfOrganization: "share" });
    expect(takeShare(places, "first")).toBe(12);
    expect(takeShare(places, "second")).toBe(3);
    expect(places.areTaken()).toBe(false);
    expect(takeShare(places, "third")).toBe(1);
    expect(places.full()).toEqual(["first", "second", "third"]);
    expect(places.areTaken()).toBe(true);
  });

  test("are given to whoever has none, even of the last one", () => {
    const places = createQueuePlaces({ places: 1, mostOfOrganization: "share" });
    expect(takeShare(places, "first")).toBe(1);
    expect(places.full()).toEqual(["first"]);
  });

  test("that were left can be taken again", () => {
    const places = createQueuePlaces({ places: 4, mostOfOrganization: "share" });
    expect(takeShare(places, "first")).toBe(3);
    places.leave({ id: "first 1", retryCount: 0 });
    expect(places.full()).toEqual([]);
    places.leave({ id: "first 1", retryCount: 0 });
    places.take({ id: "another", retryCount: 0, groupId: "first" });
    expect(places.full()).toEqual(["first"]);
  });

  test("are two for a job that was lost and fetched again, until both of its attempts have ended", () => {
    const places = createQueuePlaces({ places: 3, mostOfOrganization: "share" });
    for (const retryCount of [0, 1]) places.take({ id: "lost", retryCount, groupId: "first" });
    expect(places.full()).toEqual(["first"]);
    places.leave({ id: "lost", retryCount: 1 });
    expect(places.full()).toEqual([]);
    expect(takeShare(places, "first")).toBe(1);
    places.leave({ id: "lost", retryCount: 0 });
    expect(places.full()).toEqual([]);
  });

  test("report a job that was fetched beyond the share", () => {
    const places = createQueuePlaces({ places: 4, mostOfOrganization: "share" });
    takeMany(places, "first", 4);
    expect([0, 1, 2, 3].map((n) => places.isWithinShare({ id: `first ${n}`, retryCount: 0 }))).toEqual([
      true,
      true,
      true,
      false,
    ]);
    expect(places.isWithinShare({ id: "fetched by nobody", retryCount: 0 })).toBe(true);
  });

  test("know no organization of a job without one", () => {
    const places = createQueuePlaces({ places: 2, mostOfOrganization: "share" });
    takeMany(places, null, 2);
    expect(places.full()).toEqual([]);
    expect(places.isWithinShare({ id: "null 1", retryCount: 0 })).toBe(true);
    expect(places.areTaken()).toBe(true);
  });
});

describe("jobs that only wait", () => {
  const leave = (places: QueuePlaces, groupId: string, n: number): boolean =>
    places.leaveEarly({ id: `${groupId} ${n}`, retryCount: 0 });

  test("leave their places to others, as many at once as may, and each organization its share of these", () => {
    const places = createQueuePlaces({ places: 4, mostOfOrganization: "share", mostWithoutPlace: 4 });
    expect(takeShare(places, "first")).toBe(3);
    takeMany(places, "second", 1);
    expect([places.hasFree(), places.areTaken()]).toEqual([false, true]);
    expect(leave(places, "first", 0)).toBe(true);
    expect([places.hasFree(), places.areTaken(), places.full()]).toEqual([true, false, ["first", "second"]]);
    places.take({ id: "third", retryCount: 0, groupId: "third" });
    expect(places.hasFree()).toBe(false);
    // It has left: to ask again takes nothing more.
    expect(leave(places, "first", 0)).toBe(true);
    places.take({ id: "first 3", retryCount: 0, groupId: "first" });
    expect([1, 2, 3].map((n) => leave(places, "first", n))).toEqual([true, true, false]);
    expect(leave(places, "second", 0)).toBe(true);
    for (const id of ["first 0", "second 0"]) places.leave({ id, retryCount: 0 });
    expect(leave(places, "first", 3)).toBe(true);
  });

  test("keep their places where nothing else was agreed", () => {
    const places = createQueuePlaces({ places: 2, mostOfOrganization: "share" });
    takeMany(places, "first", 2);
    expect(leave(places, "first", 0)).toBe(false);
    expect(places.hasFree()).toBe(false);
  });
});

test("of which an organization has a fixed number may be wanted once as many are taken", () => {
  const places = createQueuePlaces({ places: 3, mostOfOrganization: 2 });
  takeMany(places, "first", 1);
  expect(places.areTaken()).toBe(false);
  takeMany(places, "second", 1);
  expect(places.areTaken()).toBe(true);
  expect(places.full()).toEqual([]);
  expect(takeShare(places, "third")).toBe(2);
  expect(places.full()).toEqual(["third"]);
});

test("of a plain number are taken when all of them are", () => {
  const places = createQueuePlaces(2);
  takeMany(places, "first", 1);
  expect(places.areTaken()).toBe(false);
  takeMany(places, "second", 1);
  expect(places.areTaken()).toBe(true);
});
