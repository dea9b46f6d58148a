import { expect, test } from "vitest";
import { type CsvRecord, CsvScanner, DOUBLED } from "./csv-scanner.ts";

interface Scanned {
  line: number;
  fields: string[];
  problem: string | undefined;
}

function scan(
  content: string | Buffer,
  blockBytes: number,
  maxRecordBytes = 1000,
): { records: Scanned[]; quoteLine?: number } {
  const records: Scanned[] = [];
  const scanner = new CsvScanner({
    delimiter: 44,
    maxRecordBytes,
    maxFields: 10,
    onRecord: (record) =>
      records.push({
        line: record.line,
        fields: record.problem === undefined ? fieldsOf(record) : [],
        problem: record.problem?.message,
      }),
  });
  const bytes = Buffer.from(content);
  for (let start = 0; start < bytes.length; start += blockBytes)
    scanner.scan(bytes.subarray(start, start + blockBytes));
  const quoteLine = scanner.end()?.line;
  return quoteLine === undefined ? { records } : { records, quoteLine };
}

function fieldsOf(record: CsvRecord): string[] {
  return Array.from({ length: Math.min(record.fieldCount, 10) }, (_, index) => {
    const text = record.bytes.toString("utf8", record.starts[index], record.ends[index]);
    return record.quotings[index] === DOUBLED ? text.replaceAll('""', '"') : text;
  });
}

const whole = 1 << 20;

test.each<[string, string, string[][]]>([
  [
    "an ordinary table",
    "a,b\n1,2\n",
    [
      ["a", "b"],
      ["1", "2"],
    ],
  ],
  [
    "no line end behind the last record",
    "a,b\n1,2",
    [
      ["a", "b"],
      ["1", "2"],
    ],
  ],
  [
    "an empty last field",
    "a,b\n1,",
    [
      ["a", "b"],
      ["1", ""],
    ],
  ],
  ["a quoted last field", 'a\n"x"', [["a"], ["x"]]],
  ["a quoted empty last field", 'a\n""', [["a"], [""]]],
  [
    "CRLF",
    "a,b\r\n1,2\r\n",
    [
      ["a", "b"],
      ["1", "2"],
    ],
  ],
  [
    "CR",
    "a,b\r1,2\r",
    [
      ["a", "b"],
      ["1", "2"],
    ],
  ],
  ["mixed line ends", "a\r\nb\nc\rd", [["a"], ["b"], ["c"], ["d"]]],
  [
    "blank lines",
    "\n\na,b\n\r\n\n1,2\n\n",
    [
      ["a", "b"],
      ["1", "2"],
    ],
  ],
  ["delimiters, quotes and line ends in quotes", '"a,""b""","c\r\nd"\n', [['a,"b"', "c\r\nd"]]],
  ["only quotes in quotes", '"""",""""""\n', [['"', '""']]],
  ["empty fields", ",,\n", [["", "", ""]]],
  ["a quote inside a field that does not begin with one", 'x"y,5" pipe,a""\nb"\n', [['x"y', '5" pipe', 'a""'], ['b"']]],
  ["a blank before a quote", '1, "x"\n', [["1", ' "x"']]],
  [
    "a quote inside an unquoted field hides no delimiter and no line end",
    'a"b,c"d\ne"\nf\n',
    [['a"b', 'c"d'], ['e"'], ["f"]],
  ],
  ["blanks are kept", " a , b \n", [[" a ", " b "]]],
  ["two blanks are no blank line", "  \n", [["  "]]],
  ["characters of several bytes", "ä,€,😀\n", [["ä", "€", "😀"]]],
])("%s", (_name, content, expected) => {
  expect(scan(content, whole).records.map(({ fields }) => fields)).toEqual(expected);
});

test("lines are counted inside quoted fields, whatever ends them", () => {
  const { records } = scan('a\n"1\n2\r\n3\r4"\nb\r\nc\rd\n\n"\n"\ne\n', whole);
  expect(records.map(({ line }) => line)).toEqual([1, 2, 6, 7, 8, 10, 12]);
});

test.each([
  ["text behind a closing quote", 'a\n"x"y\nb\n', 2],
  ["a blank behind a closing quote", 'a,a\n"x" ,1\nb,b\n', 2],
  ["a NUL byte", "a\nx\0y\nb\n", 2],
  ["a NUL byte in quotes", 'a\n"x\0y"\nb\n', 2],
  ["a NUL byte alone", "a\n\0\nb\n", 2],
])("%s makes one bad record, and the next line is fine", (_name, content, line) => {
  const { records } = scan(content, whole);
  expect(records.map(({ problem }) => problem !== undefined)).toEqual([false, true, false]);
  expect(records[1]?.line).toBe(line);
});

test("an open quote is reported with the line in which it was opened", () => {
  expect(scan('a,b\n1,2\n3,"x\n5,6\n7,8\n', whole).quoteLine).toBe(3);
});

test("bytes that are not UTF-8 make one bad record, also when a character is cut by the end of a block", () => {
  const content = Buffer.concat([
    Buffer.from("ä\n"),
    Buffer.from([0xe4, 0x0a]),
    Buffer.from("€\n"),
    Buffer.from([0xe2, 0x82]),
  ]);
  for (const blockBytes of [1, 2, 3, whole]) {
    const { records } = scan(content, blockBytes);
    expect(records.map(({ problem }) => problem?.slice(0, 50))).toEqual([
      undefined,
      "The text is not UTF-8: byte 1 of the row is 0xE4. ",
      undefined,
      "The text is not UTF-8: byte 1 of the row is 0xE2. ",
    ]);
  }
});

test("a record too large is one bad record, and nothing of it is kept", () => {
  for (const blockBytes of [1, 7, 50, whole]) {
    const { records } = scan(`a,b\n1,"${"x\n".repeat(100)}"\n3,4\n`, blockBytes, 100);
    expect(records.map(({ line }) => line)).toEqual([1, 2, 103]);
    expect(records[1]?.problem).toMatch(/larger than 100 bytes/);
    expect(records[2]?.fields).toEqual(["3", "4"]);
  }
});

test("the size of the blocks makes no difference", () => {
  let seed = 7;
  const random = (below: number) => ((seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32) * below;
  const alphabet = ["a", "b", ",", ",", '"', '"', "\n", "\r", "\r\n", "\0", "ü", "€"];
  for (let round = 0; round < 3000; round++) {
    const parts = Array.from({ length: random(40) }, () => alphabet[Math.floor(random(alphabet.length))]);
    const content = parts.join("");
    const expected = scan(content, whole, 30);
    for (const blockBytes of [1, 2, 3, 5, 11]) {
      expect({ content, ...scan(content, blockBytes, 30) }).toEqual({ content, ...expected });
    }
  }
});
