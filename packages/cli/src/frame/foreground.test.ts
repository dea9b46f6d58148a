import { expect, test } from "vitest";
import { isForegroundStat } from "./foreground.ts";

test.each([
  ["the job that the terminal listens to", "4711 (node) R 4000 4711 4000 34816 4711 4194304", true],
  ["a job behind the prompt", "4711 (node) R 4000 4711 4000 34816 4000 4194304", false],
  ["a program whose name looks like fields", "4711 (a) R 1 2) S 4000 4711 4000 34816 4711 4194304", true],
  ["a process without a terminal", "4711 (node) R 4000 4711 4000 0 -1 4194304", false],
])("%s", (_, stat, expected) => {
  expect(isForegroundStat(stat)).toBe(expected);
});
