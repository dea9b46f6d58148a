/**
 * Parquet. Its columns are those of CSV (`table.ts`, `columns.ts`), their types stand in `parquet-types.ts`. The rows are staged in a
 * file of JSON lines, since types are known only after the last of them; then a process of its own (`parquet-process.ts`)
 * makes the Parquet file of it, which goes to the store. What is held in memory does not grow with the rows.
 *
 * The same content gives the same bytes: one thread writes, and where row groups end follows from the content.
 */
import { createReadStream } from "node:fs";
import { open, rm } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { ByteWriter } from "../../../platform/byte-writer.ts";
import { beginsNull } from "../../../platform/json-bytes.ts";
import { findColumns } from "./columns.ts";
import { PIECE_BYTES } from "./format.ts";
import type { Encoded, ExportItem, ExportSource, Format } from "./format.ts";
import type { ParquetColumn, ParquetJob } from "./parquet-child.ts";
import { startParquetWriter } from "./parquet-process.ts";
import { createColumnType, declaredType } from "./parquet-types.ts";
import type { ColumnType } from "./parquet-types.ts";
import { createPlacedCells } from "./placed-cells.ts";
import type { Columns } from "./table.ts";

/** DuckDB's own number; readers work on a row group at a time. */
const MAX_ROW_GROUP_ROWS = 122_880;
/** Of staged rows: a row group is in memory until it is written, more than once. */
const MAX_ROW_GROUP_BYTES = 64 << 20;
const NOTHING = Buffer.alloc(0);
const NEWLINE = 0x0a;
const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

const codecs = { none: "uncompressed", gzip: "gzip", zstd: "zstd" } as const;

export const parquet: Format = {
  extension: "parquet",
  contentType: "application/vnd.apache.parquet",
  compressesItself: true,
  async *encode(source, { compression, makeDirectory, signal }) {
    const columns = await findColumns(source);
    const directory = await makeDirectory();
    try {
      const staged = join(directory, "rows.jsonl");
      const target = join(directory, "rows.parquet");
      // It starts while rows are staged.
      const writing = await startParquetWriter({ staged, target }, signal);
      try {
        const rows = createRowStager(columns, source);
        yield* stageRows(source, rows, staged);
        await writing.write({ ...rows.job(), codec: codecs[compression] });
      } finally {
        await writing.stop();
      }
      await rm(staged);
      for await (const bytes of createReadStream(target, { highWaterMark: PIECE_BYTES }))
        yield { bytes: bytes as Buffer, rowCount: 0 }; // a stream without an encoding gives buffers
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  },
};

/** Gives counts only, no bytes. */
async function* stageRows(source: ExportSource, rows: RowStager, path: string): AsyncGenerator<Encoded> {
  const handle: FileHandle = await open(path, "wx", 0o600);
  try {
    for await (const page of source.readPages()) {
      rows.add(page);
      if (rows.pendingBytes() >= PIECE_BYTES) await handle.appendFile(rows.take());
      yield { bytes: NOTHING, rowCount: page.length };
    }
    await handle.appendFile(rows.take());
  } finally {
    await handle.close();
  }
}

interface RowStager {
  add(page: readonly ExportItem[]): void;
  /** Lines that have not been taken. */
  pendingBytes(): number;
  take(): Buffer;
  /** What is known after the last line. */
  job(): Pick<ParquetJob, "columns" | "stagedBytes" | "maxLineBytes" | "rowsPerGroup">;
}

/** A staged row is an object of texts, `{"c0":"7","c2":"label"}`: what they become is decided when all are known. */
function createRowStager(columns: Columns, source: ExportSource): RowStager {
  const types: ColumnType[] = columns.all.map((column) => createColumnType(declaredType(source, column)));
  const placed = createPlacedCells(columns);
  const writer = new ByteWriter();
  // A null is left out.
  const writers = types.map((type, position) => {
    const key = Buffer.from(`"c${position}":`);
    return (json: Buffer, start: number, end: number): void => {
      if (beginsNull(json, start)) return;
      type.add(json, start, end);
      if (writer.length > lineStart + 1) writer.byte(COMMA);
      writer.copy(key);
      writeStagedText(writer, json, start, end);
    };
  });
  let [rowCount, stagedBytes, maxLineBytes, lineStart] = [0, 0, 0, 0];
  return {
    add(page) {
      for (const item of page) {
        placed.read(item);
        lineStart = writer.length;
        writer.byte(OPEN_BRACE);
        for (const [position, write] of writers.entries()) placed.write(position, write);
        writer.byte(CLOSE_BRACE);
        writer.byte(NEWLINE);
        maxLineBytes = Math.max(maxLineBytes, writer.length - lineStart);
      }
      rowCount += page.length;
    },
    pendingBytes: () => writer.length,
    take() {
      stagedBytes += writer.length;
      return writer.take();
    },
    job: () => ({
      columns: namedColumns(
        columns.all.map(({ name }) => name),
        types,
      ),
      stagedBytes,
      maxLineBytes,
      rowsPerGroup: Math.min(
        MAX_ROW_GROUP_ROWS,
        Math.max(1, Math.floor((MAX_ROW_GROUP_BYTES / Math.max(1, stagedBytes)) * rowCount)),
      ),
    }),
  };
}

/** A text that stands for the value: itself, a numeral's digits as they are, JSON text of what is nested. */
function writeStagedText(writer: ByteWriter, json: Buffer, start: number, end: number): void {
  const first = json[start];
  if (first === OPEN_BRACE || first === OPEN_BRACKET) writer.text(JSON.stringify(json.toString("utf8", start, end)));
  else if (first !== QUOTE) {
    writer.byte(QUOTE);
    writer.copy(json, start, end);
    writer.byte(QUOTE);
  } else if (!writer.copyUnless(json, start, end, BACKSLASH))
    // Halves of surrogate pairs, which JSON can spell, are no text in UTF-8.
    writer.text(JSON.stringify((JSON.parse(json.toString("utf8", start, end)) as string).toWellFormed())); // a JSON string
}

/**
 * Most readers take names for the same that differ only in case: the later ones get `_2`, `_3` and so on. A NUL, which no
 * reader expects in a name, becomes a visible sign.
 */
function namedColumns(names: readonly string[], types: readonly ColumnType[]): ParquetColumn[] {
  const taken = new Set<string>();
  return names.map((given, position) => {
    const name = given.toWellFormed().replaceAll("\0", "␀");
    let unique = name;
    for (let number = 2; taken.has(unique.toLowerCase()); number += 1) unique = `${name}_${number}`;
    taken.add(unique.toLowerCase());
    return { name: unique, type: types[position]?.type() ?? "VARCHAR" };
  });
}
