import { expect, test } from "vitest";
import { cutText, storable, storableJson, storableText } from "./text.ts";

test.each([
  ["abc", 5, "abc"],
  ["abc", 2, "ab"],
  ["a😀b", 1, "a"],
  ["a😀b", 2, "a"],
  ["a😀b", 3, "a😀"],
  ["😀", 1, ""],
  ["😀", 2, "😀"],
])("%j cut to %i", (text, characters, expected) => {
  expect(cutText(text, characters)).toBe(expected);
});

test("what PostgreSQL and JSON refuse is replaced", () => {
  expect(storableText("a\0b\ud83dc\ude00d😀")).toBe("a\uFFFDb\uFFFDc\uFFFDd😀");
});

test("texts are replaced at any depth, names included, and nothing else is changed", () => {
  const at = new Date(0);
  expect(storable({ "n\0": ["\ud800", 1, null, true, { deep: "\0" }], at })).toEqual({
    "n\uFFFD": ["\uFFFD", 1, null, true, { deep: "\uFFFD" }],
    at,
  });
  expect(storableJson(["\\u0000", "\\", "😀", { "\udc00": "\ud800" }])).toBe(
    '["\\\\u0000","\\\\","😀",{"\uFFFD":"\uFFFD"}]',
  );
  expect(storableJson({ m: "\0", at })).toBe('{"m":"\uFFFD","at":"1970-01-01T00:00:00.000Z"}');
});
