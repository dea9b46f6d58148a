import { createHash } from "node:crypto";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { DuckDBInstance } from "@duckdb/node-api";
import { expect, test } from "vitest";
import {
  placesOf,
  readContent,
  readPath,
  rejectionOf,
  roomyLimits,
  withDirectory,
  textsOf,
} from "./readers-testing.ts";
import { writeFile } from "node:fs/promises";

const csv = { format: "csv" } as const;
const vegaData = fileURLToPath(new URL("../data/", import.meta.resolve("vega-datasets")));

async function columnOf(
  cells: string[],
): Promise<{ type: string; values: unknown[]; nullCount: number; min: unknown; max: unknown }> {
  const { rows, summary } = await readContent(`n,v\n${cells.map((cell, index) => `${index},${cell}\n`).join("")}`, csv);
  const column = summary.columns[1];
  if (column === undefined) throw new Error("there are two columns");
  const values = rows.map((row) => (row as { v: unknown }).v);
  return { type: column.type, values, nullCount: column.nullCount, min: column.min, max: column.max };
}

test.each<[string, string[], string, unknown[]]>([
  ["integers", ["1", "-2", "0"], "integer", [1, -2, 0]],
  ["integers and fractions", ["1", "2.5"], "number", [1, 2.5]],
  ["floats of Python", ["0.30000000000000004", "0.1", "1e-07"], "string", ["0.30000000000000004", "0.1", "1e-07"]],
  ["floats that print back", ["0.30000000000000004", "1e-7"], "number", [0.30000000000000004, 1e-7]],
  ["prices", ["1.10", "2"], "decimal", ["1.10", "2"]],
  ["large integers", ["9007199254740993", "1"], "decimal", ["9007199254740993", "1"]],
  ["minus zero", ["-0", "1"], "decimal", ["-0", "1"]],
  ["leading zeros", ["00123", "45"], "string", ["00123", "45"]],
  ["numbers and NaN", ["1", "NaN"], "string", ["1", "NaN"]],
  ["beyond a double", ["1e400"], "string", ["1e400"]],
  ["booleans", ["true", "false"], "boolean", [true, false]],
  ["other booleans", ["True", "yes"], "string", ["True", "yes"]],
  ["dates", ["2024-01-31", "1999-12-31"], "date", ["2024-01-31", "1999-12-31"]],
  ["dates and timestamps", ["2024-01-31", "2024-01-31T00:00:00Z"], "string", ["2024-01-31", "2024-01-31T00:00:00Z"]],
  ["timestamps", ["2024-01-31 10:00:00+02:00"], "timestamp", ["2024-01-31 10:00:00+02:00"]],
  ["an odd cell among numbers", ["1", "x", "3"], "string", ["1", "x", "3"]],
  ["empty cells among numbers", ["1", "", "3"], "integer", [1, null, 3]],
  ["quoted empty cells are texts", ["1", '""'], "string", ["1", ""]],
  ["quoted numbers are numbers", ['"1"', "2"], "integer", [1, 2]],
  ["nothing at all", ["", ""], "string", [null, null]],
  ["control characters", ['"a\tb\u0001\u001f\\\n""q"""'], "string", ['a\tb\u0001\u001f\\\n"q"']],
  [
    "formulas and SQL",
    ["=1+1", "'; drop table x; --", "COPY x TO 'y'"],
    "string",
    ["=1+1", "'; drop table x; --", "COPY x TO 'y'"],
  ],
])("a column of %s", async (_name, cells, type, values) => {
  expect(await columnOf(cells)).toMatchObject({ type, values });
});

test("the smallest and largest values are found exactly, and as written", async () => {
  expect(await columnOf(["3", "-20", "", "100"])).toMatchObject({ min: -20, max: 100, nullCount: 1 });
  expect(await columnOf(["1.10", "10.0", "9.99"])).toMatchObject({ min: "1.10", max: "10.0" });
  const big = ["90071992547409930001", "90071992547409930003", "90071992547409930002"];
  expect(await columnOf(big)).toMatchObject({ min: big[0], max: big[1] });
  const long = [`5.${"1".repeat(60)}`, "7.25", `9.${"3".repeat(90)}`];
  expect(await columnOf(long)).toMatchObject({ type: "decimal", min: long[0], max: long[2] });
  expect(await columnOf(["2024-02-01", "2023-12-31"])).toMatchObject({ min: "2023-12-31", max: "2024-02-01" });
  const instants = ["2024-01-01T00:00:00Z", "2024-01-01T00:30:00+02:00", "2024-01-01T00:00:00.5Z"];
  expect(await columnOf(instants)).toMatchObject({ min: instants[1], max: instants[2] });
  expect(await columnOf(["b", "a"])).toMatchObject({ min: undefined, max: undefined });
});

test.each<[string, string | Buffer, string[]]>([
  ["nothing", "", ["empty_file@1"]],
  ["only a header", "a,b\n", ["empty_file@1"]],
  ["only blank lines", "\n\r\n\n", ["empty_file@1"]],
  ["missing and surplus fields", "a,b,c\n1,2,3\n1,2\n1,2,3,4\n", ["invalid_csv@3", "invalid_csv@4"]],
  ["a surplus empty field", "a,b\n1,2,\n", ["invalid_csv@2"]],
  ["a ragged record behind a quoted line break", 'a,b\n1,"x\ny\nz"\n1,2,3\n', ["invalid_csv@5"]],
  ["an open quote", 'a,b\n1,2\n3,"x\n5,6\n', ["invalid_csv@3"]],
  ["a bad record and an open quote", 'a,b\n1\n3,"x\n5,6\n', ["invalid_csv@2", "invalid_csv@3"]],
  ["a NUL byte", "a,b\n1,x\0y\n", ["invalid_csv@2"]],
  ["a NUL byte in the header", "a\0,b\n1,2\n", ["invalid_csv@1"]],
  ["a NUL byte and another control character", "a,b\n1,2\u001a\n\0,3\n", ["invalid_csv@3"]],
  ["a NUL byte at the end of each line", "abcdef\0\nghi,jk\0\n\u001a", ["invalid_csv@1"]],
  ["a NUL byte between tabs", "a\tb\r\n\0\t1\r\n", ["invalid_csv@2"]],
  ["Latin-1", Buffer.from("a,b\n1,2\n3,\xfc\n", "latin1"), ["encoding_error@3"]],
  ["UTF-16 cut in a character", Buffer.from("\uFEFFa,b\n1,2\n", "utf16le").subarray(0, -1), ["encoding_error@1"]],
  ["a name twice", "a,b,a\n1,2,3\n", ["invalid_csv@1"]],
  ["a first line without any name", ",,\na,b,c\n", ["invalid_csv@1"]],
  ["a column called __proto__", "a,__proto__\n1,2\n", ["invalid_csv@1"]],
  ["a name of 2 000 bytes", `a,${"x".repeat(2000)}\n1,2\n`, ["invalid_csv@1"]],
  ["2 001 columns", `${Array.from({ length: 2001 }, (_, index) => `c${index}`).join(",")}\n`, ["too_many_columns@1"]],
])("%s is refused", async (_name, content, places) => {
  const refused = await rejectionOf(content, csv);
  expect(placesOf(refused.errors)).toEqual(places);
});

test("bytes that are not UTF-8 are named, with the encoding that the file may have", async () => {
  const refused = await rejectionOf(Buffer.from("n,city\n1,Ulm\n2,Köln\n", "latin1"), csv);
  expect(refused.errors).toEqual([
    {
      line: 3,
      code: "encoding_error",
      message: expect.stringContaining("byte 4 of the row is 0xF6") as string,
      text: "2,K\uFFFDln",
    },
  ]);
  expect(refused.errors[0]?.message).toContain('{"encoding": "windows-1252"}');
});

test.each([
  ["windows-1252", Buffer.from([0x61, 0x0a, 0x4b, 0xf6, 0x6c, 0x6e, 0x20, 0x80, 0x0a]), "Köln €"],
  ["iso-8859-1", Buffer.from("a\nKöln ß\n", "latin1"), "Köln ß"],
  ["utf-8", Buffer.from("a\nKöln €\n"), "Köln €"],
  ["utf-16", Buffer.from("a\nKöln 😀\n", "utf16le"), "Köln 😀"],
  [undefined, Buffer.from("\uFEFFa\nKöln 😀\n", "utf16le"), "Köln 😀"],
  [undefined, Buffer.from("\uFEFFa\nKöln 😀\n", "utf16le").swap16(), "Köln 😀"],
  [undefined, Buffer.from("a\nKöln 😀\n", "utf16le"), "Köln 😀"],
  [undefined, Buffer.from("a\nKöln 😀\n", "utf16le").swap16(), "Köln 😀"],
  ["utf-16", Buffer.from("a\nKöln 😀\n", "utf16le").swap16(), "Köln 😀"],
  [undefined, Buffer.from("a\n東京都新宿区西新宿二丁目 😀\n", "utf16le"), "東京都新宿区西新宿二丁目 😀"],
] as const)("a table in the encoding %s is read", async (encoding, content, city) => {
  const { rows } = await readContent(content, { ...csv, ...(encoding === undefined ? {} : { csv: { encoding } }) });
  expect(rows).toEqual([{ a: city }]);
  const found = await readContent(Buffer.concat([content]), encoding === undefined ? {} : { csv: { encoding } });
  expect(found.summary.format).toBe("csv");
});

test("characters that are cut by the end of a block are whole in the rows", async () => {
  const line = "ä😀".repeat(50);
  const content = Buffer.from(`\uFEFFa\n${`${line}\n`.repeat(3_000)}`, "utf16le");
  const { rows } = await readContent(Buffer.concat([content]), csv);
  expect(rows).toHaveLength(3_000);
  expect(new Set(rows.map((row) => (row as { a: string }).a))).toEqual(new Set([line]));
});

test("a quote inside a field that does not begin with one is text", async () => {
  const { rows } = await readContent('size,name\n5" pipe,Jim "the saw" Lee\n6", "x"\n', csv);
  expect(rows).toEqual([
    { size: '5" pipe', name: 'Jim "the saw" Lee' },
    { size: '6"', name: ' "x"' },
  ]);
});

test("a column named twice is reported by name", async () => {
  const refused = await rejectionOf("id,Name,id\n1,2,3\n", csv);
  expect(refused.errors[0]?.message).toBe('The name "id" stands twice in the header: columns 1 and 3.');
});

test("2 000 columns are read", async () => {
  const names = Array.from({ length: 2000 }, (_, index) => `c${index}`);
  const { rows } = await readContent(`${names.join(",")}\n${names.map((_, index) => index).join(",")}\n`, csv);
  expect(rows).toEqual([Object.fromEntries(names.map((name, index) => [name, index]))]);
});

test("without a header the columns are numbered", async () => {
  const { rows } = await readContent("a,1\nb,2\n", { ...csv, csv: { header: false } });
  expect(rows).toEqual([
    { column_1: "a", column_2: 1 },
    { column_1: "b", column_2: 2 },
  ]);
});

test("a byte order mark is no part of the first name", async () => {
  expect((await readContent("\uFEFFa,b\n1,2\n", csv)).rows).toEqual([{ a: 1, b: 2 }]);
});

test("the delimiter is found, or taken as given", async () => {
  expect((await readContent("a;b\n1,5;2\n", csv)).rows).toEqual([{ a: "1,5", b: 2 }]);
  expect((await readContent("a;b\n1,5;2\n", { ...csv, csv: { delimiter: ";" } })).rows).toEqual([{ a: "1,5", b: 2 }]);
  expect((await readContent("a,b\tc\n1,2\t3\n", { format: "tsv" })).rows).toEqual([{ "a,b": "1,2", c: 3 }]);
  const refused = await rejectionOf("a;b\n1,5;2\n", { ...csv, csv: { delimiter: "," } });
  expect(placesOf(refused.errors)).toEqual(["invalid_csv@2"]);
});

test("names and values with anything in them become valid JSON", async () => {
  const name = `"q" \\ \n\t{}\u2028`;
  const { rows } = await readContent(`"${name.replaceAll('"', '""')}",b\n"}],""\u2028",😀\n`, csv);
  expect(rows).toEqual([{ [name]: '}],"\u2028', b: "😀" }]);
});

test("rejecting stops at the first 100 errors, skipping counts all and keeps the rest", async () => {
  const content = `a,b\n${"1,2\n1\n".repeat(500)}`;
  const refused = await rejectionOf(content, csv);
  expect(refused).toMatchObject({ code: "invalid_csv" });
  expect(refused.errors).toHaveLength(100);
  const { rows, summary } = await readContent(content, { ...csv, onInvalidRow: "skip" });
  expect(rows).toHaveLength(500);
  expect(summary).toMatchObject({ rowsAccepted: 500, rowsRejected: 500 });
  expect(placesOf(summary.errors).slice(0, 2)).toEqual(["invalid_csv@3", "invalid_csv@5"]);
  expect(summary.errors).toHaveLength(100);
});

test("an error has the record as it stands in the file, and says whether the others may be read without it", async () => {
  const rows = `a,b\r\n1,2\r\n3,"x\r\ny",z\r\n4,\0\r\n${"5,".repeat(400)}\r\n`;
  const refused = await rejectionOf(rows, csv);
  expect(textsOf(refused.errors)).toEqual(['3,"x\r\ny",z', "4,\uFFFD", "5,".repeat(150)]);
  expect(refused.isSkippable).toBe(true);
  const open = await rejectionOf('a,b\n1\n3,"x\n5,6\n', csv);
  expect(textsOf(open.errors)).toEqual(["1", '3,"x']);
  const header = await rejectionOf("a,b,a,b\n1,2,3,4\n", csv);
  expect(textsOf(header.errors)).toEqual(["a,b,a,b", "a,b,a,b"]);
  const bad = await rejectionOf("a,b\n1\n2\n", csv);
  expect([open, header, bad].map(({ isSkippable }) => isSkippable)).toEqual([false, false, false]);
});

test("a record of more than a block that is too large has its beginning", async () => {
  const limits = { ...roomyLimits, maxRowBytes: 1000 };
  const content = `a,b\n1,2\n3,${"\u20ac".repeat(1_000_000)}\n4,5\n`;
  const { summary } = await readContent(content, { ...csv, limits, onInvalidRow: "skip" });
  expect(textsOf(summary.errors)).toEqual([`3,${"\u20ac".repeat(298)}`]);
  expect(summary.rowsAccepted).toBe(2);
});

test("skipping leaves out bad records of every sort, also for the types of the columns", async () => {
  const content = Buffer.from('a,b\n1,2\nx\n3,\xfc\n4,"u"v\n5,\0\n6,7\n', "latin1");
  const { rows, summary } = await readContent(content, { ...csv, onInvalidRow: "skip" });
  expect(rows).toEqual([
    { a: 1, b: 2 },
    { a: 6, b: 7 },
  ]);
  expect(placesOf(summary.errors)).toEqual(["invalid_csv@3", "encoding_error@4", "invalid_csv@5", "invalid_csv@6"]);
});

test("an open quote is the end also when skipping, and so is a file of bad records only", async () => {
  const open = await rejectionOf('a,b\n1,2\n3,"x\n', { ...csv, onInvalidRow: "skip" });
  expect(placesOf(open.errors)).toEqual(["invalid_csv@3"]);
  const bad = await rejectionOf("a,b\n1\n2\n", { ...csv, onInvalidRow: "skip" });
  expect(placesOf(bad.errors)).toEqual(["invalid_csv@2", "invalid_csv@3"]);
});

test("a record is too large in the file or as JSON, whichever is larger", async () => {
  const limits = { ...roomyLimits, maxRowBytes: 1000 };
  const content = `a,b\n1,${"x".repeat(900)}\n2,${"x".repeat(1100)}\n3,"${"\u0001".repeat(200)}"\n4,ok\n`;
  const { rows, summary } = await readContent(content, { ...csv, limits, onInvalidRow: "skip" });
  expect(rows).toHaveLength(2);
  expect(placesOf(summary.errors)).toEqual(["row_too_large@3", "row_too_large@4"]);
});

test("more rows or bytes than a dataset may have are refused", async () => {
  const content = `a,a_name_that_makes_the_rows_long\n${"1,2\n".repeat(100)}`;
  const rows = await rejectionOf(content, { ...csv, limits: { maxBytes: 100_000, maxRows: 99 } });
  expect(rows.code).toBe("decompression_limit");
  const bytes = await rejectionOf(content, { ...csv, limits: { maxBytes: 1000, maxRows: 100 } });
  expect(bytes.code).toBe("decompression_limit");
});

test("a file is what its beginning suggests, and is read again where a later cell says otherwise", async () => {
  const many = (count: number, line: (n: number) => string) =>
    Array.from({ length: count }, (_, n) => line(n)).join("");
  // Far behind the beginning of 256 KiB that the types are expected from, and behind the first chunks.
  const content = `n,v,e\n${many(60_000, (n) => `${n},${n / 2},\n`)}`;
  const even = await readContent(content, csv);
  expect(even.voids).toBe(0);
  expect(even.summary.columns.map(({ type }) => type)).toEqual(["integer", "number", "string"]);
  for (const [late, types, last] of [
    ["00501,1,", ["string", "number", "string"], { n: "00501", v: 1, e: null }],
    ["7,x,", ["integer", "string", "string"], { n: 7, v: "x", e: null }],
    ["7,8,9", ["integer", "number", "integer"], { n: 7, v: 8, e: 9 }],
  ] as const) {
    const { lines, rows, summary, voids, bytesRead } = await readContent(`${content}${late}\n`, csv);
    // None where the first chunks are still being compressed when the cell is met: then they are not sent.
    expect(voids).toBeLessThanOrEqual(1);
    expect(summary.columns.map(({ type }) => type)).toEqual(types);
    expect(rows).toHaveLength(60_001);
    expect(rows.at(-1)).toEqual(last);
    expect(summary).toMatchObject({
      rowsAccepted: 60_001,
      sizeBytes: Buffer.byteLength(lines.join("\n")) + 1,
      sha256: createHash("sha256")
        .update(`${lines.join("\n")}\n`)
        .digest("hex"),
    });
    expect(bytesRead).toEqual(bytesRead.toSorted((a, b) => a - b));
  }
});

test("a cell that is not what was expected in a row that is left out voids nothing", async () => {
  const content = `n,v\n${"1,2\n".repeat(100_000)}x,y,z\n`;
  const { voids, summary } = await readContent(content, { ...csv, onInvalidRow: "skip" });
  expect(voids).toBe(0);
  expect(summary).toMatchObject({ rowsAccepted: 100_000, rowsRejected: 1 });
});

test("zip codes keep their zeros, and every row arrives in order", async () => {
  const { rows, summary, bytesRead } = await readPath(join(vegaData, "zipcodes.csv"), { filename: "zipcodes.csv" });
  expect(summary).toMatchObject({ format: "csv", rowsAccepted: 42_049 });
  expect(summary.columns.map(({ type }) => type)).toEqual(["string", "number", "number", "string", "string", "string"]);
  expect(rows[0]).toEqual({
    zip_code: "00501",
    latitude: 40.922326,
    longitude: -72.637078,
    city: "Holtsville",
    state: "NY",
    county: "Suffolk",
  });
  expect(bytesRead).toEqual([...bytesRead].sort((a, b) => a - b));
});

test("bird strikes have dates, counts and empty cells", async () => {
  const { rows, summary } = await readPath(join(vegaData, "birdstrikes.csv"), { filename: "birdstrikes.csv" });
  expect(rows).toHaveLength(10_000);
  expect(summary.columns.find(({ name }) => name === "Flight Date")).toEqual({
    name: "Flight Date",
    type: "date",
    nullCount: 0,
    min: "1990-01-08",
    max: "2002-07-25",
  });
  expect(summary.columns.at(-1)).toEqual({
    name: "Speed IAS in knots",
    type: "integer",
    nullCount: 2836,
    min: 0,
    max: 350,
  });
});

test("DuckDB finds the same cells in well-formed files", async () => {
  let seed = 99;
  const random = (below: number) =>
    Math.floor(((seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32) * below);
  const pieces = ["a", "ß", "😀", ",", '"', "\n", "\r\n", " ", "\\", "\t", "1", "'", "x".repeat(50)];
  const makeCell = () => Array.from({ length: random(8) }, () => pieces[random(pieces.length)]).join("");
  // A letter in front keeps every cell a text; each record has its number, so none is blank.
  const cells = Array.from({ length: 3000 }, (_, index) => [String(index), `t${makeCell()}`, `u${makeCell()}`]);
  const quote = (cell: string) => (/[",\r\n]/.test(cell) || random(4) === 0 ? `"${cell.replaceAll('"', '""')}"` : cell);
  const content = `n,t,u\n${cells.map((record) => record.map(quote).join(",")).join("\n")}\n`;
  const { rows } = await readContent(content, csv);
  const oracle = await withDirectory(async (directory) => {
    const path = join(directory, "table.csv");
    await writeFile(path, content);
    const connection = await (await DuckDBInstance.create()).connect();
    const options = `all_varchar = true, delim = ',', header = true, quote = '"', escape = '"', allow_quoted_nulls = false`;
    const result = await connection.runAndReadAll(`select n::integer as n, t, u from read_csv($1, ${options})`, [path]);
    connection.closeSync();
    return result.getRowObjectsJson();
  });
  expect(rows).toEqual(oracle);
  expect(rows).toEqual(cells.map(([n, t, u]) => ({ n: Number(n), t, u })));
});
