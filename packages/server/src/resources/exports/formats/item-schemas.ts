/** What the contract says about the items of an export, and the little of JSON Schema that this takes. */
import { components } from "@rowmill/contract/schemas";
import { FailureSchema, OutputSchema, ResolvedResultSchema, RunRowSchema } from "@rowmill/contract/run-results";
import type { ExportType } from "@rowmill/contract/exports";

const itemSchemas = {
  outputs: OutputSchema,
  failures: FailureSchema,
  resolved_results: ResolvedResultSchema,
  rows: RunRowSchema,
} satisfies Record<ExportType, unknown>;

/** The schemas of an item's members, in the contract's order. */
export function itemMembers(type: ExportType): Record<string, unknown> {
  const item = components.get(String(memberOf(itemSchemas[type], "$ref")));
  return propertiesOf(item) ?? {};
}

/** The schema of an object, or of an object or null. */
export function objectOf(schema: unknown): unknown {
  return variantsOf(schema).find((variant) => memberOf(variant, "type") === "object");
}

/** The schema itself and those that it chooses among. */
export function variantsOf(schema: unknown): unknown[] {
  const variants = memberOf(schema, "anyOf");
  return Array.isArray(variants) ? [schema, ...(variants as unknown[])] : [schema];
}

export function propertiesOf(schema: unknown): Record<string, unknown> | undefined {
  const properties = memberOf(schema, "properties");
  return typeof properties === "object" && properties !== null ? { ...properties } : undefined;
}

export const memberOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name] // an object with this member, as just found out
    : undefined;
