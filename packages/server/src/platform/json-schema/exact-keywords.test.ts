/** Integers that JavaScript reads as others, in schemas and in values. */
import { expect, test } from "vitest";
import { compileSchema } from "./compile-schema.ts";
import { parseWithDigits } from "./exact-keywords.ts";

/** Both as text; undefined: the value fits. */
function messageOf(schemaText: string, valueText: string): string | undefined {
  const { value: schema, digits } = parseWithDigits(schemaText);
  const compiled = compileSchema(schema as Record<string, unknown>, digits);
  if (compiled.outcome === "refused") throw new Error(compiled.problem.message);
  const written = parseWithDigits(valueText);
  const unfit = compiled.check(written.value, written);
  return unfit?.kind === "mismatch" ? unfit.message : unfit?.kind;
}

const INT64 = '{"type":"integer","minimum":-9223372036854775808,"maximum":9223372036854775807}';

test.each<[string, string, string | undefined]>([
  // Bounds of 64 bits, one beyond them, and other ways to write that.
  [INT64, "9223372036854775807", undefined],
  [INT64, "9223372036854775808", "The value must be <= 9223372036854775807."],
  [INT64, "9223372036854776000", "The value must be <= 9223372036854775807."],
  [INT64, "9.223372036854776e18", "The value must be <= 9223372036854775807."],
  [INT64, "-9223372036854775808", undefined],
  [INT64, "-9223372036854775809", "The value must be >= -9223372036854775808."],
  [INT64, "1e400", "The value must be <= 9223372036854775807."],
  [INT64, "1e300", "The value must be <= 9223372036854775807."],
  [INT64, "1", undefined],
  ['{"exclusiveMaximum":9223372036854775808}', "9223372036854775807", undefined],
  ['{"exclusiveMaximum":9223372036854775807}', "9223372036854775807", "The value must be < 9223372036854775807."],
  ['{"exclusiveMinimum":9007199254740993}', "9007199254740993", "The value must be > 9007199254740993."],
  ['{"exclusiveMinimum":9007199254740993}', "9007199254740994", undefined],
  ['{"maximum":1.5}', "9007199254740993", "The value must be <= 1.5."],
  // Only the value has more digits than a double.
  ['{"maximum":9007199254740992}', "9007199254740993", "The value must be <= 9007199254740992."],
  ['{"multipleOf":2}', "9007199254740993", "The value must be multiple of 2."],
  ['{"multipleOf":3}', "9007199254740993", undefined],
  ['{"multipleOf":9007199254740993}', "18014398509481986", undefined],
  // In lists, objects, and behind references.
  [
    '{"items":{"$ref":"#/$defs/id"},"$defs":{"id":{"maximum":9007199254740992}}}',
    "[1,9007199254740993]",
    "/1 must be <= 9007199254740992.",
  ],
  [`{"properties":{"a":${INT64}}}`, '{"a":9223372036854775808}', "/a must be <= 9223372036854775807."],
  ['{"const":9223372036854775807}', "9223372036854775807", undefined],
  ['{"const":9223372036854775807}', "9223372036854775808", "The value must be equal to constant."],
  ['{"const":{"b":[9223372036854775807],"a":1}}', '{"a":1.0,"b":[9223372036854775807]}', undefined],
  [
    '{"const":{"b":[9223372036854775807],"a":1}}',
    '{"a":1,"b":[9223372036854775806]}',
    "The value must be equal to constant.",
  ],
  ['{"enum":[null,9223372036854775807]}', "9223372036854775807", undefined],
  [
    '{"enum":[null,9223372036854775807]}',
    "9223372036854775806",
    "The value must be equal to one of the allowed values.",
  ],
  ['{"enum":["9223372036854775807"]}', "9223372036854775807", "The value must be equal to one of the allowed values."],
  ['{"uniqueItems":true}', "[9007199254740992,9007199254740993]", undefined],
  ['{"uniqueItems":true}', "[9007199254740993,9007199254740993]", "The value must NOT have duplicate items."],
  ['{"propertyNames":{"const":"a"}}', '{"a":9007199254740993}', undefined],
])("%s: %s", (schema, value, message) => {
  expect(messageOf(schema, value)).toBe(message);
});

test("a keyword with such an integer is still one that may be wrong", () => {
  const { value, digits } = parseWithDigits('{"type":9007199254740993}');
  expect(compileSchema(value as Record<string, unknown>, digits)).toMatchObject({
    outcome: "refused",
    problem: { path: "/type" },
  });
});

test("equal values are long for the steps that a value may take", () => {
  const long = `[${"9007199254740993,".repeat(1_000)}9007199254740993]`;
  const { value, digits } = parseWithDigits(`{"items":{"const":${long}}}`);
  const compiled = compileSchema(value as Record<string, unknown>, digits);
  const written = parseWithDigits(`[${`${long},`.repeat(1_000)}1]`);
  expect(compiled.outcome === "compiled" ? compiled.check(written.value, written) : compiled).toEqual({
    kind: "too_expensive",
  });
});

test("Digits are paid for, so that a value with many of them is refused before its time is over", () => {
  // Fewer keywords than there are steps, each with 300 digits to look at.
  const bounds = Array.from({ length: 200 }, () => `{"maximum":${"9".repeat(300)}}`);
  const values = Array.from({ length: 10_000 }, () => "9".repeat(299));
  expect(messageOf(`{"items":{"allOf":[${bounds.join()}]}}`, `[${values.join()}]`)).toBe("too_expensive");
  const many = Array.from({ length: 10_000 }, () => "1e299");
  expect(messageOf(`{"items":{"allOf":[${bounds.join()}]}}`, `[${many.join()}]`)).toBe("too_expensive");
});

test("A number that is too large for a double equals no null", () => {
  expect(messageOf('{"enum":[null,9007199254740993]}', "1e400")).toBe(
    "The value must be equal to one of the allowed values.",
  );
  expect(messageOf('{"uniqueItems":true}', "[null,1e400]")).toBeUndefined();
});
