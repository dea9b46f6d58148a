import { expect, test } from "vitest";
import { OutError, parseSchema, parseShorthand } from "./out-shorthand.ts";

const string = { type: "string" };

test.each<[text: string, properties: object]>([
  ["industry", { industry: string }],
  ["industry, confidence number", { industry: string, confidence: { type: "number" } }],
  [
    "name, age int, bio: one sentence",
    { name: string, age: { type: "integer" }, bio: { ...string, description: "one sentence" } },
  ],
  ["audience: children|everyone|adults", { audience: { ...string, enum: ["children", "everyone", "adults"] } }],
  ["audience: children | all ages", { audience: { ...string, enum: ["children", "all ages"] } }],
  ["mood good|bad: how it sounds", { mood: { ...string, enum: ["good", "bad"], description: "how it sounds" } }],
  ["tags string[]", { tags: { type: "array", items: string } }],
  ["tags (a|b)[]", { tags: { type: "array", items: { ...string, enum: ["a", "b"] } } }],
  ["score int?: from 0 to 10", { score: { type: ["integer", "null"], description: "from 0 to 10" } }],
  ["score? int", { score: { type: ["integer", "null"] } }],
  ["kind?: a|b", { kind: { type: ["string", "null"], enum: ["a", "b", null] } }],
  ["ok bool, day date", { ok: { type: "boolean" }, day: { ...string, format: "date" } }],
  [
    "summary: short, and kind\ncount int",
    { summary: { ...string, description: "short, and kind" }, count: { type: "integer" } },
  ],
  ["größe number", { größe: { type: "number" } }],
  ["url: such as https://example.com", { url: { ...string, description: "such as https://example.com" } }],
  ["note: a|b with type text", { note: { ...string, enum: ["a", "b with type text"] } }],
  ["note text: either a|b", { note: { ...string, description: "either a|b" } }],
  [" a , b ,", { a: string, b: string }],
])("%j", (text, properties) => {
  expect(parseShorthand(text)).toEqual({
    type: "object",
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  });
});

test.each([
  ["", /no field/],
  [" , ", /no field/],
  ["a, a", /"a" stands there twice/],
  ["a numbr", /"numbr" is not a type of "a"\. Did you mean number\? Types are string, /],
  ["1st", /"1st" is not a field/],
  ["a: x||y", /value of "a" is empty/],
  ["a: x|x", /value of "a" stands there twice/],
  ["a {b}", /"\{b\}" is not a type of "a"/],
])("%j is refused", (text, message) => {
  expect(() => parseShorthand(text)).toThrow(OutError);
  expect(() => parseShorthand(text)).toThrow(message);
});

test("inline JSON is taken as it is", () => {
  expect(parseSchema('{"type":"string"}')).toEqual({ type: "string" });
  expect(() => parseSchema("[1]")).toThrow(/is a JSON object/);
  expect(() => parseSchema("{")).toThrow(/is not JSON/);
});
