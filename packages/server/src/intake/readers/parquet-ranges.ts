/** The first reading of a Parquet file: what each column holds, in one query. */
import { type DuckDBConnection, DuckDBTypeId } from "@duckdb/node-api";
import type { Column } from "../../resources/datasets/dataset-columns.ts";
import { quoteName } from "../../platform/duckdb.ts";
import { columnType, type ParquetColumn, timestampExpression } from "./parquet-columns.ts";

export interface MeasuredColumn {
  column: Column;
  /** For integers: whether a JSON number holds each of them. */
  isSafe: boolean;
  /** Of its texts. */
  totalBytes: number;
}

const MEASURES_PER_COLUMN = 5;

/** All numbers are asked for as texts, since these are exact. */
export async function measureColumns(
  connection: DuckDBConnection,
  path: string,
  columns: ParquetColumn[],
): Promise<MeasuredColumn[]> {
  const sql = `select ${columns.flatMap(measures).join(", ")} from read_parquet($path, hive_partitioning = false)`;
  const result = await connection.runAndReadAll(sql, { path });
  const row = result.getRowsJson()[0] ?? [];
  return columns.map((column, index) => {
    const ofColumn = row.slice(index * MEASURES_PER_COLUMN, (index + 1) * MEASURES_PER_COLUMN).map(asText);
    const [nullCount = null, min = null, max = null, infinityCount = null, totalBytes = null] = ofColumn;
    const isSafe = column.kind === "integer" && isSafeText(min) && isSafeText(max);
    const type = columnType(column, { isSafe, hasInfinity: infinityCount !== null && infinityCount !== "0" });
    return {
      column: { name: column.name, type, nullCount: Number(nullCount), ...describeRange(type, min, max) },
      isSafe,
      totalBytes: Number(totalBytes ?? 0),
    };
  });
}

/** SQL for the number of nulls, the smallest and largest value, the number of infinite ones, and the bytes of texts. */
function measures(column: ParquetColumn): string[] {
  const value = quoteName(column.reference);
  const nulls = `(count(*) - count(${value}))::varchar`;
  switch (column.kind) {
    case "plain":
    case "integer":
    case "decimal":
    case "date":
      return [nulls, `min(${value})::varchar`, `max(${value})::varchar`, "null", "null"];
    case "timestamp": {
      const [min, max] = [`min(${value})`, `max(${value})`].map((extreme) => timestampExpression(column.type, extreme));
      return [nulls, `${min}`, `${max}`, "null", "null"];
    }
    case "float": {
      const missing = `(count(*) - count(${value}) + count(*) filter (where isnan(${value})))::varchar`;
      const finite = `filter (where isfinite(${value}))`;
      const infinite = `(count(*) filter (where isinf(${value})))::varchar`;
      return [missing, `(min(${value}) ${finite})::varchar`, `(max(${value}) ${finite})::varchar`, infinite, "null"];
    }
    case "text": {
      const isText = column.type.typeId === DuckDBTypeId.VARCHAR;
      return [nulls, "null", "null", "null", isText ? `sum(strlen(${value}))::varchar` : "null"];
    }
    case "list":
    case "object":
      return [nulls, "null", "null", "null", "null"];
  }
}

function describeRange(
  type: string,
  min: string | null,
  max: string | null,
): { min?: string | number; max?: string | number } {
  if (min === null || max === null) return {};
  if (type === "integer" || type === "number") return { min: Number(min), max: Number(max) };
  return type === "decimal" || type === "date" || type === "timestamp" ? { min, max } : {};
}

/** True as well for a column of nulls. */
function isSafeText(text: string | null): boolean {
  return text === null || Number.isSafeInteger(Number(text));
}

function asText(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
