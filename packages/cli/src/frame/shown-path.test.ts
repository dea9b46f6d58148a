import { expect, test } from "vitest";
import { shownPath } from "./shown-path.ts";

test.each([
  ["/tables/out.csv", "out.csv"],
  ["/tables/new/out.csv", "new/out.csv"],
  ["/other/out.csv", "/other/out.csv"],
  ["/tables", "/tables"],
])("%s is shown in /tables as %s", (path, shown) => {
  expect(shownPath(path, "/tables")).toBe(shown);
});
