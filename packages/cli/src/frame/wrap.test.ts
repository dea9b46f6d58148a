import { expect, test } from "vitest";
import { wrapText } from "./wrap.ts";

test.each([
  ["a short line stays", "a short line stays"],
  [
    "3,201 rows will cost $0.21–0.24; the budget is $0.50",
    "3,201 rows will cost\n  $0.21–0.24; the\n  budget is $0.50",
  ],
  ["see http://127.0.0.1:8080/sign-in#token now", "see\n  http://127.0.0.1:8080/sign-in#token\n  now"],
  ["日本語の文章 日本語の文章", "日本語の文章\n  日本語の文章"],
  ["  indented words stay together", "  indented words\n  stay together"],
])("%j is broken between words at 20 columns", (text, wrapped) => {
  expect(wrapText(text, 20, "  ")).toBe(wrapped);
});
