import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { expect, test } from "vitest";
import { placesOf, readContent, readPath, rejectionOf, roomyLimits, textsOf } from "./readers-testing.ts";

const json = { format: "json" } as const;
const vegaData = fileURLToPath(new URL("../data/", import.meta.resolve("vega-datasets")));

test("elements keep their text, but for white space around line breaks", async () => {
  const content = `\uFEFF [ {"a": 12345678901234567890123, "b":"x , ] }"} ,{"c":"\\"]\\\\"},\n{\r\n  "d": [ 1,\n 2 ],\n  "e\\n ": " x  y "\n}\n]\n`;
  expect((await readContent(content, json)).lines).toEqual([
    `{"a": 12345678901234567890123, "b":"x , ] }"}`,
    `{"c":"\\"]\\\\"}`,
    `{"d":[1,2],"e\\n ":" x  y "}`,
  ]);
});

test.each<[string, string | Buffer, string[]]>([
  ["nothing", "", ["empty_file@1"]],
  ["white space", " \n ", ["empty_file@1"]],
  ["an empty array", "\n[ ]\n", ["empty_file@1"]],
  ["one object", `\n{"data":[{"a":1}]}`, ["invalid_json_line@2"]],
  ["a string", `"x"`, ["invalid_json_line@1"]],
  [
    "elements that are no objects",
    `[1,\n"x",[{"a":1}],\nnull]`,
    ["invalid_json_line@1", "invalid_json_line@2", "invalid_json_line@2", "invalid_json_line@3"],
  ],
  ["a trailing comma", `[{"a":1},\n]`, ["invalid_json_line@2"]],
  ["a missing element", `[{"a":1},,{"a":2}]`, ["invalid_json_line@1"]],
  ["a missing comma", `[{"a":1}\n{"a":2}]`, ["invalid_json_line@1"]],
  ["a broken element", `[{"a":1},\n{"a":},\n{"a":2}]`, ["invalid_json_line@2"]],
  ["an array that does not end", `[{"a":1},\n{"a":2}\n`, ["invalid_json_line@3"]],
  ["an element that does not end", `[{"a":1},\n{"a":2]`, ["invalid_json_line@2"]],
  ["a string that does not end", `[{"a":"1},\n{"a":2}]`, ["invalid_json_line@2"]],
  ["something behind the array", `[{"a":1}]\n[{"a":2}]`, ["invalid_json_line@2"]],
  ["Latin-1", Buffer.from(`[{"a":1},\n{"a":"\xfc"}]`, "latin1"), ["encoding_error@2"]],
  ["U+0000", String.raw`[{"a":"\u0000"}]`, ["invalid_json_line@1"]],
  ["depth 65", `[{"a":${"[".repeat(64)}${"]".repeat(64)}}]`, ["invalid_json_line@1"]],
])("%s is refused", async (_name, content, places) => {
  expect(placesOf((await rejectionOf(content, json)).errors)).toEqual(places);
});

test("a single object gets what to send instead", async () => {
  const refused = await rejectionOf(`{"rows":[]}`, json);
  expect(refused.errors[0]?.message).toMatch(/begins with an object.*array of objects.*JSON Lines/);
});

test("skipping leaves out bad elements and reads on", async () => {
  const content = `[{"a":1},\n2,\n{"a":"${"x".repeat(300)}"},\n{"a":4}]`;
  const limits = { ...roomyLimits, maxRowBytes: 100 };
  const { rows, summary } = await readContent(content, { ...json, limits, onInvalidRow: "skip" });
  expect(rows).toEqual([{ a: 1 }, { a: 4 }]);
  expect(placesOf(summary.errors)).toEqual(["invalid_json_line@2", "row_too_large@3"]);
  expect(textsOf(summary.errors)).toEqual(["2", `{"a":"${"x".repeat(294)}`]);
});

test("elements that span the blocks of reading are put together", async () => {
  const rows = Array.from({ length: 40 }, (_, index) => ({ index, text: `\\"${"€".repeat(index * 3001)}` }));
  expect((await readContent(JSON.stringify(rows), json)).rows).toEqual(rows);
  expect((await readContent(JSON.stringify(rows, null, 2), json)).rows).toEqual(rows);
});

test("a published file is read", async () => {
  const { rows, summary } = await readPath(join(vegaData, "movies.json"), { filename: "movies.json" });
  expect(rows).toHaveLength(3201);
  expect(summary.format).toBe("json");
  expect(summary.columns.find(({ name }) => name === "IMDB Rating")).toEqual({
    name: "IMDB Rating",
    type: "number",
    nullCount: 213,
    min: 1.4,
    max: 9.2,
  });
});
