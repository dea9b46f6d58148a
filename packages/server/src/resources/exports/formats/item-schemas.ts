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

/** Members of an item that are opened like items themselves: their members are members of the table. */
const openedItems: Record<ExportType, ReadonlySet<string>> = {
  outputs: new Set(),
  failures: new Set(),
  resolved_results: new Set(["output", "failure"]),
  rows: new Set(),
};

/** Objects of any shape that stay JSON text: the columns of a table of results must not depend on its failures. */
const unopenedMembers: ReadonlySet<string> = new Set(["failure.details"]);

/** The member that is the processor's output, whose schema is the job spec's. */
const outputMembers: Partial<Record<ExportType, string>> = { outputs: "data", resolved_results: "output.data" };

export interface ItemMember {
  /** Such as `index`, or `output.data` for a member of an opened item. */
  path: string;
  schema: unknown;
  /** Whether objects in its place are opened into columns. */
  opens: boolean;
}

/** The members of an item in the contract's order. The output's schema is the job spec's, if it has one. */
export function itemMembers(type: ExportType, outputSchema: unknown): ItemMember[] {
  const item = components.get(String(memberOf(itemSchemas[type], "$ref")));
  return Object.entries(propertiesOf(item) ?? {}).flatMap(([name, schema]) => {
    if (!openedItems[type].has(name)) return itemMember(type, name, schema, outputSchema);
    return Object.entries(propertiesOf(objectOf(schema)) ?? {}).map(([child, childSchema]) =>
      itemMember(type, `${name}.${child}`, childSchema, outputSchema),
    );
  });
}

function itemMember(type: ExportType, path: string, schema: unknown, outputSchema: unknown): ItemMember {
  if (path === outputMembers[type]) return { path, schema: outputSchema, opens: true };
  return { path, schema, opens: objectOf(schema) !== undefined && !unopenedMembers.has(path) };
}

export const isOpenedItem = (type: ExportType, name: string): boolean => openedItems[type].has(name);
export const isOutputMember = (type: ExportType, path: string): boolean => path === outputMembers[type];

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

/** Whether an object cannot have members that the schema does not name. */
export const isClosed = (schema: unknown): boolean =>
  memberOf(schema, "type") === "object" &&
  memberOf(schema, "additionalProperties") === false &&
  memberOf(schema, "patternProperties") === undefined;

export const memberOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name] // an object with this member, as just found out
    : undefined;
