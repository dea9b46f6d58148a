import { expect, test } from "vitest";
import { proposeDelimiter } from "./csv-delimiter.ts";
import { placesOf, readContent, rejectionOf } from "./readers-testing.ts";

const csv = { format: "csv" } as const;

test.each([
  ["commas", "a,b,c\n1,2,3\n", ","],
  ["semicolons with decimal commas", "a;b\n1,5;2,5\n3,5;4,5\n", ";"],
  ["semicolons with a comma in the header", "name;amount, EUR\nfoo;3\nbar;4\n", ";"],
  ["tabs", "a\tb\n1\t2\n", "\t"],
  ["bars", "a|b\n1|2\n", "|"],
  ["commas in quotes", '"a,x";b\n"1,2";3\n', ";"],
  ["one column", "text\nhello; you\nand | you\n", ","],
  ["one column with commas below", "text\na,b\n", ","],
  ["ragged commas", "a,b,c\n1,2\n1,2,3,4\n", ","],
  ["an open quote", 'a;b\n1;"2\n', ";"],
  ["a single line", "a;b;c", ";"],
  ["nothing", "", ","],
])("%s", (_name, content, delimiter) => {
  expect(proposeDelimiter(Buffer.from(content))).toBe(delimiter);
});

test.each([
  ["sep=;\r\na;b\r\n1,5;2\r\n", {}],
  ['\uFEFF"sep=;"\na;b\n1,5;2\n', {}],
  ["SEP=;;\na;b\n1,5;2\n", {}],
  ["sep=^\na^b\n1,5^2\n", {}],
  ["sep=;\na|b\n1,5|2\n", { csv: { delimiter: "|" } }],
  [Buffer.from("\uFEFFsep=\t\na\tb\n1,5\t2\n", "utf16le"), {}],
])("a first line %j that declares the delimiter is no row", async (content, options) => {
  expect((await readContent(content, { ...csv, ...options })).rows).toEqual([{ a: "1,5", b: 2 }]);
});

test.each([
  ["sep=;\nname\nDoe, John\n", { name: "Doe, John" }],
  ["sep=;\nLast, First\nDoe, John\n", { "Last, First": "Doe, John" }],
  ["sep=,\na;b\n1;2\n", { "a;b": "1;2" }],
])("a first line %j declares the delimiter where another one would split the rows, too", async (content, row) => {
  expect((await readContent(content, csv)).rows).toEqual([row]);
});

test("a first line that declares the delimiter comes before what the name of the file says, and counts as a line", async () => {
  const ragged = await rejectionOf("sep=;\na;b\n1\n", { format: "tsv" });
  expect(placesOf(ragged.errors)).toEqual(["invalid_csv@3"]);
  expect((await readContent("sep=a,b\n1,2\n", csv)).rows).toEqual([{ "sep=a": 1, b: 2 }]);
});
