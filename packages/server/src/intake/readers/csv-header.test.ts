/** The first line of a table: what columns are called, and which names are refused. */
import { expect, test } from "vitest";
import { readContent, rejectionOf } from "./readers-testing.ts";

const csv = { format: "csv" } as const;

test("all that is wrong with the header is reported at once", async () => {
  const refused = await rejectionOf("id,Name,id,__proto__,Name\n1,2,3,4,5\n", csv);
  expect(refused.errors.map(({ line, message }) => [line, message])).toEqual([
    [1, 'The name "id" stands twice in the header: columns 1 and 3.'],
    [1, "Column 4 may not be called __proto__."],
    [1, 'The name "Name" stands twice in the header: columns 2 and 5.'],
  ]);
  const wide = await rejectionOf(`${"a,".repeat(300)}b\n${"1,".repeat(300)}2\n`, csv);
  expect(wide.errors).toHaveLength(100);
});

test.each([
  [
    "an index in front, as pandas writes it",
    ",a\n0,x\n1,y\n",
    [
      { column_1: 0, a: "x" },
      { column_1: 1, a: "y" },
    ],
  ],
  ["a delimiter at the end of each line", "a,b, \n1,2,\n", [{ a: 1, b: 2, column_3: null }]],
] as const)("a column without a name gets that of its number: %s", async (_what, content, expected) => {
  expect((await readContent(content, csv)).rows).toEqual(expected);
});

test("a column without a name does not take that of another one, and a line without any name is no header", async () => {
  const taken = await rejectionOf("column_2,,b\n1,2,3\n", csv);
  expect(taken.errors.map(({ message }) => message)).toEqual([
    'Column 2 has no name in the header, and "column_2" is that of another column.',
  ]);
  const late = await rejectionOf(",column_1\n1,2\n", csv);
  expect(late.errors.map(({ message }) => message)).toEqual([
    'Column 1 has no name in the header, and "column_1" is that of another column.',
  ]);
  const blank = await rejectionOf(",,\na,b,c\n1,2,3\n", csv);
  expect(blank.errors.map(({ message }) => message)).toEqual(["The first line has no name of a column."]);
});

test("JSON Lines that are called CSV are refused with what to do, and are no header", async () => {
  for (const content of [
    '{"id":1}\n{"id":2}\n',
    '{"id":1,"x":"a,b"}\n{"id":2,"x":"c"}\n',
    '\uFEFF{"id":1}\r\n{"id":2}\r\n',
  ]) {
    const refused = await rejectionOf(content, { filename: "rows.csv" });
    expect(refused.errors.map(({ line, code, message }) => [line, code, message])).toEqual([
      [1, "invalid_csv", expect.stringMatching(/JSON object.+format as `jsonl`/)],
    ]);
  }
  const documents = await readContent('{"id":1}\n{"id":2}\n', { filename: "rows.tsv", csv: { header: false } });
  expect(documents.rows).toEqual([{ column_1: '{"id":1}' }, { column_1: '{"id":2}' }]);
});
