import { RE2JS } from "re2js";
import { expect, test } from "vitest";
import { repeatGrowth } from "./repeat-growth.ts";

test.each([
  ["^a+$", 0],
  ["a{3}", 2],
  ["a{2,5}", 4],
  ["a{3,}", 2],
  ["(?:ab){10}", 18],
  ["((a{1,10}){1,10}){1,10}", 9 + 90 + 900],
  ["(?<year>\\d{4})-(?P<month>\\d\\d)", 3],
  ["[{1,100}]{2}", 1],
  ["[]{9}]{2}", 1],
  ["[[:alpha:]{9}]{2}", 1],
  ["\\{1,100\\}", 0],
  ["\\Qa{9}\\E{2}", 1],
  ["\\p{L}{300}", 299],
  ["\\x{10FFFF}{2}", 1],
  ["a{x}", 0],
  ["{5}", 0],
  ["a){3}", 2],
])("repeats of %s add %i instructions", (pattern, growth) => {
  expect(repeatGrowth(pattern)).toBe(growth);
});

test.each(["[a-z]{1,1000}", "(?:abc){500}", "((a{1,10}){1,10}){1,10}", "(?:[A-Z]{2}\\d{2} ?(?:\\w{4} ?){2,7}){20}"])(
  "the growth of %s is less than four times what the compiler makes of it",
  (pattern) => {
    expect(repeatGrowth(pattern)).toBeLessThan(4 * RE2JS.compile(pattern).programSize());
    expect(repeatGrowth(pattern)).toBeGreaterThan(RE2JS.compile(pattern).programSize() / 4);
  },
);

test.each(["[", "\\p{", "\\Q", "[[:", "(?<a", "(a{1,100})", "{1,"])("many of %s are looked at once each", (part) => {
  // In proportion: 64 KiB of them take milliseconds; the square of it would take minutes.
  expect(repeatGrowth(part.repeat(1_000_000 / part.length))).toBeGreaterThanOrEqual(0);
});
