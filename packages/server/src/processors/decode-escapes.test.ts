import { expect, test } from "vitest";
import { decodeEscapes } from "./decode-escapes.ts";

test.each([
  ["plain text", "plain text"],
  [String.raw`\u002B\U002b\x2B`, "+++"],
  [String.raw`\"\\\/`, String.raw`"\/`],
  [String.raw`\u00\x2`, String.raw`\u00\x2`],
  // Which white space it is makes no difference.
  [String.raw`a\nb\r\tc`, "a\nb\n\nc"],
  [String.raw`\053\1011\400\08`, String.raw`+A1\400\08`],
  [String.raw`\u{2b}\u{1F600}\u{}\u{2b`, String.raw`+😀\u{}\u{2b`],
  ["=2B=2b=\r\nx=\ny=2=", "++xy=2="],
  [String.raw`\ud83d\ude00`, "😀"],
  [String.raw`a\u0000b`, "ab"],
  ["s\0k\0-\0", "sk-"],
  ["%2b%2B%zz%2", "++%zz%2"],
  // Bytes of UTF-8 stay as they are.
  ["%C3%A9%80", "%C3%A9%80"],
  ["&#43;&#0043;&#x2b;&#X002B;&#x1F600;", "++++😀"],
  ["&#x110000;&#1114112;", "&#x110000;&#1114112;"],
  ["&#00000043;&#x0000000000000002b;&#;&#x;&#43 &#x2b", "+&#x0000000000000002b;&#;&#x;+ +"],
  ["&amp;&LT;&plus;&sol;&lowbar;&commat;&nbsp;&amp", "&<+/_@&nbsp;&amp"],
])("%j means %j", (text, meant) => {
  expect(decodeEscapes(text)).toBe(meant);
});

/** Processor time: what else the machine does is not counted. */
function costOf(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return user + system;
}

test("a long response of nothing but escapes costs a fraction of a function for each of them", () => {
  const text = "\\".repeat(4_000_000);
  const byFunction = () => text.replaceAll(/\\(["\\/])|%([0-9a-f]{2})/gi, (_found, escaped: string) => escaped);
  expect(byFunction()).toBe(decodeEscapes(text));
  const costs = Array.from({ length: 3 }, () => [costOf(() => decodeEscapes(text)), costOf(byFunction)] as const);
  expect(Math.min(...costs.map(([own]) => own))).toBeLessThan(Math.min(...costs.map(([, other]) => other)) / 2);
});
