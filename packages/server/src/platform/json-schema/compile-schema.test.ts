import { describe, expect, test } from "vitest";
import { compileSchema as compile } from "./compile-schema.ts";
import type { Unfit } from "./compile-schema.ts";
import { formats } from "./string-formats.ts";
import { MAX_ARMS, MAX_SUBSCHEMAS } from "./schema-limits.ts";

type Schema = Record<string, unknown> | boolean;

function compileSchema(schema: Schema): (value: unknown) => Unfit | undefined {
  const compiled = compile(schema);
  if (compiled.outcome === "refused") throw new Error(compiled.problem.message);
  return compiled.check;
}

const messageOf = (unfit: Unfit | undefined): string | undefined =>
  unfit?.kind === "mismatch" ? unfit.message : unfit?.kind;

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
  expect(messageOf(compileSchema(schema)(value))).toBe(message);
});

test.each<[Schema, unknown, string]>([
  [{ type: "object" }, null, "The value must be object, not null."],
  [{ type: "object" }, [], "The value must be object, not array."],
  [{ type: ["string", "null"] }, 1, "The value must be string,null, not number."],
  [
    { properties: { "a/b~": { items: { type: "integer" } } } },
    { "a/b~": [1, "2"] },
    "/a~1b~0/1 must be integer, not string.",
  ],
  [{ propertyNames: { type: "number" } }, { a: 1 }, "The value must be number."],
])("%j says what %j is in place of what it must be", (of, value, message) => {
  expect(messageOf(compileSchema(of)(value))).toBe(message);
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

describe("a schema and a value that would take years are abandoned", () => {
  const tooLong = { kind: "too_expensive" };

  test("for references that double with every level", () => {
    expect(compileSchema(doubling(8))(1)).toMatchObject({ message: "The value must be string, not number." });
    expect(compileSchema(doubling(40))(1)).toEqual(tooLong);
  });

  test("for alternatives to every element", () => {
    const anyOf = Array.from({ length: MAX_ARMS }, (_, n) => ({ const: n }));
    const check = compileSchema({ type: "array", items: { anyOf } });
    expect(check([MAX_ARMS - 1, 3])).toBeUndefined();
    expect(check(Array.from({ length: 1_000_000 }, () => MAX_ARMS - 1))).toEqual(tooLong);
  });

  test("for a pattern on every one of millions of characters", () => {
    const check = compileSchema({ allOf: Array.from({ length: 100 }, (_, n) => ({ pattern: `a{0,${n}}` })) });
    expect(check("a".repeat(1_000))).toBeUndefined();
    expect(check("a".repeat(1_000_000))).toEqual(tooLong);
  });

  test("and the next value is checked as ever", () => {
    const check = compileSchema({ pattern: "^a*$" });
    expect(check("a".repeat(4_000_000))).toEqual(tooLong);
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
    allOf: Array.from({ length: MAX_ARMS }, () => ({ $ref: "#/$defs/large" })),
  });
  expect(check({ p1: "one" })).toBeUndefined();
  expect(check({ p1: 1 })).toMatchObject({ path: "/p1" });
});

const many = (length: number, schema: Schema = {}) => Array.from({ length }, () => schema);

test.each<[string, Schema, string, RegExp]>([
  ["an unknown type", { properties: { a: { type: "nothing" } } }, "/properties/a/type", /does not compile/],
  ["a pattern that RE2 does not know", { properties: { a: { pattern: "(?=a)" } } }, "/properties/a/pattern", /RE2/],
  ["a reference to elsewhere", { $ref: "https://example.com/schema" }, "/$ref", /nothing is fetched/],
  ["a reference to nothing", { items: { $ref: "#/$defs/b" }, $defs: { a: {} } }, "/items/$ref", /no #\/\$defs\/b/],
  [
    "a reference to elsewhere in what is referred to",
    { $ref: "#/x-parts/a", "x-parts": { a: { not: { $ref: "other.json" } } } },
    "/x-parts/a/not/$ref",
    /nothing is fetched/,
  ],
  ["a reference to itself", { $ref: "#" }, "", /circle: # → #\. /],
  [
    "definitions that refer to each other",
    { items: { $ref: "#/$defs/a" }, $defs: { a: { $ref: "#/$defs/b" }, b: { allOf: [{}, { $ref: "#/$defs/a" }] } } },
    "/$defs/a",
    /circle: #\/\$defs\/a → #\/\$defs\/b → #\/\$defs\/b\/allOf\/1 → #\/\$defs\/a\. A schema may refer to itself only for a part/,
  ],
  ["too many bytes", { description: "x".repeat(65 * 1024) }, "", /64 KiB/],
  ["too many alternatives", { items: { oneOf: many(MAX_ARMS + 1) } }, "/items/oneOf", /at most 250/],
  ["too many subschemas", { prefixItems: many(MAX_SUBSCHEMAS) }, "/prefixItems/0", /more than 2000 subschemas/],
  [
    "nested repeats",
    { properties: { "a/b": { pattern: "((a{0,10}){0,10}){0,10}".repeat(4) } } },
    "/properties/a~1b/pattern",
    /compiles to \d+ instructions; at most 5000/,
  ],
  [
    "patterns that are too large together",
    { allOf: Array.from({ length: 20 }, (_, n) => ({ patternProperties: { [`^[ab]{0,${900 + n}}$`]: {} } })) },
    "/allOf/",
    /more than 20000 instructions together/,
  ],
])("a schema with %s is refused, with its path", (_, schema, path, message) => {
  expect(compile(schema)).toEqual({
    outcome: "refused",
    problem: { path: expect.stringContaining(path) as string, message: expect.stringMatching(message) as string },
  });
});

test("a reference that is never followed may lead anywhere", () => {
  const elsewhere = { $ref: "https://example.com/schema" };
  const check = compileSchema({
    "x-source": elsewhere,
    $defs: { unused: elsewhere, used: { type: "string" } },
    default: elsewhere,
    properties: { $ref: { type: "integer" }, text: { $ref: "#/$defs/used" } },
  });
  expect(check({ $ref: 1, text: "one" })).toBeUndefined();
  expect(check({ text: 1 })).toMatchObject({ path: "/text" });
});

describe("formats", () => {
  test.each([
    ["url", "https://example.com/a?b#c", true],
    ["url", "ftp://user:word@example.com:2121", true],
    ["url", "http://10.1.2.3/", true],
    ["url", "https://[::1]/", true],
    ["url", "https://localhost/", false],
    ["url", "mailto:a@example.com", false],
    ["url", "https://example.com/a b", false],
    ["url", "https://", false],
    ["email", "a.b@example.com", true],
    ["email", `${"a".repeat(400)}@example.com`, false],
    ["hostname", "a-b.example", true],
    ["ipv6", "::1", true],
    ["uuid", "6f1b7d4e-0d5c-4a7e-9a43-0c6a6ed3f7e2", true],
    ["duration", "P1DT2H", true],
    ["int32", "text", true],
  ])("%s: %s is one: %s", (format, value, fits) => {
    expect(compileSchema({ format })(value) === undefined).toBe(fits);
  });

  // What takes the square of the length does not end within the time of a test.
  test.each(Object.keys(formats))("%s takes no longer than in proportion to a long text", (format) => {
    const check = compileSchema({ format });
    for (const part of ["a", "1", "a:", "a@", "a.", "/", "-", "%41", "{a,", "http://a", "::", "T1", "AAAA", "~0"]) {
      const text = part.repeat(400_000 / part.length);
      for (const value of [text, `http://${text}`, `a@${text}!`, `P${text}`, `/${text}\n`])
        expect(check(value)?.kind).not.toBe("too_expensive");
    }
  });
});
