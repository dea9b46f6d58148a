import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import { JsonColumns } from "./json-columns.ts";
import { PlainRows } from "./json-plain-rows.ts";
import { parseJsonRow } from "./json-row.ts";

/** Takes the lines as a file of JSON Lines is read. */
function read(lines: readonly string[]) {
  const columns = new JsonColumns();
  const plainRows = new PlainRows(columns);
  const taken = lines.filter((line) => {
    // As in a file: something stands before and behind it.
    const bytes = Buffer.from(`9${line}\n1,"x"}`);
    const end = 1 + Buffer.byteLength(line);
    if (plainRows.add(bytes, 1, end)) return true;
    const row = parseJsonRow(line);
    if (typeof row === "string") return false;
    columns.addRow(row);
    plainRows.learn(bytes, 1, end);
    return false;
  });
  return { taken, columns: columns.list() };
}

/** The same by parsing each line. */
function columnsOf(lines: readonly string[]) {
  const columns = new JsonColumns();
  for (const line of lines) {
    const row = parseJsonRow(line);
    if (typeof row !== "string") columns.addRow(row);
  }
  return columns.list();
}

const first = '{"id": 1, "name":"Ada","at":"2024-01-01","ok":true, "note" : null }';

test.each([
  ["the same members with other values", '{"id": -12.50, "name":"Zoë 😀","at":"2025-12-31","ok":false, "note" : "x" }'],
  ["simple escapes", String.raw`{"id": 2, "name":"a\"\\\/\b\f\n\r\tb","at":"2025-12-31","ok":null, "note" : null }`],
  ["exponents", '{"id": 1.5e+3, "name":"","at":null,"ok":true, "note" : 1E-7 }'],
  ["a number beyond every double", '{"id": 1e400, "name":"","at":null,"ok":true, "note" : -0 }'],
  [
    "numbers of many digits",
    '{"id": 12345678901234567890, "name":"","at":null,"ok":true, "note" : 0.1234567890123456789 }',
  ],
  ["values of other types", '{"id": "one", "name":1,"at":false,"ok":"2024-01-01T00:00:00Z", "note" : null }'],
])("a row is taken with %s", (_name, line) => {
  const { taken, columns } = read([first, line]);
  expect(taken).toEqual([line]);
  expect(columns).toEqual(columnsOf([first, line]));
});

test.each([
  ["a member more", '{"id": 1, "name":"Ada","at":"2024-01-01","ok":true, "note" : null,"more":1}'],
  ["a member less", '{"id": 1, "name":"Ada","at":"2024-01-01","ok":true}'],
  ["another order", '{"name":"Ada","id": 1, "at":"2024-01-01","ok":true, "note" : null }'],
  ["other white space", '{"id":1, "name":"Ada","at":"2024-01-01","ok":true, "note" : null }'],
  ["a nested value", '{"id": 1, "name":["Ada"],"at":"2024-01-01","ok":true, "note" : null }'],
  ["U+0000", String.raw`{"id": 1, "name":"\u0000","at":"2024-01-01","ok":true, "note" : null }`],
  ["half a pair", String.raw`{"id": 1, "name":"\ud800","at":"2024-01-01","ok":true, "note" : null }`],
  [
    "an escape in a column of dates",
    String.raw`{"id": 1, "name":"Ada","at":"2024-01\-01\n","ok":true, "note" : null }`,
  ],
  ["a line break in a text", '{"id": 1, "name":"A\nda","at":"2024-01-01","ok":true, "note" : null }'],
  ["an unknown escape", String.raw`{"id": 1, "name":"\x","at":"2024-01-01","ok":true, "note" : null }`],
  ["an open text", '{"id": 1, "name":"Ada","at":"2024-01-01","ok":true, "note" : "null }'],
  ["a zero before a number", '{"id": 01, "name":"Ada","at":"2024-01-01","ok":true, "note" : null }'],
  ["a point without digits", '{"id": 1., "name":"Ada","at":"2024-01-01","ok":true, "note" : null }'],
  ["an exponent without digits", '{"id": 1e, "name":"Ada","at":"2024-01-01","ok":true, "note" : null }'],
  ["a plus before a number", '{"id": +1, "name":"Ada","at":"2024-01-01","ok":true, "note" : null }'],
  ["a word that is no value", '{"id": 1, "name":"Ada","at":"2024-01-01","ok":True, "note" : null }'],
  ["something behind it", '{"id": 1, "name":"Ada","at":"2024-01-01","ok":true, "note" : null }}'],
  ["no end", '{"id": 1, "name":"Ada","at":"2024-01-01","ok":true, "note" : 1'],
])("a row is left to the parser with %s", (_name, line) => {
  const { taken, columns } = read([first, line]);
  expect(taken).toEqual([]);
  expect(columns).toEqual(columnsOf([first, line]));
});

test.each([
  ["twice the same member", '{"a":1,"a":2}'],
  ["a member that is called __proto__", '{"__proto__":1}'],
  ["an escape in a name", String.raw`{"\u0061":1}`],
  ["no members", "{}"],
])("nothing is learned of a row with %s", (_name, line) => {
  expect(read([line, line]).taken).toEqual([]);
});

test("a column beyond the most that are listed is passed over", () => {
  const members = Array.from({ length: 2_001 }, (_, index) => `"c${index}":${index}`);
  const lines = [`{${members.join(",")}}`, `{${members.join(",")}}`];
  const { taken, columns } = read(lines);
  expect(taken).toHaveLength(1);
  expect(columns).toEqual(columnsOf(lines));
});

test("damaged rows of any kind are taken only if they parse, and count the same", () => {
  const random = createRandom(20_251_125);
  const pieces = [
    '"',
    "\\",
    ",",
    ":",
    "{",
    "}",
    "[",
    "]",
    "0",
    "9",
    "-",
    ".",
    "e",
    "+",
    " ",
    "t",
    "null",
    "true",
    "\\n",
    "\\u0041",
    "é",
    "\n",
  ];
  const wrong: string[] = [];
  let takenCount = 0;
  for (let round = 0; round < 5_000; round++) {
    const line = `{"id": ${random(2_000) / 8}, "name":"n${random(99)}","at":"2024-01-${10 + random(9)}","ok":${random(2) === 0}, "note" : null }`;
    const at = random(line.length);
    const damaged = line.slice(0, at) + (pieces[random(pieces.length)] ?? "") + line.slice(at + random(3));
    const lines = [first, line, damaged];
    const { taken, columns } = read(lines);
    const isTakenWrongly = taken.some((one) => typeof parseJsonRow(one) === "string");
    if (isTakenWrongly || !isDeepStrictEqual(columns, columnsOf(lines))) wrong.push(damaged);
    takenCount += taken.includes(damaged) ? 1 : 0;
  }
  expect(wrong).toEqual([]);
  // Not all is damage: a digit more is another number.
  expect(takenCount).toBeGreaterThan(500);
});

/** Numbers below a bound, the same in each run (a linear congruential generator). */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return Math.floor((state / 4_294_967_296) * below);
  };
}
