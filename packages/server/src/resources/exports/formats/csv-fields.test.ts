import { describe, expect, test } from "vitest";
import { ByteWriter } from "../../../platform/byte-writer.ts";
import { createCellWriter } from "./csv-fields.ts";

function cellOf(json: string, formulaGuard = true, delimiter = ","): string {
  const writer = new ByteWriter();
  const bytes = Buffer.from(`[${json}]`);
  createCellWriter(writer, { formulaGuard, delimiter }).value(bytes, 1, bytes.length - 1);
  return writer.take().toString();
}

describe("a JSON value as a cell", () => {
  test.for([
    ["null", ""],
    ['""', '""'],
    ['"a"', '"a"'],
    ['"1"', '"1"'],
    ["1", "1"],
    ["-1.50", "-1.50"],
    ["12345678901234567890", "12345678901234567890"],
    ["true", "true"],
    ["false", "false"],
    ['"null"', '"null"'],
    ['"say \\"hi\\""', '"say ""hi"""'],
    ['"a,b"', '"a,b"'],
    ['"two\\nlines\\r\\n"', '"two\nlines\r\n"'],
    ['"\\u00fc \\ud83d\\ude00"', '"ü 😀"'],
    ['" space "', '" space "'],
    ['"back\\\\slash"', '"back\\slash"'],
    ['[1,"a"]', '"[1,""a""]"'],
    ['{"a":{"b":"=1"}}', '"{""a"":{""b"":""=1""}}"'],
    ["[]", '"[]"'],
  ])("%s → %s", ([json, cell]) => {
    expect(cellOf(json ?? "")).toBe(cell);
  });
});

describe("numbers, true and false", () => {
  test.for([".", "-", "+", "0", "9", "e", "E", "t", "s"])("are quoted where %j is between the cells", (delimiter) => {
    for (const json of ["-1.5e+90", "2E-9", "true", "false"]) expect(cellOf(json, true, delimiter)).toBe(`"${json}"`);
    expect(cellOf("null", true, delimiter)).toBe("");
    expect(cellOf('"a"', true, delimiter)).toBe('"a"');
  });

  test.for([";", "\t", " ", "|", "_", "'", "~", "!"])("are not where %j is", (delimiter) => {
    for (const json of ["-1.5e+90", "2E-9", "true", "false"]) expect(cellOf(json, true, delimiter)).toBe(json);
  });
});

describe("the formula guard", () => {
  test.for([
    "=1+1",
    "+49 30 123",
    "-abc",
    "@SUM(A1)",
    "\t=1",
    "\n=1",
    "\r=1",
    "＝1",
    "＋1",
    "－1",
    "＠A1",
    "=",
    "-",
    "--1",
    "-1-1",
    "-1e",
    "+5",
  ])("puts an apostrophe before %j", (text) => {
    expect(cellOf(JSON.stringify(text))).toBe(`"'${text}"`);
    const writer = new ByteWriter();
    createCellWriter(writer, { formulaGuard: true, delimiter: "," }).text(text);
    expect(writer.take().toString()).toBe(`"'${text}"`);
  });

  test.for(["-1", "-1.5", "-1e5", "-2.5E-10", "1=1", "a@b.c", " =1", "'=1", ""])("leaves %j as it is", (text) => {
    expect(cellOf(JSON.stringify(text))).toBe(`"${text}"`);
  });

  test("sees a formula behind an escape", () => {
    expect(cellOf(String.raw`"\u003dcmd"`)).toBe(`"'=cmd"`);
    expect(cellOf(String.raw`"\t=1"`)).toBe(`"'\t=1"`);
  });

  test("keeps quotes doubled behind its apostrophe", () => {
    expect(cellOf(String.raw`"=HYPERLINK(\"http://x\")"`)).toBe(`"'=HYPERLINK(""http://x"")"`);
  });

  test("never touches numbers, and nothing when it is off", () => {
    expect(cellOf("-5")).toBe("-5");
    expect(cellOf('"=1+1"', false)).toBe('"=1+1"');
    expect(cellOf('"+49 171 1"', false)).toBe('"+49 171 1"');
  });

  test("counts the cells that it changed", () => {
    const cells = createCellWriter(new ByteWriter(), { formulaGuard: true, delimiter: "," });
    for (const json of ['"=1"', '"a"', "-5", '"-5"', String.raw`"\u003d1"`])
      cells.value(Buffer.from(json), 0, Buffer.byteLength(json));
    cells.text("@x");
    expect(cells.takeGuardedCount()).toBe(3);
    expect(cells.takeGuardedCount()).toBe(0);
  });
});
