import { expect, test } from "vitest";
import { createColumnType, declaredType as declaredTypeOf } from "./parquet-types.ts";
import type { ParquetType } from "./parquet-types.ts";
import { sourceOf } from "./table.ts";

function typeOf(values: readonly string[], declared?: ParquetType): ParquetType {
  const column = createColumnType(declared);
  for (const json of values) column.add(Buffer.from(`[${json}]`), 1, json.length + 1);
  return column.type();
}

test.for<[string[], ParquetType]>([
  [[], "VARCHAR"],
  [["true", "false"], "BOOLEAN"],
  [["0", "-1", "9007199254740991", "-9007199254740991"], "BIGINT"],
  [["9007199254740992"], "VARCHAR"],
  [["-9007199254740993", "1"], "VARCHAR"],
  [["1", "0.5"], "DOUBLE"],
  [["1.0", "1.10", "1E2", "1e-7", "0.00", "0e999", "-0", "-0.0", "123000e-3", "1e300"], "DOUBLE"],
  [["5e-324", "1.7976931348623157e308"], "DOUBLE"],
  [["0.1", "0.10000000000000000555"], "VARCHAR"],
  [["1e400"], "VARCHAR"],
  [["-1e-400"], "VARCHAR"],
  [["123456789.123456789123"], "VARCHAR"],
  [["1", "true"], "VARCHAR"],
  [["1", '"1"'], "VARCHAR"],
  [['"2026-11-20T09:30:00Z"'], "VARCHAR"],
  [["[1]", "{}"], "VARCHAR"],
])("values %j make a column %s", ([values, type]) => {
  expect(typeOf(values)).toBe(type);
});

test.for<[ParquetType, string[], ParquetType]>([
  ["DOUBLE", ["1", "2"], "DOUBLE"],
  ["DOUBLE", [], "DOUBLE"],
  ["DOUBLE", ["9007199254740993"], "VARCHAR"],
  ["BIGINT", ["1.5"], "DOUBLE"],
  ["BOOLEAN", ["1"], "BIGINT"],
  ["VARCHAR", ["1"], "VARCHAR"],
  ["INTEGER", ["2147483647"], "INTEGER"],
  ["INTEGER", ["2147483648"], "BIGINT"],
  ["TIMESTAMPTZ", ['"2026-11-20T09:30:00.000Z"'], "TIMESTAMPTZ"],
  ["TIMESTAMPTZ", ['"2026-11-20T09:30:00.0000001Z"'], "VARCHAR"],
  ["TIMESTAMPTZ", ["5"], "BIGINT"],
])("a column declared %s with the values %j is %s", ([declared, values, type]) => {
  expect(typeOf(values, declared)).toBe(type);
});

const declaredType = (source: Parameters<typeof declaredTypeOf>[0], name: string): ParquetType | undefined =>
  declaredTypeOf(source, sourceOf(source.type, name));

test("the contract and the output schema declare types, the input does not", () => {
  const outputSchema = {
    type: "object",
    properties: {
      score: { type: ["number", "null"] },
      count: { anyOf: [{ type: "integer" }, { type: "null" }] },
      mixed: { type: ["string", "number"] },
      attempts: { type: "string" },
      when: { type: "string", format: "date-time" },
      "a.b": { type: "boolean" },
      anything: {},
    },
  };
  const outputs = (name: string): ParquetType | undefined => declaredType({ type: "outputs", outputSchema }, name);
  expect(outputs("index")).toBe("BIGINT");
  expect(outputs("attempts")).toBe("INTEGER");
  expect(outputs("producedAt")).toBe("TIMESTAMPTZ");
  expect(outputs("usage.inputTokens")).toBe("BIGINT");
  expect(outputs("usage.costUsd")).toBe("VARCHAR");
  expect(outputs("data.score")).toBe("DOUBLE");
  expect(outputs("data.count")).toBe("BIGINT");
  expect(outputs("data.mixed")).toBeUndefined();
  expect(outputs("data.attempts")).toBe("VARCHAR");
  expect(outputs("data.when")).toBe("VARCHAR");
  expect(outputs("data.a.b")).toBe("BOOLEAN");
  expect(outputs("data.anything")).toBeUndefined();
  expect(outputs("data.unknown")).toBeUndefined();
  expect(outputs("input.attempts")).toBeUndefined();
  expect(declaredType({ type: "outputs", outputSchema: { type: "number" } }, "data")).toBe("DOUBLE");
  expect(declaredType({ type: "resolved_results", outputSchema: { type: "number" } }, "output.data")).toBe("DOUBLE");
  expect(declaredType({ type: "resolved_results", outputSchema }, "output.data.score")).toBe("DOUBLE");
  expect(declaredType({ type: "resolved_results", outputSchema }, "output.data.attempts")).toBe("VARCHAR");
  expect(declaredType({ type: "resolved_results", outputSchema }, "output.attempts")).toBe("INTEGER");
  expect(declaredType({ type: "resolved_results", outputSchema }, "output.usage.inputTokens")).toBe("BIGINT");
  expect(declaredType({ type: "resolved_results", outputSchema }, "input.score")).toBeUndefined();
  expect(declaredType({ type: "resolved_results", outputSchema: undefined }, "failure.failedAt")).toBe("TIMESTAMPTZ");
  expect(declaredType({ type: "rows", outputSchema: undefined }, "startedAt")).toBe("TIMESTAMPTZ");
  expect(declaredType({ type: "failures", outputSchema: undefined }, "retryable")).toBe("BOOLEAN");
});
