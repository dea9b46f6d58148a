import { describe, expect, test } from "vitest";
import { MAX_OUTPUT_BYTES, checkOutput } from "./check-output.ts";

const check = (output: string) => checkOutput({ ok: true, output });

describe("an output is kept", () => {
  test.each([
    ["a number", "1e400"],
    ["nested as deep as allowed", `${"[".repeat(128)}${"]".repeat(128)}`],
    ["with many brackets side by side", `[${"[],".repeat(1000)}[]]`],
    ["with brackets in a string", JSON.stringify("[".repeat(1000) + "]".repeat(1000))],
    ["with an escaped pair", String.raw`"\ud83d\uDE00"`],
    ["with an escaped backslash before u0000", String.raw`"\\u0000"`],
    ["with an escaped backslash before half a pair", String.raw`"\\ud800"`],
    ["with characters beyond the first plane", `"${String.fromCodePoint(0x1f600)}"`],
  ])("%s", (_name, output) => {
    expect(check(output)).toEqual({ ok: true, output });
  });

  test("with its line breaks made spaces, and its numbers left as they are", () => {
    expect(check('{\n  "n": 12345678901234567890.10\n}')).toEqual({
      ok: true,
      output: '{   "n": 12345678901234567890.10 }',
    });
  });
});

describe("an output is a failure", () => {
  test.each([
    ["empty", "", /empty/],
    ["only white space", " \n ", /empty/],
    ["with an escaped NUL", String.raw`{"a":"\u0000"}`, /NUL/],
    ["with an escaped NUL after a backslash", String.raw`"\\\u0000"`, /NUL/],
    ["with a raw NUL", '"\0"', /NUL/],
    ["with a high half", String.raw`"\ud83d"`, /surrogate/],
    ["with a high half before another escape", String.raw`"\ud83d\n"`, /surrogate/],
    ["with a high half before a character", String.raw`"\ud83dx"`, /surrogate/],
    ["with a low half alone", String.raw`"\ude00"`, /surrogate/],
    ["with the halves the wrong way round", String.raw`"\ude00\ud83d"`, /surrogate/],
    ["with a raw half", '"\ud83d"', /surrogate/],
    ["nested too deep", `${"[".repeat(129)}${"]".repeat(129)}`, /deeper than 128/],
    ["nested far too deep", `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`, /deeper than 128/],
    ["too large", JSON.stringify("x".repeat(MAX_OUTPUT_BYTES)), /larger than 8 MiB/],
    ["too large in bytes", JSON.stringify("€".repeat(MAX_OUTPUT_BYTES / 3 + 1)), /larger than 8 MiB/],
  ])("%s", (_name, output, message) => {
    const checked = check(output);
    if (checked.ok) throw new Error("it was kept");
    expect(checked.failure.code).toBe("output_not_json");
    expect(checked.failure.message).toMatch(message);
  });

  test("and keeps what it has cost", () => {
    expect(checkOutput({ ok: true, output: "", usage: { requests: 1 } })).toMatchObject({
      ok: false,
      usage: { requests: 1 },
    });
  });
});
