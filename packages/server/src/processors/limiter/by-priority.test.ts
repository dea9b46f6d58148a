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

test("of ten who are taken, one is of a lower priority, the one who came first", () => {
  const line = new ByPriority<{ name: string; priority: number }>();
  line.add(item("low", 1));
  line.add(item("usual", 3));
  for (let n = 0; n < 100; n++) line.add(item(`urgent ${n}`, 5));
  const planned = names(line).map((name) => name.split(" ")[0] ?? "");
  expect([planned.indexOf("low"), planned.indexOf("usual")]).toEqual([9, 19]);
  // Taken one by one, as slots are due, while others come.
  const taken: string[] = [];
  while (line.size > 0) {
    const [next] = line;
    if (next === undefined) break;
    line.take(next);
    taken.push(next.name.split(" ")[0] ?? "");
    if (taken.length < 50) line.add(item("urgent again", 5));
  }
  expect([taken.indexOf("low"), taken.indexOf("usual")]).toEqual([9, 19]);
  expect(taken).toHaveLength(151);
});

test("who is alone with a priority saves up nothing for those who come later", () => {
  const line = new ByPriority<{ name: string; priority: number }>();
  const urgent = Array.from({ length: 40 }, (_, n) => item(`urgent ${n}`, 5));
  for (const one of urgent) line.add(one);
  for (const one of urgent.slice(0, 20)) line.take(one);
  line.add(item("low", 1));
  expect(names(line).indexOf("low")).toBe(9);
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

test("one who leaves before its turn is not looked at", () => {
  const line = new ByPriority<{ name: string; priority: number }>();
  const [a, b, c] = [item("a", 1), item("b", 1), item("c", 1)];
  for (const one of [a, b, c]) line.add(one);
  const seen: string[] = [];
  for (const one of line) {
    seen.push(one.name);
    line.delete(b);
  }
  expect(seen).toEqual(["a", "c"]);
});

test("cleared, nobody is left", () => {
  const line = new ByPriority<{ name: string; priority: number }>();
  line.add(item("a", 1));
  line.clear();
  expect(names(line)).toEqual([]);
  expect(line.size).toBe(0);
});
