import { expect, test } from "vitest";
import { laneCountOf, linesOf } from "./family.ts";
import type { Member } from "./family.ts";

const member = (id: string, parentRunId: string | null): Member => ({
  id,
  parentRunId,
  retryNumber: 0,
  selection: null,
  state: "succeeded",
  rows: { total: 1, pending: 0, running: 0, succeeded: 1, failed: 0, canceled: 0, skipped: 0 },
  apiKeyId: null,
});
const drawn = (...members: Member[]) =>
  linesOf(members).map(({ member: { id }, lane, enters, passing }) =>
    [id, lane, enters, passing.join()].join(" ").trim(),
  );

test("a run that was retried again and again is one lane", () => {
  expect(drawn(member("c", "b"), member("a", null), member("b", "a"))).toEqual([
    "a 0 none",
    "b 0 straight",
    "c 0 straight",
  ]);
});

test("the newest retry goes on in the lane of its run, past the older ones and what was retried of them", () => {
  const family = [
    member("a", null),
    member("b", "a"),
    member("c", "a"),
    member("d", "b"),
    member("e", "b"),
    member("f", "e"),
    member("g", "a"),
  ];
  expect(drawn(...family)).toEqual([
    "a 0 none",
    "b 1 branch 0",
    "d 2 branch 0,1",
    "e 1 straight 0",
    "f 1 straight 0",
    "c 1 branch 0",
    "g 0 straight",
  ]);
  expect(laneCountOf(linesOf(family))).toBe(3);
});
