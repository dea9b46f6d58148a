import { expect, test } from "vitest";
import { shownPath } from "./shown-path.ts";

test.each([
  ["/work/out.csv", "out.csv"],
  ["/work/tables/out.csv", "tables/out.csv"],
  ["/other/out.csv", "/other/out.csv"],
  ["/work", "/work"],
])("%s is shown in /work as %s", (path, shown) => {
  expect(shownPath(path, "/work")).toBe(shown);
});
