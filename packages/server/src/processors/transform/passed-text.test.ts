/** Texts between threads are the same on the other side, whether they fit into the shared memory or not. */
import { Buffer } from "node:buffer";
import { describe, expect, test } from "vitest";
import { OutputsToPass, PASSED_BYTES, passText, takeBytes, takeText } from "./passed-text.ts";
import { rowsOf, startProcessors } from "./transform-testing.ts";

const { run } = startProcessors();
const place = Buffer.from(new SharedArrayBuffer(60));
const texts = ["", "a", "größe", "日本語", "😀", "x".repeat(20), "x".repeat(21), "日".repeat(20), "日".repeat(40)];

test("a text", () => {
  for (const text of texts) {
    const passed = passText(place, text);
    expect(takeText(place, passed)).toBe(text);
    expect(takeBytes(place, passed).toString()).toBe(text);
  }
});

describe("outputs", () => {
  const passedOf = (add: (outputs: OutputsToPass) => void): string => {
    const outputs = new OutputsToPass(place);
    add(outputs);
    return takeText(place, outputs.passed());
  };

  test("one by one, up to the end of the memory and beyond", () => {
    for (let count = 0; count < 30; count++)
      for (const text of texts) {
        const outputs = Array.from({ length: count }, (_unused, at) => (at === 1 ? "" : text));
        expect(passedOf((to) => outputs.forEach((output) => to.add(output)))).toBe(outputs.join("\n"));
      }
  });

  test("of whole calls, among others", () => {
    for (const text of texts)
      for (const isAscii of [false, !/[^\0-\x7f]/.test(text)])
        expect(
          passedOf((to) => {
            to.add("1");
            to.addLines({ bytes: Buffer.from(`${text}\n${text}`), isAscii, failures: [] });
            to.add("größe");
          }),
        ).toBe(["1", text, text, "größe"].join("\n"));
  });
});

describe("rows of a run", () => {
  const sizes: [string, number][] = [
    ["small", 10],
    ["just as large as the memory is", PASSED_BYTES / 500],
    ["larger", PASSED_BYTES / 100],
  ];
  for (const [name, characters] of sizes)
    test(`${name}, one after the other on the same threads`, async () => {
      for (const character of ["x", "ü", "日", '"']) {
        const rows = rowsOf(Array.from({ length: 500 }, (_unused, n) => ({ n, text: character.repeat(characters) })));
        const code =
          "export default (row) => row.n % 7 === 3 ? undefined : row.n % 2 ? row : { n: row.n, text: row.text };";
        const outcomes = await run(code, rows);
        expect(outcomes.map((outcome) => (outcome.ok ? outcome.output : null))).toEqual(
          rows.map(({ text }, n) => (n % 7 === 3 ? null : text)),
        );
      }
    });
});
