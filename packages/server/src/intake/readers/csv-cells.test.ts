import { expect, test } from "vitest";
import { BOOLEAN, type CellFindings, classifyCell, DATE, DECIMAL, INTEGER, NUMBER, TIMESTAMP } from "./csv-cells.ts";

const ANY_INTEGER = INTEGER | NUMBER | DECIMAL;
const ANY_NUMBER = NUMBER | DECIMAL;

function classify(text: string): CellFindings {
  const findings: CellFindings = { kinds: 0, value: 0, isRounded: false, instant: undefined };
  // Within other bytes, as in a file.
  const bytes = Buffer.from(`1${text}1`);
  classifyCell(bytes, 1, bytes.length - 1, findings);
  return findings;
}

test.each([
  ["0", ANY_INTEGER],
  ["-1", ANY_INTEGER],
  ["9007199254740991", ANY_INTEGER],
  ["-9007199254740991", ANY_INTEGER],
  ["9007199254740992", DECIMAL],
  ["9007199254740993", DECIMAL],
  ["10000000000000000000", DECIMAL],
  ["12345678901234567890123", DECIMAL],
  ["-0", DECIMAL],
  ["0.5", ANY_NUMBER],
  ["-0.5", ANY_NUMBER],
  ["0.1", ANY_NUMBER],
  ["0.30000000000000004", ANY_NUMBER],
  ["0.6731233599936233", ANY_NUMBER],
  ["123456.789", ANY_NUMBER],
  ["0.000001", ANY_NUMBER],
  ["0.00000123456789012345", ANY_NUMBER],
  ["0.0000001", DECIMAL],
  ["1.10", DECIMAL],
  ["1.0", DECIMAL],
  ["0.0", DECIMAL],
  ["-0.0", DECIMAL],
  ["0.1000000000000000055511151231257827", DECIMAL],
  ["123456789012345678.5", DECIMAL],
  ["1e+21", NUMBER],
  ["1.5e-7", NUMBER],
  ["5e-324", NUMBER],
  ["1e5", 0],
  ["1e21", 0],
  ["1E+21", 0],
  ["1e400", 0],
  ["-1e400", 0],
  ["007", 0],
  ["00.5", 0],
  ["-01", 0],
  ["+1", 0],
  [".5", 0],
  ["5.", 0],
  ["-", 0],
  ["1-2", 0],
  ["--1", 0],
  ["1,5", 0],
  ["1_000", 0],
  ["0x10", 0],
  [" 1", 0],
  ["1 ", 0],
  ["NaN", 0],
  ["Infinity", 0],
  ["٣", 0],
  ["9".repeat(400), DECIMAL],
  ["9".repeat(401), 0],
  ["true", BOOLEAN],
  ["false", BOOLEAN],
  ["True", 0],
  ["truth", 0],
  ["t", 0],
  ["2024-02-29", DATE],
  ["2023-02-29", 0],
  ["2024-01-01T00:00:00Z", TIMESTAMP],
  ["2024-01-01 00:00:00", 0],
])("%s", (text, kinds) => {
  expect(classify(text).kinds).toBe(kinds);
});

test("whatever text is called a number is printed back by JavaScript, and every printed number is called one", () => {
  let seed = 42;
  const random = () => (seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
  const bits = new DataView(new ArrayBuffer(8));
  const wrong: unknown[] = [];
  let numberCount = 0;
  for (let round = 0; round < 200_000; round++) {
    const digits = String(Math.floor(random() * 10 ** Math.floor(random() * 21)));
    const point = Math.floor(random() * (digits.length + 1));
    const text = `${random() < 0.5 ? "-" : ""}${digits.slice(0, point)}.${digits.slice(point)}`;
    const found = classify(text);
    const isNumber = (found.kinds & NUMBER) !== 0;
    numberCount += Number(isNumber);
    if (isNumber !== (String(Number(text)) === text)) wrong.push(text);
    if (found.kinds !== 0 && found.value !== Number(text)) wrong.push([text, found.value]);

    bits.setUint32(0, random() * 2 ** 32);
    bits.setUint32(4, random() * 2 ** 32);
    for (const number of [bits.getFloat64(0), random(), Math.round(random() * 1e6) / 1e3, random() * 1e-5]) {
      const isPlainBeyond = !Number.isSafeInteger(number) && Number.isInteger(number) && Math.abs(number) < 1e21;
      const isExpected = Number.isFinite(number) && !isPlainBeyond;
      if (isExpected !== ((classify(String(number)).kinds & NUMBER) !== 0)) wrong.push(number);
    }
  }
  expect(wrong).toEqual([]);
  expect(numberCount).toBeGreaterThan(10_000);
});
