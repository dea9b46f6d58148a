/**
 * CSV (RFC 4180), UTF-8, with another delimiter and a byte order mark on request, lines end in LF. Its columns are explained in `table.ts` and `columns.ts`, its cells in
 * `csv-cells.ts`.
 */
import { ByteWriter } from "../../../platform/byte-writer.ts";
import { findColumns } from "./columns.ts";
import { createCellWriter } from "./csv-fields.ts";
import { PIECE_BYTES } from "./format.ts";
import type { Encoded, Format } from "./format.ts";
import { createPlacedCells } from "./placed-cells.ts";

export const csv: Format = {
  extension: "csv",
  contentType: "text/csv; charset=utf-8",
  compressesItself: false,
  defaultCompression: "none",
  async *encode(source) {
    const columns = await findColumns(source);
    const writer = new ByteWriter();
    const cells = createCellWriter(writer, source);
    const delimiter = source.delimiter.charCodeAt(0);
    if (source.byteOrderMark) writer.text("\uFEFF");
    for (const [position, { name }] of columns.all.entries()) {
      if (position > 0) writer.byte(delimiter);
      cells.text(name);
    }
    writer.byte(NEWLINE);
    const writeValue = (json: Buffer, start: number, end: number): void => cells.value(json, start, end);
    const placed = createPlacedCells(columns);
    const count = columns.all.length;
    let rowCount = 0;
    const takePiece = (): Encoded => {
      const piece = { bytes: writer.take(), rowCount, guardedCells: cells.takeGuardedCount() };
      rowCount = 0;
      return piece;
    };
    for await (const page of source.readPages()) {
      for (const item of page) {
        placed.read(item);
        const start = writer.length;
        for (let position = 0; position < count; position++) {
          if (position > 0) writer.byte(delimiter);
          placed.write(position, writeValue);
        }
        // Readers skip an empty line: a row whose only cell is null would be lost.
        if (count === 1 && writer.length === start) writer.text('""');
        writer.byte(NEWLINE);
      }
      rowCount += page.length;
      if (writer.length >= PIECE_BYTES) yield takePiece();
    }
    yield takePiece();
  },
};

const NEWLINE = 0x0a;
