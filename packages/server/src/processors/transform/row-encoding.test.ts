/** Rows that the engine reads in its own form are what JSON says, to the last bit. */
import { describe, expect, test } from "vitest";
import { OutputReader } from "./output-reading.ts";
import { RowEncoder } from "./row-encoding.ts";
import { loadSandbox } from "./sandbox.ts";

const encoder = new RowEncoder();
/** What the code gets, as the engine prints it, and what JSON cannot show. */
const SHOW = `export default (row) => {
  const signs = (value) => typeof value === "number" ? (Object.is(value, -0) ? "-0" : typeof value)
    : value === null || typeof value !== "object" ? typeof value
    : Array.isArray(value) ? value.map(signs) : [Object.getPrototypeOf(value) === Object.prototype, Object.entries(value).map(([name, of]) => [name, signs(of)])];
  return [row, signs(row)];
};`;

/** Of two rows or more, which the engine gets in its own form. */
async function show(rows: string[]): Promise<{ text: string; signs: unknown }[]> {
  const loaded = await loadSandbox(SHOW, { rows: encoder, outputs: new OutputReader() });
  if (!("sandbox" in loaded)) throw new Error(loaded.problem);
  const result = loaded.sandbox.callRows(`[${rows.join(",")}]`, rows.length);
  if (result.outcome !== "lines") throw new Error(result.outcome);
  return result.text.split("\n").map((line) => {
    const [row, signs] = JSON.parse(line) as [unknown, unknown];
    return { text: JSON.stringify(row), signs };
  });
}

function signsOf(value: unknown): unknown {
  if (typeof value === "number") return Object.is(value, -0) ? "-0" : "number";
  if (value === null || typeof value !== "object") return typeof value;
  if (Array.isArray(value)) return value.map(signsOf);
  return [true, Object.entries(value).map(([name, of]) => [name, signsOf(of)])];
}

const asJson = (text: string): { text: string; signs: unknown } => {
  const row: unknown = JSON.parse(text);
  return { text: JSON.stringify(row), signs: signsOf(row) };
};

describe("a row is read in the engine's form as JSON has it", () => {
  const rows: [string, string][] = [
    ["no members", "{}"],
    ["literals", '{"yes":true,"no":false,"nothing":null}'],
    ["white space", ' { "a" :\t[ 1 , { "b" : [ ] } , 2 ]\r, "c" : { } } '],
    ["whole numbers", "[0,1,-1,127,128,-64,-65,8191,8192,2147483647,-2147483647,2147483648,-2147483648,4294967296]"],
    ["numbers that no double has", "[9007199254740993,123456789012345678901234567890,0.1234567890123456789]"],
    ["fractions", "[0.1,-0.1,12.375,1.0,100.50,0.000001,999999999.999999,123456789012345.6,12345678901234.5]"],
    ["zero, with and without a sign", "[0,-0,0.0,-0.0,0e0,-0e5]"],
    ["exponents", "[1e2,1E+2,1.5e-3,-2e10,1e308,5e-324,1e400,-1e400,1e-400]"],
    ["text of ASCII", '["","a","with \'marks\' and spaces"]'],
    ["escapes", String.raw`["\"\\\/\b\f\n\r\t","\u0041\u00e9\u20ac","\ud83d\ude00","\u0000"]`],
    ["half a surrogate pair", String.raw`["\ud83d","\ude00x"]`],
    ["text beyond ASCII", '["é","grüße","日本語","😀","a😀b","\u00ff\u0100"]'],
    [
      "text of each length around a byte of lengths",
      JSON.stringify([63, 64, 127, 128, 8191, 8192].map((n) => "x".repeat(n))),
    ],
    ["a name twice", '{"a":1,"b":2,"a":3}'],
    ["a name twice, once with escapes", String.raw`{"a":1,"b":2,"\u0061":3}`],
    ["names that are numbers", '{"b":1,"1":2,"0":3,"-1":4,"01":5,"4294967295":6,"2147483648":7}'],
    ["names of built-ins", '{"__proto__":{"x":1},"constructor":1,"toJSON":2,"length":3,"then":4,"":5}'],
    ["names beyond ASCII", '{"größe":1,"価格":2,"😀":3}'],
    ["levels", `${'{"a":['.repeat(30)}1${"]}".repeat(30)}`],
    ["many names", JSON.stringify(Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`name ${n}`, n])))],
  ];

  test.each(rows)("%s", async (_name, text) => {
    expect(encoder.encode(`[${text},${text}]`)).not.toBeNull();
    expect(await show([text, text])).toEqual([asJson(text), asJson(text)]);
  });

  test("rows of many kinds one after the other", async () => {
    const texts = [...rows.map(([, text]) => text), ...rows.map(([, text]) => text).toReversed()];
    expect(await show(texts)).toEqual(texts.map(asJson));
  });

  test("rows that were made by chance", async () => {
    const texts = makeRows(2_000);
    expect(encoder.encode(`[${texts.join(",")}]`)).not.toBeNull();
    expect(await show(texts)).toEqual(texts.map(asJson));
  });
});

describe("what is not encoded is left to the engine's parser", () => {
  test.each([
    ["no JSON", "[{]"],
    ["a text without an end", '[{"a":"b'],
    ["a text that ends with a backslash", '[{"a":"\\'],
    ["an array without an end", "[1,2"],
    ["more than one value", "[1] [2]"],
    ["a comma at the end", "[1,]"],
    ["a name without quotation marks", "[{a:1}]"],
    ["a word", "[nil]"],
    ["a numeral of signs", "[1-e+]"],
    ["nothing", ""],
    ["more levels than a row has", `${"[".repeat(100)}${"]".repeat(100)}`],
    ["a text of more than a million bytes", JSON.stringify(["x".repeat(1_000_000)])],
  ])("%s", (_name, text) => {
    expect(encoder.encode(text)).toBeNull();
  });
});

/** The same in each run. */
function makeRows(count: number): string[] {
  let state = 1;
  const random = (below: number): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
  const letters = ["a", "Z", "0", " ", "é", "ÿ", "Ā", "日", "😀", '"', "\\", "\n", "\u2028", "\u007f"];
  const text = (): string => Array.from({ length: random(12) }, () => letters[random(letters.length)]).join("");
  const number = (): number => {
    const magnitude = 10 ** (random(36) - 18);
    return (random(2) === 0 ? 1 : -1) * (random(2) === 0 ? random(2_147_483_647) : random(1_000_000) * magnitude);
  };
  const value = (depth: number): unknown => {
    const kind = random(depth > 4 ? 5 : 7);
    if (kind === 0) return [true, false, null][random(3)];
    if (kind <= 2) return number();
    if (kind <= 4) return text();
    if (kind === 5) return Array.from({ length: random(5) }, () => value(depth + 1));
    return Object.fromEntries(Array.from({ length: random(6) }, () => [text(), value(depth + 1)]));
  };
  const spaced = (row: unknown): string => JSON.stringify(row, null, [0, 0, 1, "\t"][random(4)]).replaceAll("\n", " ");
  return Array.from({ length: count }, () => spaced(value(0)));
}
