import { expect, test } from "vitest";
import { isShownUrl, showUrl } from "./bearer-urls.ts";

test.each([
  ["https://hooks.slack.com/services/T0/B0/abcdefghijkl", "https://hooks.slack.com/\u2026/ijkl"],
  ["https://files.example.com/rows.csv?X-Amz-Signature=0123", "https://files.example.com/\u2026/0123"],
  ["https://example.com/hook", "https://example.com/\u2026"],
  ["https://example.com/hooks/12345", "https://example.com/\u2026/2345"],
  ["https://example.com/hooks/of/old", "https://example.com/\u2026/old"],
  ["https://example.com/hooks////", "https://example.com/\u2026"],
  ["https://example.com/", "https://example.com/"],
  ["https://example.com/?t=0123456789", "https://example.com/\u2026/6789"],
])("%s is shown as %s", (url, shown) => {
  expect(showUrl(url)).toBe(shown);
});

test("what was shown is known when it comes back", () => {
  for (const url of ["https://example.com/hooks/12345", "https://example.com/hook"]) {
    expect(isShownUrl(showUrl(url))).toBe(true);
    expect(isShownUrl(new URL(showUrl(url)).href)).toBe(true);
    expect(isShownUrl(url)).toBe(false);
  }
});
