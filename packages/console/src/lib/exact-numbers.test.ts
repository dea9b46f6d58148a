import { expect, test } from "vitest";
import { isObject, parseExactly, roundedNumberIn } from "./exact-numbers.ts";
import { prettyJson, preview, textOf } from "./format.ts";

const TEXT = '{"id":12345678901234567890,"far":1e400,"sum":[0.1234567890123456789,9007199254740993],"n":7,"half":0.5}';

test("numbers that JavaScript would round are shown, copied and sent with every digit", () => {
  const row = parseExactly(TEXT) as Record<string, unknown>; // it is an object
  expect(JSON.stringify(row)).toBe(TEXT);
  expect([textOf(row["id"]), prettyJson(row["far"]), preview(row["sum"])]).toEqual([
    "12345678901234567890",
    "1e400",
    "[0.1234567890123456789,9007199254740993]",
  ]);
  expect([row["n"], row["half"]]).toEqual([7, 0.5]);
});

test("such a number is no object of a row", () => {
  expect([parseExactly("12345678901234567890"), parseExactly("{}"), null, []].map(isObject)).toEqual([
    false,
    true,
    false,
    false,
  ]);
});

test.each([
  ['{"id":12345678901234567890}', "12345678901234567890"],
  ['{"a":"1234567890123456789","b":[0.1234567890123456789]}', "0.1234567890123456789"],
  ["[1,-1e400]", "-1e400"],
  ["9007199254740993", "9007199254740993"],
  ['{"text":"say \\"12345678901234567890\\" 1e400"}', undefined],
  ["[12345678901234567000,9007199254740992,1.50000000000000000,0.00000000000000000,1e21,-0,5e-7,1e-400]", "1e-400"],
  ["[12345678901234567000,9007199254740992,1.50000000000000000,0.00000000000000000,1e21,-0,5e-7]", undefined],
])("of %s, %s would be rounded", (text, number) => {
  const from = number === undefined ? undefined : text.lastIndexOf(number);
  expect(roundedNumberIn(text)).toEqual(number === undefined ? undefined : { number, from });
});
