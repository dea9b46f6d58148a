import { expect, test } from "vitest";
import { proposeDelimiter } from "./csv-delimiter.ts";

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
