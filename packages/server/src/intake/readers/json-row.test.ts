import { expect, test } from "vitest";
import { parseJsonRow } from "./json-row.ts";

const nested = (depth: number) => `{"a":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`;

test.each([
  ["a plain object", `{"a":1,"b":[true,null,"x"]}`],
  ["an empty object", `{}`],
  ["integers and numbers beyond a double", `{"a":12345678901234567890123,"b":1e400}`],
  ["a whole surrogate pair", String.raw`{"a":"\ud83d\ude00"}`],
  ["an escaped backslash before u0000", String.raw`{"a":"\\u0000"}`],
  ["the same name twice", `{"a":1,"a":2}`],
  ["64 levels", nested(64)],
  ["a long text of brackets", `{"a":"${"[".repeat(100_000)}"}`],
  ["a long list of lists", `{"a":[${"[[1]],".repeat(20_000)}1]}`],
  ["__proto__ as a value", `{"a":"__proto__"}`],
  ["a member called constructor", `{"constructor":{"prototype":1}}`],
])("%s is a row", (_name, text) => {
  expect(typeof parseJsonRow(text)).toBe("object");
});

test.each([
  ["an array", `[1]`, /must be a JSON object/],
  ["a number", `1`, /must be a JSON object/],
  ["null", `null`, /must be a JSON object/],
  ["a cut object", `{"a":`, /Not valid JSON/],
  ["two objects", `{"a":1}{"b":2}`, /Not valid JSON/],
  ["a trailing comma", `{"a":1,}`, /Not valid JSON/],
  ["single quotes", `{'a':1}`, /Not valid JSON/],
  ["NaN", `{"a":NaN}`, /Not valid JSON/],
  ["a number with a leading zero", `{"a":01}`, /Not valid JSON/],
  ["a raw U+0000", `{"a":"\0"}`, /Not valid JSON/],
  ["a raw tab in a string", `{"a":"\t"}`, /Not valid JSON/],
  ["an escaped U+0000", String.raw`{"a":"x\u0000y"}`, /U\+0000/],
  ["an escaped U+0000 in a name", String.raw`{"x\u0000":1}`, /U\+0000/],
  ["an escaped U+0000 in depth", String.raw`{"a":[{"b":["\u0000"]}]}`, /U\+0000/],
  ["a lone high surrogate", String.raw`{"a":"\ud800"}`, /surrogate/],
  ["a lone low surrogate", String.raw`{"a":"\udc00\ud800"}`, /surrogate/],
  ["a lone surrogate in a name", String.raw`{"a":{"\ud800":1}}`, /surrogate/],
  ["65 levels", nested(65), /deeper than 64/],
  ["a hundred thousand levels", nested(100_000), /deeper than 64/],
  ["a million levels without an end", `{"a":${"[".repeat(1_000_000)}`, /deeper than 64/],
  ["__proto__", `{"__proto__":{"x":1}}`, /__proto__/],
  ["__proto__ in depth", `{"a":[{"__proto__":1}]}`, /__proto__/],
  ["__proto__ written with escapes", String.raw`{"\u005f_proto__":1}`, /__proto__/],
])("%s is no row", (_name, text, message) => {
  expect(parseJsonRow(text)).toMatch(message);
});

test("the message about a broken row stays short and names no line of its own", () => {
  const message = parseJsonRow(`{"a": ${"x".repeat(10_000)}}`);
  expect(message).toMatch(/^.{1,250}$/);
  expect(message).not.toMatch(/line 1/);
});
