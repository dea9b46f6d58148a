import { expect, test } from "vitest";
import { ByPriority } from "./by-priority.ts";

const item = (name: string, priority: number) => ({ name, priority });
const names = (line: ByPriority<{ name: string; priority: number }>) => [...line].map(({ name }) => name);

test("the most important go first, and among equals the one who came first", () => {
  const line = new ByPriority<{ name: string; priority: number }>();
  for (const one of [item("a", 3), item("b", 1), item("c", 5), item("d", 3), item("e", 5)]) line.add(one);
  expect(names(line)).toEqual(["c", "e", "a", "d", "b"]);
  expect(line.size).toBe(5);
});

test("one who leaves is gone, once; while the others are looked at, too", () => {
  const line = new ByPriority<{ name: string; priority: number }>();
  const [a, b, c] = [item("a", 1), item("b", 2), item("c", 1)];
  for (const one of [a, b, c]) line.add(one);
  const seen: string[] = [];
  for (const one of line) {
    seen.push(one.name);
    line.delete(one);
  }
  expect(seen).toEqual(["b", "a", "c"]);
  expect(line.size).toBe(0);
  expect(line.delete(a)).toBe(false);
});

test("cleared, nobody is left", () => {
  const line = new ByPriority<{ name: string; priority: number }>();
  line.add(item("a", 1));
  line.clear();
  expect(names(line)).toEqual([]);
  expect(line.size).toBe(0);
});
