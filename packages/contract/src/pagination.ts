/** Lists: the envelope, `limit` and `cursor`, and filters described as data (schema for the reference, parser for the server). */
import { Type } from "typebox";
import type { Static, TSchema } from "typebox";
import { Nullable, Timestamp, idPrefixes, exampleId } from "./schemas.ts";
import type { IdKind } from "./schemas.ts";

export const DEFAULT_LIMIT = 50;
/** One page is built in memory; a thousand rows of ordinary size is a few megabytes. Larger reads stream as NDJSON. */
export const MAX_LIMIT = 1000;

export type Filter =
  | { kind: "enum"; values: readonly string[]; description: string }
  | { kind: "choice"; values: readonly string[]; description: string }
  | { kind: "date"; description: string }
  | { kind: "id"; of: IdKind; description: string }
  | { kind: "boolean"; description: string }
  | { kind: "timestamp"; description: string }
  | { kind: "text"; description: string }
  | { kind: "index"; description: string }
  | { kind: "metadata"; description: string };

/** As many rows as a scope may ask for. */
export const MAX_ROW_INDEX = 999_999_999;

/** Pairs that one list may be filtered by. */
export const MAX_METADATA_FILTERS = 5;

/** What the server's function receives for a filter: several enum values mean OR; ids come as UUIDs, dates as `2026-11-20`. */
export type FilterValue<F extends Filter> = F extends { kind: "enum"; values: readonly (infer V)[] }
  ? V[]
  : F extends { kind: "choice"; values: readonly (infer V)[] }
    ? V
    : F extends { kind: "boolean" }
      ? boolean
      : F extends { kind: "index" }
        ? number
        : F extends { kind: "timestamp" }
          ? Date
          : F extends { kind: "metadata" }
            ? Record<string, string>
            : string;

export const enumFilter = <const V extends readonly string[]>(values: V, description: string) =>
  ({ kind: "enum", values, description }) as const;
export const choiceFilter = <const V extends readonly string[]>(values: V, description: string) =>
  ({ kind: "choice", values, description }) as const;
export const dateFilter = (description: string) => ({ kind: "date", description }) as const;
export const idFilter = (of: IdKind, description: string) => ({ kind: "id", of, description }) as const;
export const booleanFilter = (description: string) => ({ kind: "boolean", description }) as const;
/** Rows from a position in the dataset on: a list can be read from its middle. */
export const fromIndexFilter = {
  kind: "index",
  description: "Rows at this position in the dataset, counted from 0, and after it.",
} as const;
export const textFilter = (description: string) => ({ kind: "text", description }) as const;
/** The name begins like this. Nobody looks for a thing by nothing. */
export const nameFilter = (things: string) =>
  textFilter(
    `${things} whose name begins with this; the case of A to Z does not count. A page may hold fewer items than \`limit\`, even none, while there is a \`nextCursor\`.`,
  );
/** `metadata[key]=value`, in OpenAPI a deep object. */
export const metadataFilter = (things: string) =>
  ({
    kind: "metadata",
    description: `${things} with this value of the metadata: \`metadata[key]=value\`, up to ${MAX_METADATA_FILTERS} of them, all of which must hold. A page may hold fewer items than \`limit\`, even none, while there is a \`nextCursor\`.`,
  }) as const;
export const timestampFilter = (description: string) => ({ kind: "timestamp", description }) as const;

export const ListOf = <T extends TSchema>(item: T) =>
  Type.Unsafe<{ data: Static<T>[]; nextCursor: string | null }>(
    Type.Object({
      data: Type.Array(item, { description: "Items of the page." }),
      nextCursor: Nullable(Type.String({ description: "Cursor of the next page; null at the end." })),
    }),
  );

/** The query parameter of a filter as the reference shows it. */
export function filterSchema(filter: Filter): TSchema {
  switch (filter.kind) {
    case "enum":
      return Type.String({
        description: `${filter.description} One or several (comma-separated, meaning or) of: ${filter.values.join(", ")}.`,
        examples: [filter.values[0]],
      });
    case "choice":
      return Type.String({ enum: [...filter.values], description: filter.description });
    case "date":
      return Type.String({ format: "date", description: filter.description, examples: ["2026-11-20"] });
    case "id":
      return Type.String({
        description: filter.description,
        pattern: `^${idPrefixes[filter.of]}_`,
        examples: [exampleId(filter.of)],
      });
    case "boolean":
      return Type.String({ enum: ["true", "false"], description: filter.description });
    case "timestamp":
      return Timestamp(filter.description);
    case "metadata":
      return Type.Unsafe<Record<string, string>>({
        type: "object",
        description: filter.description,
        additionalProperties: { type: "string", maxLength: 500 },
        examples: [{ team: "search" }],
      });
    case "index":
      return Type.Integer({ minimum: 0, maximum: MAX_ROW_INDEX, description: filter.description, examples: [1000] });
    case "text":
      return Type.String({ description: filter.description, maxLength: 200 });
  }
}

export const limitSchema = Type.Integer({
  minimum: 1,
  maximum: MAX_LIMIT,
  default: DEFAULT_LIMIT,
  description: "Items per page.",
});
export const cursorSchema = Type.String({ description: "`nextCursor` of the page before." });
