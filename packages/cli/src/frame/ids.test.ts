import { expect, test } from "vitest";
import { isMeant, resolveId } from "./ids.ts";
import type { Named } from "./ids.ts";

const refused = { id: "ds_c3", name: "rows.csv", isUsable: false };
const newer = { id: "ds_b2", name: "rows.csv", isUsable: true };
const older = { id: "ds_b1", name: "other.csv", isUsable: true };

function find(typed: string, ...things: Named[]): Promise<string> {
  return resolveId("dataset", "ds", typed, async function* () {
    yield* things;
  });
}

test.each([
  ["@last", "ds_b2"],
  ["rows.csv", "ds_b2"],
  ["ds_c", "ds_c3"],
  ["c3", "ds_c3"],
  ["b1", "ds_b1"],
  ["other.csv", "ds_b1"],
])("%s is %s, where the newest dataset was refused", async (typed, id) => {
  expect(await find(typed, refused, newer, older)).toBe(id);
});

test.each([
  ["@last", "There is no dataset yet."],
  ["b", '"b" names 2 things: ds_b2, ds_b1.'],
  ["none", 'There is no dataset "none".'],
])("%s: %s", async (typed, message) => {
  const things = typed === "@last" ? [refused] : [refused, newer, older];
  await expect(find(typed, ...things)).rejects.toMatchObject({ message, exit: "usage" });
});

test("several things of one name are distinguished by their ids, and several ids by more of them", async () => {
  const namesake = { ...newer, id: "ds_b4" };
  await expect(find("rows.csv", newer, namesake)).rejects.toMatchObject({ advice: "Use the id of one of them." });
  await expect(find("b", newer, older)).rejects.toMatchObject({ advice: "Use a longer beginning of the id." });
});

test("a name that only a refused one has means that one", async () => {
  expect(await find("rows.csv", refused, older)).toBe("ds_c3");
});

test.each([
  ["ds_b2", [newer], true],
  ["ds_0123456789abcdefghjkmnpqrs", [{ id: "ds_0123456789abcdefghjkmnpqrs" }], true],
  ["rows.csv", [refused, newer], true],
  ["ds_b", [newer], true],
  ["ds_b…", [newer], true],
  ["ds_b", [newer, older], false],
  ["ds_", [newer], false],
  ["ds_…", [newer], false],
  ["d", [newer], false],
  ["b2", [newer], false],
  ["none", [], false],
] as const)("%s means %j for sure: %s", (typed, found, isSure) => {
  expect(isMeant("ds", typed, found)).toBe(isSure);
});
