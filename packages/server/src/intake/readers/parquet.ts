/**
 * Parquet: each row becomes an object with the file's columns; how values become JSON says `parquet-columns.ts`. DuckDB
 * reads the file twice, once for types and ranges and once for the rows, and makes the JSON itself. Rejected rows are
 * named by their number, from 1, and count in the ranges of the columns.
 */
import { open } from "node:fs/promises";
import { dirname } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { type Column, MAX_COLUMN_NAME_BYTES, MAX_COLUMNS } from "../../resources/datasets/dataset-columns.ts";
import { escapePattern, openDuckDb } from "../../platform/duckdb.ts";
import { IntakeRejected, rejectFile, type RowProblem } from "./intake-rejected.ts";
import { parseJsonRow } from "./json-row.ts";
import { rowTooLarge } from "./row-bytes.ts";
import { hasNamelessMembers, kindOf, type ParquetColumn } from "./parquet-columns.ts";
import { measureColumns } from "./parquet-ranges.ts";
import { readRows } from "./parquet-rows.ts";
import type { ReaderContext } from "./reader-types.ts";
import { cutText } from "../../platform/text.ts";

/** The footer describes every column of every row group; a million of these take less. */
const MAX_FOOTER_BYTES = 64 << 20;
const MAGIC = "PAR1";
/** The first reading, and the 2 048 rows of a chunk, take DuckDB this long at most; beyond, the parent takes the process for stuck. */
const MAX_WAIT_FOR_DUCKDB_MS = 30 * 60_000;
const HEARTBEAT_MS = 1000;
const ROWS_PER_REPORT = 1000;
/** DuckDB reads longer decimals as doubles, and gets other numbers out of them. */
const MAX_DECIMAL_DIGITS = 38;
/** What a person needs of DuckDB's message. */
const MAX_MESSAGE_CHARACTERS = 300;

export async function readParquet(context: ReaderContext): Promise<Column[]> {
  const { job, writer, errors } = context;
  const { sizeBytes, compression } = context.source;
  // Unpacking, if any, is a third of the progress, writing the rows is the rest; the first reading is fast.
  const unpackingShare = compression === "none" ? 0 : 1 / 3;
  let share = 0;
  const report = (reached: number) => {
    share = reached;
    writer.reportProgress(Math.floor(sizeBytes * share));
  };
  const source = await context.source.unpackInto(job.workDirectory, () => {
    report((context.source.consumedBytes / sizeBytes) * unpackingShare);
  });
  await checkFooter(source.path, source.sizeBytes);
  const connection = await openDuckDb([source.path], job.workDirectory);
  const heartbeat = startHeartbeat(() => report(share));
  try {
    const path = escapePattern(source.path);
    const rowCount = await countRows(connection, path, job.limits.maxRows);
    await refuseLongDecimals(connection, path);
    const columns = await findColumns(connection, path);
    const measured = await measureColumns(connection, path, columns);
    heartbeat.renew();
    let rowNumber = 0;
    for await (const texts of readRows(connection, path, columns, measured, rowCount)) {
      heartbeat.renew();
      const { bytes, count, starts, ends } = texts;
      const isDoubtful = isAnyDoubtful(bytes);
      for (let index = 0; index < count; index++) {
        rowNumber++;
        const [start = 0, end = 0] = [starts[index], ends[index]];
        const problem = findRowProblem(bytes, start, end, job.limits.maxRowBytes, isDoubtful);
        if (problem === undefined) writer.writeBytes(bytes, start, end);
        else errors.addRow(rowNumber, problem, bytes.subarray(start, end));
        if (rowNumber % ROWS_PER_REPORT === 0) report(unpackingShare + ((1 - unpackingShare) * rowNumber) / rowCount);
      }
    }
    return measured.map(({ column }) => column);
  } catch (error) {
    // DuckDB's messages begin with their kind; any other error is ours, or the machine's.
    if (error instanceof IntakeRejected || !(error instanceof Error) || !/^[A-Z][\w ]* Error: /.test(error.message))
      throw error;
    return rejectFile("invalid_parquet", describeError(error, source.path));
  } finally {
    heartbeat.stop();
    connection.closeSync();
  }
}

/** The file must begin and end as Parquet does, and its footer must fit into it. */
async function checkFooter(path: string, sizeBytes: number): Promise<void> {
  const handle = await open(path, "r");
  try {
    const head = Buffer.alloc(4);
    const tail = Buffer.alloc(8);
    if (sizeBytes >= 12) {
      await handle.read(head, 0, 4, 0);
      await handle.read(tail, 0, 8, sizeBytes - 8);
    }
    if (tail.toString("latin1", 4) === "PARE") rejectFile("invalid_parquet", "Encrypted Parquet files are not read.");
    if (head.toString("latin1") !== MAGIC || tail.toString("latin1", 4) !== MAGIC) {
      rejectFile(
        "invalid_parquet",
        "This is no Parquet file, or it was cut off: the mark at its beginning or end is missing.",
      );
    }
    const footerBytes = tail.readUInt32LE(0);
    if (footerBytes > Math.min(sizeBytes - 12, MAX_FOOTER_BYTES)) {
      rejectFile("invalid_parquet", `The file states a footer of ${footerBytes} bytes, which cannot be.`);
    }
  } finally {
    await handle.close();
  }
}

async function countRows(connection: DuckDBConnection, path: string, maxRows: number): Promise<number> {
  const result = await connection.runAndReadAll("select num_rows::double from parquet_file_metadata($path)", { path });
  const rowCount = Number(result.getRowsJson()[0]?.[0]);
  if (rowCount > maxRows)
    rejectFile("decompression_limit", `The file holds ${rowCount} rows; at most ${maxRows} are read.`);
  return rowCount;
}

async function refuseLongDecimals(connection: DuckDBConnection, path: string): Promise<void> {
  const sql = "select name, precision::double from parquet_schema($path) where precision > $most limit 1";
  const result = await connection.runAndReadAll(sql, { path, most: MAX_DECIMAL_DIGITS });
  const [name, digits] = result.getRowsJson()[0] ?? [];
  if (typeof name !== "string") return;
  rejectFile(
    "invalid_parquet",
    `The decimals of ${JSON.stringify(name)} have up to ${Number(digits)} digits; at most ${MAX_DECIMAL_DIGITS} are read. Write them as texts, or with fewer digits.`,
  );
}

async function findColumns(connection: DuckDBConnection, path: string): Promise<ParquetColumn[]> {
  const empty = await connection.runAndReadAll("select * from read_parquet($path, hive_partitioning = false) limit 0", {
    path,
  });
  const references = empty.columnNames();
  const types = empty.columnTypes();
  if (references.length > MAX_COLUMNS) {
    rejectFile("too_many_columns", `The table has ${references.length} columns; at most ${MAX_COLUMNS} are read.`);
  }
  const schemaNames = await readSchemaNames(connection, path);
  // DuckDB renames columns whose names differ only in case; the schema has the names as they are.
  const names = schemaNames.length === references.length ? schemaNames : references;
  const seen = new Set<string>();
  return types.map((type, index) => {
    const name = names[index] ?? "";
    if (name === "" || name === "__proto__" || Buffer.byteLength(name) > MAX_COLUMN_NAME_BYTES || seen.has(name)) {
      rejectFile(
        "invalid_parquet",
        `Column ${index + 1} has no usable name: empty, __proto__, too long, or taken already.`,
      );
    }
    seen.add(name);
    if (hasNamelessMembers(type)) {
      const column = JSON.stringify(name);
      rejectFile(
        "invalid_parquet",
        `Column ${column} holds a struct whose members have no names. Write it as JSON text.`,
      );
    }
    return { reference: references[index] ?? name, name, type, kind: kindOf(type) };
  });
}

/** The names of the top level. The schema is a tree in preorder: each entry is followed by its children. */
async function readSchemaNames(connection: DuckDBConnection, path: string): Promise<string[]> {
  const result = await connection.runAndReadAll("select name, num_children::double from parquet_schema($path)", {
    path,
  });
  const entries = result.getRowsJson();
  const names: string[] = [];
  let position = 1;
  while (position < entries.length) {
    const name = entries[position]?.[0];
    names.push(typeof name === "string" ? name : "");
    for (let open = 1; open > 0 && position < entries.length; position++)
      open += Number(entries[position]?.[1] ?? 0) - 1;
  }
  return names;
}

/** DuckDB prints valid JSON; what it does not check is what we refuse beyond that. */
const DOUBTFUL = ["\\u0000", "__proto__"];

const isAnyDoubtful = (bytes: Buffer): boolean => DOUBTFUL.some((part) => bytes.includes(part));

function findRowProblem(
  bytes: Buffer,
  start: number,
  end: number,
  maxRowBytes: number,
  isDoubtful: boolean,
): RowProblem | undefined {
  if (end - start > maxRowBytes) return rowTooLarge(maxRowBytes);
  if (!isDoubtful || !isAnyDoubtful(bytes.subarray(start, end))) return undefined;
  const row = parseJsonRow(bytes.toString("utf8", start, end));
  return typeof row === "string" ? { code: "invalid_parquet", message: row } : undefined;
}

/** DuckDB works in another thread, and says nothing until it is done. `renew`: it has something else to do. */
function startHeartbeat(beat: () => void): { renew(): void; stop(): void } {
  let since = performance.now();
  const timer = setInterval(() => {
    if (performance.now() - since < MAX_WAIT_FOR_DUCKDB_MS) beat();
  }, HEARTBEAT_MS);
  return {
    renew() {
      since = performance.now();
    },
    stop: () => clearInterval(timer),
  };
}

/** DuckDB's first sentence, without where the file lies on this machine. */
function describeError(error: Error, path: string): string {
  if (error.message.startsWith("Out of Memory")) {
    return "The rows or row groups of the Parquet file are too large to read. Send JSON Lines, or smaller row groups.";
  }
  const shown = error.message.replaceAll(escapePattern(path), "the file").replaceAll(path, "the file");
  const [sentence = ""] = shown.replaceAll(dirname(path), "…").split("\n");
  return `The Parquet file cannot be read: ${cutText(sentence, MAX_MESSAGE_CHARACTERS)}`;
}
