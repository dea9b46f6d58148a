import { describe, expect, test } from "vitest";
import { rowsSource } from "./content.ts";

describe("rows are sent", () => {
  test.each<[string, object, string]>([
    ["a small bigint as a number", { id: 42n, least: -9_007_199_254_740_991n }, '{"id":42,"least":-9007199254740991}'],
    [
      "a large bigint as an exact text, also within",
      { id: 9_007_199_254_740_993n, all: [{ id: -(2n ** 63n) }] },
      '{"id":"9007199254740993","all":[{"id":"-9223372036854775808"}]}',
    ],
    ["NaN as null, and without what is undefined", { a: Number.NaN, b: undefined, c: null }, '{"a":null,"c":null}'],
    [
      "what has a JSON form of its own by that",
      { at: new Date(0), in: new URL("https://a.example/") },
      '{"at":"1970-01-01T00:00:00.000Z","in":"https://a.example/"}',
    ],
  ])("%s", async (_, row, line) => {
    expect(await textOf([row])).toBe(`${line}\n`);
  });

  test.each<[unknown, string]>([
    [Infinity, "infinity has no JSON form: replace it"],
    [-Infinity, "infinity has no JSON form: replace it"],
    [new Map([["a", 1]]), "a value of type Map has no JSON form: convert it first"],
    [new Set([1]), "a value of type Set has no JSON form: convert it first"],
    [new ArrayBuffer(1), "a value of type ArrayBuffer has no JSON form: convert it first"],
    [Promise.resolve(1), "a value of type Promise has no JSON form: convert it first"],
  ])("not with %s, which would be lost", async (value, message) => {
    const expected = new TypeError(`row 1, column "scores": ${message}`);
    await expect(textOf([{ id: 1 }, { id: 2, scores: value }])).rejects.toThrow(expected);
    await expect(textOf([{ id: 1 }, { id: 2, scores: { first: [value] } }])).rejects.toThrow(expected);
  });

  test("not as a value without members", async () => {
    await expect(textOf([new Map([["id", 1]])])).rejects.toThrow(
      new TypeError("row 0: a value of type Map has no JSON form: convert it first"),
    );
  });
});

async function textOf(rows: object[]): Promise<string> {
  let text = "";
  for await (const chunk of rowsSource(rows).open()) text += new TextDecoder().decode(chunk);
  return text;
}
