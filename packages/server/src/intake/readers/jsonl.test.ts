import { expect, test } from "vitest";
import { placesOf, readContent, rejectionOf, roomyLimits, textsOf } from "./readers-testing.ts";

const jsonl = { format: "jsonl" } as const;

test("rows keep their text to the letter", async () => {
  const lines = [
    `{"a":12345678901234567890123,"b":1e400,"c":-0,"d":1.10}`,
    `{ "b" : 1,\t"a":[1 , 2] , "b" : 2 }`,
    `{"x":"\\u00e4ä\\ud83d\\ude00 \\/","y":"\u2028"}`,
    `  {"a":1}  `,
  ];
  expect((await readContent(lines.join("\n"), jsonl)).lines).toEqual(lines);
});

test("a byte order mark, CRLF and blank lines pass, and lines are counted as an editor does", async () => {
  const { lines } = await readContent(`\uFEFF{"a":1}\r\n\r\n \t\n{"a":2}\r\n\n`, jsonl);
  expect(lines).toEqual([`{"a":1}`, `{"a":2}`]);
  const refused = await rejectionOf(`\uFEFF{"a":1}\r\n\r\n\n{"a":}\r\n\n[1]`, jsonl);
  expect(placesOf(refused.errors)).toEqual(["invalid_json_line@4", "invalid_json_line@6"]);
});

test.each<[string, string | Buffer, string[]]>([
  ["nothing", "", ["empty_file@1"]],
  ["a byte order mark alone", "\uFEFF", ["empty_file@1"]],
  ["only blank lines", "\n \n\r\n", ["empty_file@1"]],
  [
    "a line that is no object",
    `{"a":1}\n2\n"x"\nnull\n`,
    ["invalid_json_line@2", "invalid_json_line@3", "invalid_json_line@4"],
  ],
  ["a line cut off at the end", `{"a":1}\n{"a":`, ["invalid_json_line@2"]],
  ["U+0000", String.raw`{"a":"\u0000"}`, ["invalid_json_line@1"]],
  ["depth 65", `{"a":${"[".repeat(64)}${"]".repeat(64)}}`, ["invalid_json_line@1"]],
  ["Latin-1", Buffer.from(`{"a":1}\n{"a":"\xfc"}\n{"a":2}\n`, "latin1"), ["encoding_error@2"]],
  ["a surrogate written as bytes", Buffer.from([0x7b, 0xed, 0xa0, 0x80, 0x7d]), ["encoding_error@1"]],
  ["UTF-16", Buffer.from(`\uFEFF{"a":1}\n`, "utf16le"), ["encoding_error@1"]],
])("%s is refused", async (_name, content, places) => {
  expect(placesOf((await rejectionOf(content, jsonl)).errors)).toEqual(places);
});

test("UTF-16 is reported with what to do", async () => {
  const refused = await rejectionOf(Buffer.from(`\uFEFF{"a":1}\n`, "utf16le"), jsonl);
  expect(refused.errors[0]?.message).toMatch(/UTF-16.*UTF-8/);
});

test("skipping leaves out exactly the bad lines", async () => {
  const content = Buffer.from(`{"a":1}\nx\n{"a":"\xfc"}\n{"a":2}\n{"a":"${"x".repeat(200)}"}\n{"a":3}`, "latin1");
  const limits = { ...roomyLimits, maxRowBytes: 100 };
  const { rows, summary } = await readContent(content, { ...jsonl, limits, onInvalidRow: "skip" });
  expect(rows).toEqual([{ a: 1 }, { a: 2 }, { a: 3 }]);
  expect(summary).toMatchObject({ rowsAccepted: 3, rowsRejected: 3 });
  expect(placesOf(summary.errors)).toEqual(["invalid_json_line@2", "encoding_error@3", "row_too_large@5"]);
  expect(textsOf(summary.errors)).toEqual(["x", '{"a":"\uFFFD"}', `{"a":"${"x".repeat(200)}"}`]);
});

test("a line of more than a block has its beginning", async () => {
  const content = `{"a":1}\n{"a":"${"x".repeat(3_000_000)}"}\n`;
  const limits = { ...roomyLimits, maxRowBytes: 100 };
  const { summary } = await readContent(content, { ...jsonl, limits, onInvalidRow: "skip" });
  expect(textsOf(summary.errors)).toEqual([`{"a":"${"x".repeat(294)}`]);
  const refused = await rejectionOf('{"a":1}\nnull\n', jsonl);
  expect(refused).toMatchObject({ isSkippable: true, errors: [{ line: 2, text: "null" }] });
});

test("a row may be exactly as large as the limit", async () => {
  const limits = { ...roomyLimits, maxRowBytes: 100 };
  const fitting = `{"a":"${"x".repeat(92)}"}`;
  expect((await readContent(`${fitting}\r\n${fitting}`, { ...jsonl, limits })).lines).toEqual([fitting, fitting]);
  const refused = await rejectionOf(`${fitting}\n{"a":"${"ü".repeat(47)}"}`, { ...jsonl, limits });
  expect(placesOf(refused.errors)).toEqual(["row_too_large@2"]);
});

test("lines that span the blocks of reading are put together", async () => {
  const lines = Array.from({ length: 40 }, (_, index) => JSON.stringify({ index, text: "€".repeat(index * 3001) }));
  expect((await readContent(lines.join("\n"), jsonl)).lines).toEqual(lines);
});

test("columns are described by what all rows have", async () => {
  const content = [
    {
      id: 1,
      score: 1,
      name: "a",
      tags: [],
      at: "2024-01-01T00:00:00Z",
      day: "2024-01-02",
      deep: { x: 1 },
      odd: 1,
      ok: true,
    },
    { id: 3, score: 2.5, name: null, at: "2023-01-01T00:00:00+01:00", day: "2024-01-01", odd: "1", late: null },
  ];
  const { summary } = await readContent(content.map((row) => JSON.stringify(row)).join("\n"), jsonl);
  expect(summary.columns).toEqual([
    { name: "id", type: "integer", nullCount: 0, min: 1, max: 3 },
    { name: "score", type: "number", nullCount: 0, min: 1, max: 2.5 },
    { name: "name", type: "string", nullCount: 1 },
    { name: "tags", type: "array", nullCount: 1 },
    { name: "at", type: "timestamp", nullCount: 0, min: "2023-01-01T00:00:00+01:00", max: "2024-01-01T00:00:00Z" },
    { name: "day", type: "date", nullCount: 0, min: "2024-01-01", max: "2024-01-02" },
    { name: "deep", type: "object", nullCount: 1 },
    { name: "odd", type: "mixed", nullCount: 0 },
    { name: "ok", type: "boolean", nullCount: 1 },
    { name: "late", type: "string", nullCount: 2 },
  ]);
});

test("rows with ever new member names are read, and 2 000 columns are described", async () => {
  const lines = Array.from({ length: 3000 }, (_, index) => `{"user-${index}":${index}}`);
  const { rows, summary } = await readContent(lines.join("\n"), jsonl);
  expect(rows).toHaveLength(3000);
  expect(summary.columns).toHaveLength(2000);
  expect(summary.columns[1999]).toEqual({ name: "user-1999", type: "integer", nullCount: 2999, min: 1999, max: 1999 });
});

test("groups of rows are chunks: at most 500 rows, and at most about four mebibytes", async () => {
  const { groups } = await readContent(`{"a":1}\n`.repeat(1250), jsonl);
  expect(groups).toBe(3);
  const large = await readContent(`{"a":"${"x".repeat(300_000)}"}\n`.repeat(30), jsonl);
  expect(large.groups).toBe(3);
  expect(large.bytesRead.at(-1)).toBe(30 * 300_009);
});
