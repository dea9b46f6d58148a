/**
 * Parquet. The columns are the same as in CSV (`table.ts`, `columns.ts`); `parquet-types.ts` has their types. Rows are collected column
 * by column until a row group is complete, and are then encoded: memory holds one row group, whatever the number of rows.
 *
 * Types are known for certain only after the last row. The file is begun with those that fit the first row group; where a later row
 * changes one, it is begun again, as it is where a column appears (`write-file.ts`), and then all rows are looked at before.
 *
 * The same content gives the same bytes: where row groups and pages end follows from the content.
 */
import { Buffer } from "node:buffer";
import { beginsNull } from "../../../platform/json-bytes.ts";
import { findColumns } from "./columns.ts";
import { ColumnAppearedError } from "./format.ts";
import type { Encoded, ExportItem, ExportSource, Format } from "./format.ts";
import { StagedColumn } from "./parquet-column.ts";
import { MAGIC, ParquetLayout, compressColumn } from "./parquet-file.ts";
import type { ParquetColumn, StoredColumn } from "./parquet-file.ts";
import { createColumnType, declaredType } from "./parquet-types.ts";
import type { ColumnType } from "./parquet-types.ts";
import { createPlacedCells } from "./placed-cells.ts";
import type { Columns } from "./table.ts";

/** As others have it; readers work on a row group at a time. */
const MAX_ROW_GROUP_ROWS = 122_880;
/** Of values: a row group is in memory until it is written, and its pages beside it. */
const MAX_ROW_GROUP_BYTES = 32 << 20;
const NOTHING = Buffer.alloc(0);

export const parquet: Format = {
  extension: "parquet",
  contentType: "application/vnd.apache.parquet",
  compressesItself: true,
  defaultCompression: "zstd",
  async *encode(source, { compression }) {
    const columns = await findColumns(source);
    const types = columns.all.map((column) => createColumnType(declaredType(source, column)));
    if (source.looksAt === "all") await findTypes(source, columns, types);
    const staged = types.map((type) => new StagedColumn(type));
    let layout: ParquetLayout | undefined;
    const writeGroup = async (rowCount: number): Promise<Buffer> => {
      const named = namedColumns(columns, types);
      const begins = layout === undefined;
      layout ??= new ParquetLayout(named, compression);
      const stored: Promise<StoredColumn>[] = [];
      for (const [position, column] of staged.entries()) {
        const { type } = named[position] ?? { type: "VARCHAR" as const };
        stored.push(compressColumn(column.take(type), compression));
        // Other work runs between two columns, of which each takes milliseconds.
        await stored.at(-2);
      }
      const bytes = layout.addRowGroup(await Promise.all(stored), rowCount);
      return Buffer.concat(begins ? [MAGIC, ...bytes] : bytes);
    };
    const stage = createStager(columns, staged);
    let written: readonly ParquetColumn[] | undefined;
    let [groupRows, groupBytes] = [0, 0];
    for await (const page of source.readPages()) {
      for (const item of page) {
        groupBytes += stage(item);
        groupRows++;
        if (groupRows < MAX_ROW_GROUP_ROWS && groupBytes < MAX_ROW_GROUP_BYTES) continue;
        written = checkTypes(namedColumns(columns, types), written);
        yield { bytes: await writeGroup(groupRows), rowCount: 0 };
        [groupRows, groupBytes] = [0, 0];
      }
      yield { bytes: NOTHING, rowCount: page.length } satisfies Encoded;
    }
    checkTypes(namedColumns(columns, types), written);
    if (groupRows > 0) yield { bytes: await writeGroup(groupRows), rowCount: 0 };
    const begun = layout ?? new ParquetLayout(namedColumns(columns, types), compression);
    yield { bytes: Buffer.concat([layout === undefined ? MAGIC : NOTHING, begun.end()]), rowCount: 0 };
  },
};

/** The bytes that the item's values take. */
function createStager(columns: Columns, staged: readonly StagedColumn[]): (item: ExportItem) => number {
  const placed = createPlacedCells(columns);
  let bytes = 0;
  const writers = staged.map((column) => (json: Buffer, start: number, end: number): void => {
    if (beginsNull(json, start)) column.addNull();
    else bytes += column.add(json, start, end);
  });
  return (item) => {
    placed.read(item);
    bytes = 0;
    for (let position = 0; position < staged.length; position++) {
      const write = writers[position];
      if (write !== undefined && !placed.write(position, write)) staged[position]?.addNull();
    }
    return bytes;
  };
}

/** Of all rows. */
async function findTypes(source: ExportSource, columns: Columns, types: readonly ColumnType[]): Promise<void> {
  const placed = createPlacedCells(columns);
  const add = types.map((type) => (json: Buffer, start: number, end: number): void => {
    if (!beginsNull(json, start)) type.add(json, start, end);
  });
  for await (const page of source.readPages())
    for (const item of page) {
      placed.read(item);
      for (const [position, addTo] of add.entries()) placed.write(position, addTo);
    }
}

/** Types as they are now; those that the file was begun with must be the same. */
function checkTypes(now: ParquetColumn[], written: readonly ParquetColumn[] | undefined): readonly ParquetColumn[] {
  const changed = written?.find(({ type }, position) => now[position]?.type !== type);
  if (changed !== undefined)
    throw new ColumnAppearedError(`the column ${changed.name.slice(0, 200)} was of type ${changed.type} before`);
  return now;
}

/**
 * Most readers take names for the same that differ only in case: the later ones get `_2`, `_3` and so on. A NUL, which no
 * reader expects in a name, becomes a visible sign.
 */
function namedColumns(columns: Columns, types: readonly ColumnType[]): ParquetColumn[] {
  const taken = new Set<string>();
  return columns.all.map(({ name: given }, position) => {
    const name = given.toWellFormed().replaceAll("\0", "␀");
    let unique = name;
    for (let number = 2; taken.has(unique.toLowerCase()); number += 1) unique = `${name}_${number}`;
    taken.add(unique.toLowerCase());
    return { name: unique, type: types[position]?.type() ?? "VARCHAR" };
  });
}
