import { describe, expect, test } from "vitest";
import { createLanePlaces } from "./lane-places.ts";

const enterAll = (places: ReturnType<typeof createLanePlaces>, organization: string): number => {
  let count = 0;
  while (count < 100 && places.enter(organization)) count++;
  return count;
};

describe("places of lanes", () => {
  test("are never all one organization's", () => {
    const places = createLanePlaces("waiting", 16);
    expect(enterAll(places, "first")).toBe(12);
    expect(enterAll(places, "second")).toBe(3);
    expect(enterAll(places, "third")).toBe(1);
  });

  test("of lanes that compute are shared by the queue", () => {
    const places = createLanePlaces("computing", 4);
    expect(enterAll(places, "first")).toBe(100);
  });

  test("are given to whoever has none, even of the last one", () => {
    const places = createLanePlaces("waiting", 1);
    expect(places.enter("first")).toBe(true);
    expect(places.enter("first")).toBe(false);
  });

  test("that were left can be taken again", () => {
    const places = createLanePlaces("waiting", 4);
    expect(enterAll(places, "first")).toBe(3);
    places.leave("first");
    expect(places.enter("first")).toBe(true);
    expect(places.enter("first")).toBe(false);
  });

  test("are wanted by others while all are taken, or somebody was sent away a moment ago", () => {
    let now = 0;
    const places = createLanePlaces("waiting", 4, () => now);
    expect(places.enter("first")).toBe(true);
    expect(places.othersMayWait()).toBe(false);
    expect(enterAll(places, "first")).toBe(2);
    expect(places.othersMayWait()).toBe(true);
    now = 2_000;
    expect(places.othersMayWait()).toBe(false);
    expect(places.enter("second")).toBe(true);
    expect(places.othersMayWait()).toBe(true);
  });
});
