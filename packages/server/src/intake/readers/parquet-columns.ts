/**
 * How Parquet values become JSON, in SQL. Nothing is rounded and nothing invalid is printed:
 *
 *     integers       numbers; a column that reaches beyond 2^53 - 1 becomes strings (type decimal), inside lists and
 *                    objects each such value by itself
 *     DECIMAL        strings (type decimal)
 *     FLOAT, DOUBLE  numbers; NaN, the usual way to say “missing”, becomes null; Infinity and -Infinity become strings,
 *                    which makes the column mixed
 *     DATE           YYYY-MM-DD
 *     TIMESTAMP      RFC 3339 in UTC; one without a time zone is taken for UTC
 *     BLOB           base64
 *     MAP            objects
 *     others         (TIME, INTERVAL, UUID, ENUM …) strings, as DuckDB prints them
 */
import { DuckDBListType, DuckDBMapType, DuckDBStructType, type DuckDBType, DuckDBTypeId } from "@duckdb/node-api";
import type { ColumnType } from "../../resources/datasets/dataset-columns.ts";
import { quoteText, quoteName } from "../../platform/duckdb.ts";
import { rejectFile } from "./intake-rejected.ts";

/** A row may be 64 levels deep, and a map or list is one level of the schema at least. */
const MAX_DEPTH = 60;
const MAX_SAFE = "9007199254740991";

export type ValueKind = "plain" | "text" | "integer" | "float" | "date" | "timestamp" | "decimal" | "list" | "object";

/** One top-level column: where it is found, and what it is called. */
export interface ParquetColumn {
  /** Its name in SQL; differs from `name` where two names differ only in case. */
  reference: string;
  name: string;
  type: DuckDBType;
  kind: ValueKind;
}

export function kindOf(type: DuckDBType): ValueKind {
  switch (type.typeId) {
    case DuckDBTypeId.BOOLEAN:
    case DuckDBTypeId.TINYINT:
    case DuckDBTypeId.SMALLINT:
    case DuckDBTypeId.INTEGER:
    case DuckDBTypeId.UTINYINT:
    case DuckDBTypeId.USMALLINT:
    case DuckDBTypeId.UINTEGER:
      return "plain";
    case DuckDBTypeId.BIGINT:
    case DuckDBTypeId.UBIGINT:
    case DuckDBTypeId.HUGEINT:
    case DuckDBTypeId.UHUGEINT:
      return "integer";
    case DuckDBTypeId.FLOAT:
    case DuckDBTypeId.DOUBLE:
      return "float";
    case DuckDBTypeId.DECIMAL:
      return "decimal";
    case DuckDBTypeId.DATE:
      return "date";
    case DuckDBTypeId.TIMESTAMP:
    case DuckDBTypeId.TIMESTAMP_S:
    case DuckDBTypeId.TIMESTAMP_MS:
    case DuckDBTypeId.TIMESTAMP_NS:
    case DuckDBTypeId.TIMESTAMP_TZ:
      return "timestamp";
    case DuckDBTypeId.LIST:
      return "list";
    case DuckDBTypeId.STRUCT:
    case DuckDBTypeId.MAP:
      return "object";
    default:
      return "text";
  }
}

/** What the dataset calls the column, given what a look at all its values found. */
export function columnType(column: ParquetColumn, found: { isSafe: boolean; hasInfinity: boolean }): ColumnType {
  switch (column.kind) {
    case "plain":
      return column.type.typeId === DuckDBTypeId.BOOLEAN ? "boolean" : "integer";
    case "integer":
      return found.isSafe ? "integer" : "decimal";
    case "float":
      return found.hasInfinity ? "mixed" : "number";
    case "list":
      return "array";
    case "text":
      return "string";
    case "date":
    case "timestamp":
    case "decimal":
    case "object":
      return column.kind;
  }
}

/** Whether there is a struct without names at any level: DuckDB writes its unions and tuples so. */
export function hasNamelessMembers(type: DuckDBType): boolean {
  if (type instanceof DuckDBListType) return hasNamelessMembers(type.valueType);
  if (type instanceof DuckDBMapType) return hasNamelessMembers(type.valueType);
  if (!(type instanceof DuckDBStructType)) return false;
  return type.entryNames.includes("") || type.entryTypes.some(hasNamelessMembers);
}

/** SQL for the value of a column as JSON. */
export function columnExpression(column: ParquetColumn, isSafe: boolean): string {
  const reference = quoteName(column.reference);
  if (column.kind === "integer") return isSafe ? reference : `${reference}::varchar`;
  return valueExpression(column.type, reference, 1);
}

/** SQL for a timestamp as text; infinite ones, which RFC 3339 does not know, stay as DuckDB prints them. */
export function timestampExpression(type: DuckDBType, value: string): string {
  const utc = type.typeId === DuckDBTypeId.TIMESTAMP_TZ ? `make_timestamp(epoch_us(${value}))` : value;
  return `case when isfinite(${value}) then replace(${utc}::varchar, ' ', 'T') || 'Z' else ${value}::varchar end`;
}

function valueExpression(type: DuckDBType, value: string, depth: number): string {
  if (depth > MAX_DEPTH) rejectFile("invalid_parquet", `The schema is nested deeper than ${MAX_DEPTH} levels.`);
  switch (kindOf(type)) {
    case "plain":
      return value;
    case "integer":
      return `case when ${value} between -${MAX_SAFE} and ${MAX_SAFE} then to_json(${value}) else to_json(${value}::varchar) end`;
    case "float":
      return `case when isnan(${value}) then null when isinf(${value})
        then to_json(case when ${value} > 0 then 'Infinity' else '-Infinity' end) else ${value}::varchar::json end`;
    case "timestamp":
      return timestampExpression(type, value);
    case "list":
      if (type instanceof DuckDBListType) {
        const element = `element_${depth}`;
        return `list_transform(${value}, lambda ${element}: to_json(${valueExpression(type.valueType, element, depth + 1)}))`;
      }
      return `to_json(${value})`;
    case "object":
      return objectExpression(type, value, depth);
    case "text":
    case "date":
    case "decimal":
      return type.typeId === DuckDBTypeId.BLOB ? `base64(${value})` : `${value}::varchar`;
  }
}

function objectExpression(type: DuckDBType, value: string, depth: number): string {
  if (type instanceof DuckDBStructType) {
    const members = type.entryNames.map((name, index) => {
      const memberType = type.entryTypes[index];
      if (memberType === undefined) throw new Error("a struct type has a type for each of its names");
      const member = `struct_extract(${value}, ${quoteText(name)})`;
      return `${quoteText(name)}, ${valueExpression(memberType, member, depth + 1)}`;
    });
    return `case when ${value} is null then null else json_object(${members.join(", ")}) end`;
  }
  if (type instanceof DuckDBMapType) {
    const entry = `entry_${depth}`;
    const entryValue = valueExpression(type.valueType, `${entry}.value`, depth + 1);
    const entries = `list_transform(map_entries(${value}), lambda ${entry}:
      {'key': ${entry}.key::varchar, 'value': to_json(${entryValue})})`;
    return `to_json(map_from_entries(${entries}))`;
  }
  throw new Error(`no JSON is known for the type ${type.toString()}`);
}
