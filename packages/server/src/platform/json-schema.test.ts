import { describe, expect, test } from "vitest";
import { compileSchema, SchemaProblem } from "./json-schema.ts";

const schema = {
  type: "object",
  properties: {
    id: { type: "integer", minimum: 1 },
    code: { type: "string", pattern: "^[A-Z]{2}$" },
    tags: { type: "array", items: { $ref: "#/$defs/tag" }, uniqueItems: true },
    at: { format: "date-time" },
  },
  required: ["id"],
  additionalProperties: false,
  $defs: { tag: { enum: ["a", "b"] } },
};

test.each<[unknown, string | undefined]>([
  [{ id: 1, code: "AB", tags: ["a", "b"], at: "2026-11-20T10:00:00Z" }, undefined],
  [{ id: 0 }, "/id must be >= 1."],
  [{}, "The value must have required property 'id'."],
  [{ id: 1, code: "abc" }, '/code must match pattern "^[A-Z]{2}$".'],
  [{ id: 1, tags: ["c"] }, "/tags/0 must be equal to one of the allowed values."],
  [{ id: 1, tags: ["a", "a"] }, "/tags must NOT have duplicate items."],
  [{ id: 1, at: "today" }, '/at must match format "date-time".'],
  [{ id: 1, x: 1 }, 'The value must NOT have additional properties ("x").'],
])("%j: %s", (value, message) => {
  expect(compileSchema(schema)(value)?.message).toBe(message);
});

test.each<[unknown[], boolean]>([
  [[], true],
  [[1, "1", null, true, "true", [], {}], true],
  [
    [
      { a: 1, b: [2] },
      { b: [2], a: 1 },
    ],
    false,
  ],
  [
    [
      { a: 1, b: [2] },
      { b: [2, 2], a: 1 },
    ],
    true,
  ],
  [
    [
      [1, 2],
      [2, 1],
    ],
    true,
  ],
  [[0, -0], false],
])("the elements of %j are unique: %s", (elements, areUnique) => {
  const check = compileSchema({ uniqueItems: true });
  expect(check(elements) === undefined).toBe(areUnique);
  expect(compileSchema({ uniqueItems: false })(elements)).toBeUndefined();
});

const doubling = (levels: number) => ({
  $ref: "#/$defs/d0",
  $defs: Object.fromEntries(
    Array.from({ length: levels }, (_, level) => {
      const next = { $ref: `#/$defs/d${level + 1}` };
      return [`d${level}`, level === levels - 1 ? { type: "string" } : { anyOf: [next, next] }];
    }),
  ),
});

describe("a schema and a value that would take years are given up", () => {
  const tooLong = expect.stringContaining("too long to check") as unknown;

  test("for references that double with every level", () => {
    expect(compileSchema(doubling(8))(1)).toMatchObject({ message: "The value must be string." });
    expect(compileSchema(doubling(40))(1)).toEqual({ path: "", message: tooLong });
  });

  test("for alternatives to every element", () => {
    const anyOf = Array.from({ length: 2_000 }, (_, n) => ({ const: n }));
    const check = compileSchema({ type: "array", items: { anyOf } });
    expect(check([1_999, 3])).toBeUndefined();
    expect(check(Array.from({ length: 100_000 }, () => 1_999))).toEqual({ path: "", message: tooLong });
  });

  test("for a pattern on every one of millions of characters", () => {
    const check = compileSchema({ allOf: Array.from({ length: 100 }, (_, n) => ({ pattern: `a{0,${n}}` })) });
    expect(check("a".repeat(10_000))).toBeUndefined();
    expect(check("a".repeat(1_000_000))).toEqual({ path: "", message: tooLong });
  });

  test("and the next value is checked as ever", () => {
    const check = compileSchema({ pattern: "^a*$" });
    expect(check("a".repeat(4_000_000))).toEqual({ path: "", message: tooLong });
    expect(check("aaa")).toBeUndefined();
  });
});

test("a hundred thousand different objects are found to be different at once", () => {
  const elements = Array.from({ length: 100_000 }, (_, id) => ({ id }));
  expect(compileSchema({ uniqueItems: true })(elements)).toBeUndefined();
  expect(compileSchema({ uniqueItems: true })([...elements, { id: 7 }])).toMatchObject({ path: "" });
});

test("a definition is compiled once, however often it is named", () => {
  const properties = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`p${n}`, { type: "string" }]));
  const check = compileSchema({
    $defs: { large: { type: "object", properties } },
    allOf: Array.from({ length: 1_000 }, () => ({ $ref: "#/$defs/large" })),
  });
  expect(check({ p1: "one" })).toBeUndefined();
  expect(check({ p1: 1 })).toMatchObject({ path: "/p1" });
});

test.each([
  ["no type", { type: "nothing" }],
  ["a pattern that RE2 does not know", { pattern: "(?=a)" }],
  ["a reference to elsewhere", { $ref: "https://example.com/schema" }],
  ["too large", { description: "x".repeat(65 * 1024) }],
])("a schema with %s is refused", (_, refused) => {
  expect(() => compileSchema(refused)).toThrow(SchemaProblem);
});
