import { describe, expect, test } from "vitest";
import { parseJsonBody } from "./json-body.ts";

const parse = (text: string): unknown => parseJsonBody(Buffer.from(text)).value;

describe("taken", () => {
  test.each([
    ['{"a":[1,2.5,-0,1e3,true,false,null,"x"]}', { a: [1, 2.5, -0, 1000, true, false, null, "x"] }],
    ['"😀"', "😀"],
    [String.raw`"\ud83d\ude00"`, "😀"],
    [String.raw`"\\u0000"`, String.raw`\u0000`],
    [String.raw`"\\ud800"`, String.raw`\ud800`],
    ['"[[[[{{{{"', "[[[[{{{{"],
    [String.raw`"\"[\""`, '"["'],
    ['{"proto":1,"_proto_":2}', { proto: 1, _proto_: 2 }],
    ['{"a":"__proto__"}', { a: "__proto__" }],
    [' \n\t{"a":1}\r\n', { a: 1 }],
    ["\uFEFF{}", {}],
    ['{"a":1,"a":2}', { a: 2 }],
  ])("%s", (text, value) => {
    expect(parse(text)).toEqual(value);
  });

  test("lists and objects, 64 levels deep", () => {
    expect(() => parse("[".repeat(64) + "]".repeat(64))).not.toThrow();
    expect(() => parse('{"a":'.repeat(64) + "1" + "}".repeat(64))).not.toThrow();
    expect(() => parse(`[${"[],".repeat(1000)}[]]`)).not.toThrow();
  });
});

describe("refused", () => {
  test.each([
    ["{", /not valid JSON/],
    ["", /not valid JSON/],
    ["undefined", /not valid JSON/],
    ["{'a':1}", /not valid JSON/],
    ["[1,]", /not valid JSON/],
    ["01", /not valid JSON/],
    ['"\u0001"', /not valid JSON/],
    [String.raw`"\u0000"`, /U\+0000/],
    [String.raw`{"\u0000":1}`, /U\+0000/],
    [String.raw`[[{"a":["x\u0000"]}]]`, /U\+0000/],
    [String.raw`"\ud800"`, /surrogate/],
    [String.raw`"\uDFFF"`, /surrogate/],
    [String.raw`"\ude00\ud83d"`, /surrogate/],
    [String.raw`{"\uD800":1}`, /surrogate/],
    ['{"__proto__":1}', /__proto__/],
    ['[{"a":{"__proto__":{}}}]', /__proto__/],
    [String.raw`{"\u005f\u005fproto__":1}`, /__proto__/],
    [String.raw`{"__pr\u006fto__":1}`, /__proto__/],
    [String.raw`{"__p\u0072oto__":1}`, /__proto__/],
    [String.raw`{"\u005F_proto__":1}`, /__proto__/],
  ])("%s", (text, message) => {
    expect(() => parse(text)).toThrow(message);
  });

  test("65 levels and more, at once", () => {
    for (const depth of [65, 1000, 500_000]) {
      expect(() => parse("[".repeat(depth))).toThrow(/deeper than 64/);
      expect(() => parse("[".repeat(depth) + "]".repeat(depth))).toThrow(/deeper than 64/);
      expect(() => parse('{"a":'.repeat(depth) + "1" + "}".repeat(depth))).toThrow(/deeper than 64/);
    }
  });

  test.each([
    [[0xff]],
    [[0x22, 0xc3, 0x22]],
    [[0x22, 0xed, 0xa0, 0x80, 0x22]],
    [[0x22, 0xc0, 0x80, 0x22]],
    [[0x22, 0xf4, 0x90, 0x80, 0x80, 0x22]],
  ])("bytes that are no UTF-8 (%j)", (bytes) => {
    expect(() => parseJsonBody(Buffer.from(bytes))).toThrow(/UTF-8/);
  });
});
