import { expect, test } from "vitest";
import { JsonLines, JsonSlice, createBackslashFinder, createMemberReader } from "./json-bytes.ts";

/** One for all of them: what it expects from the last object must not show in the next one. */
const readMembers = createMemberReader();

function membersOf(text: string, start = 0): [string, string][] {
  const members: [string, string][] = [];
  const bytes = Buffer.from(text);
  readMembers(bytes, start, (name, from, to) => members.push([name, bytes.toString("utf8", from, to)]));
  return members;
}

test.for<[string, [string, string][]]>([
  ["{}", []],
  ["{ }", []],
  ['{"a":1}', [["a", "1"]]],
  [
    ' {\n "a" : 1 ,\t"b":null\r\n}'.trim(),
    [
      ["a", "1"],
      ["b", "null"],
    ],
  ],
  [
    '{"a":[1,{"b":"]}"}],"c":{"d":{}}}',
    [
      ["a", '[1,{"b":"]}"}]'],
      ["c", '{"d":{}}'],
    ],
  ],
  ['{"":""}', [["", '""']]],
  [
    '{"a\\"b":"c\\\\","d":"\\\\\\""}',
    [
      ['a"b', '"c\\\\"'],
      ["d", '"\\\\\\""'],
    ],
  ],
  [
    '{"\\u00e9":"\\u00e9","日本":"語"}',
    [
      ["é", '"\\u00e9"'],
      ["日本", '"語"'],
    ],
  ],
  [
    '{"a":1,"a":2}',
    [
      ["a", "1"],
      ["a", "2"],
    ],
  ],
  [
    '{"a.b":1,"a":{"b":2}}',
    [
      ["a.b", "1"],
      ["a", '{"b":2}'],
    ],
  ],
])("%s is read member by member", ([text, expected]) => {
  expect(membersOf(text)).toEqual(expected);
});

test("numerals keep every digit, and members their order", () => {
  const text = '{"2":12345678901234567890,"1":1.10,"x":-0,"y":1E+2}';
  expect(membersOf(text)).toEqual([
    ["2", "12345678901234567890"],
    ["1", "1.10"],
    ["x", "-0"],
    ["y", "1E+2"],
  ]);
});

test("an object inside a text is read from where it begins", () => {
  expect(membersOf('{"a":{"b":[1]},"c":2}', 5)).toEqual([["b", "[1]"]]);
});

test("every member of nested random values is found as JSON.parse finds it", () => {
  let seed = 7;
  const random = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
  const value = (depth: number): unknown => {
    const kind = random(depth > 3 ? 5 : 7);
    if (kind === 0) return null;
    if (kind === 1) return random(2) === 0;
    if (kind === 2) return random(1_000_000) / 7 - 1_000;
    if (kind < 5) return Array.from({ length: random(8) }, () => '"\\{}[],: é\n\u2028😀a'.charAt(random(14))).join("");
    if (kind === 5) return Array.from({ length: random(4) }, () => value(depth + 1));
    return Object.fromEntries(Array.from({ length: random(5) }, (_, i) => [`k${i}"\\`, value(depth + 1)]));
  };
  for (let round = 0; round < 500; round += 1) {
    const object = Object.fromEntries(Array.from({ length: 4 }, (_, i) => [`m${i}`, value(0)]));
    const text = JSON.stringify(object, null, round % 3);
    const found = Object.fromEntries(membersOf(text).map(([name, json]) => [name, JSON.parse(json) as unknown]));
    expect(found).toEqual(object);
  }
});

test("texts of any length end at their own quote, whatever is escaped in them", () => {
  // The end of longer texts is searched in another way.
  for (let length = 0; length < 120; length++)
    for (const end of ['"', "\\", '\\"', '"\\', "\\\\", '\\\\"', '""', "é", "a"]) {
      const value = { a: "x".repeat(length) + end, b: `${end}${"y".repeat(length)}${end}`, c: length };
      const expected = Object.entries(value).map(([name, member]) => [name, JSON.stringify(member)]);
      expect(membersOf(JSON.stringify(value))).toEqual(expected);
    }
});

test("backslashes are found between any two places, in any order", () => {
  const hasBackslash = createBackslashFinder();
  const texts = [10_000, 9_000, 10].map((length, n) =>
    Buffer.from(Array.from({ length }, (_unused, at) => (at % (1_500 + n) === 700 ? "\\" : "x")).join("")),
  );
  for (let i = 0; i < 3_000; i++) {
    const bytes = texts[i % 7 === 0 ? 1 : i % 11 === 0 ? 2 : 0] ?? Buffer.alloc(0);
    // Mostly one behind the other, and now and then anywhere.
    const start = i % 5 === 0 ? (i * 7_919) % bytes.length : (i * 13) % bytes.length;
    const end = Math.min(bytes.length, start + ((i * 31) % (i % 9 === 0 ? 6_000 : 200)));
    expect(hasBackslash(bytes, start, end)).toBe(bytes.subarray(start, end).includes("\\"));
  }
});

test("text that breaks off is an error and no endless loop", () => {
  expect(() => membersOf('{"a":"b')).toThrow("does not end");
  expect(() => membersOf('{"a":[1,2')).toThrow("does not end");
});

test("lines are found by their number, empty ones and the last included", () => {
  const lines = new JsonLines(Buffer.from('{"é":1}\n\n"ü"'));
  expect(lines.count).toBe(3);
  expect([0, 1, 2, 3].map((line) => lines.at(line)?.text)).toEqual(['{"é":1}', "", '"ü"', undefined]);
  expect(JsonSlice.of('"ü"')).toMatchObject({ start: 0, end: 4, text: '"ü"' });
});
