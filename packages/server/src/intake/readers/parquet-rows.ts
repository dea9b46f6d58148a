/**
 * The second reading of a Parquet file: its rows as JSON texts. DuckDB prints whole rows, which is fastest, and they stay the
 * bytes that they are. Where texts are long it would hold 2 048 of them and of the rows at the same time; there it hands the texts
 * out as they are, and the rows are put together here, one by one.
 */
import { type DuckDBConnection, type DuckDBDataChunk, DuckDBTypeId } from "@duckdb/node-api";
import { quoteName } from "../../platform/duckdb.ts";
import { columnExpression, type ParquetColumn } from "./parquet-columns.ts";
import type { MeasuredColumn } from "./parquet-ranges.ts";
import { copyTexts } from "./copy-texts.ts";
import type { RowTexts } from "./copy-texts.ts";

/** From here on the work for a row is that for its bytes, in any program. */
const LONG_TEXT_BYTES = 4096;
/** After more than this DuckDB waits with the next rows until these are taken, so that not twice as much is in memory. */
const MAX_AHEAD_BYTES = 4 << 20;

export async function* readRows(
  connection: DuckDBConnection,
  path: string,
  columns: ParquetColumn[],
  measured: MeasuredColumn[],
  rowCount: number,
): AsyncGenerator<RowTexts> {
  const expressions = columns.map((column, index) => columnExpression(column, measured[index]?.isSafe ?? false));
  const textBytes = measured.reduce((sum, { totalBytes }) => sum + totalBytes, 0);
  const isWide = textBytes / Math.max(1, rowCount) >= LONG_TEXT_BYTES;
  const names = Object.fromEntries(columns.map(({ name }, index) => [`name_${index}`, name]));
  const members = expressions.map((expression, index) => `$name_${index}::varchar, ${expression}`);
  const cells = columns.map((column, index) => {
    return isText(column) ? quoteName(column.reference) : `to_json(${expressions[index]})::varchar`;
  });
  const selected = isWide ? cells.join(", ") : `json_object(${members.join(", ")})::varchar`;
  const sql = `select ${selected} from read_parquet($path, hive_partitioning = false)`;
  const result = await connection.stream(sql, isWide ? { path } : { ...names, path });
  const fetchNext = () => {
    const fetched = result.fetchChunk();
    // Awaited below, unless the reading ends before.
    fetched.catch(() => {});
    return fetched;
  };
  for (let next = fetchNext(); ;) {
    const chunk = await next;
    if (chunk === null || chunk.rowCount === 0) return;
    if (isWide) {
      for (let index = 0; index < chunk.rowCount; index++) yield textsOf(joinCells(chunk, index, columns));
      next = fetchNext();
      continue;
    }
    const texts = copyTexts(chunk, 0);
    const isSmall = texts.bytes.length <= MAX_AHEAD_BYTES;
    // DuckDB works in another thread.
    if (isSmall) next = fetchNext();
    yield texts;
    if (!isSmall) next = fetchNext();
  }
}

function textsOf(row: string): RowTexts {
  const bytes = Buffer.from(row);
  return { bytes, count: 1, starts: [0], ends: [bytes.length] };
}

function joinCells(chunk: DuckDBDataChunk, rowIndex: number, columns: ParquetColumn[]): string {
  const members = columns.map((column, index) => {
    const text = textOf(chunk, index, rowIndex);
    return `${JSON.stringify(column.name)}:${isText(column) ? JSON.stringify(text) : (text ?? "null")}`;
  });
  return `{${members.join(",")}}`;
}

function textOf(chunk: DuckDBDataChunk, columnIndex: number, rowIndex: number): string | null {
  const value = chunk.getColumnVector(columnIndex).getItem(rowIndex);
  return typeof value === "string" ? value : null;
}

function isText(column: ParquetColumn): boolean {
  return column.type.typeId === DuckDBTypeId.VARCHAR;
}
