/**
 * JSON Lines, UTF-8, lines end in LF. In the layout `nested` each line is the list item as the API shows it, passed on without
 * being parsed; in `flat` each line has all columns of the table, values as they were spelled.
 */
import { ByteWriter } from "../../../platform/byte-writer.ts";
import { findColumns } from "./columns.ts";
import { PIECE_BYTES } from "./format.ts";
import type { ExportItem, Format } from "./format.ts";
import { createPlacedCells } from "./placed-cells.ts";
import type { Columns } from "./table.ts";

export const jsonl: Format = {
  extension: "jsonl",
  contentType: "application/x-ndjson; charset=utf-8",
  compressesItself: false,
  defaultCompression: "none",
  async *encode(source) {
    const writer = new ByteWriter();
    const writeLine =
      source.layout === "flat"
        ? createFlatLineWriter(writer, await findColumns(source))
        : (item: ExportItem) => writeItem(writer, item);
    let rowCount = 0;
    for await (const page of source.readPages()) {
      for (const item of page) {
        writeLine(item);
        writer.byte(NEWLINE);
      }
      rowCount += page.length;
      if (writer.length < PIECE_BYTES) continue;
      yield { bytes: writer.take(), rowCount };
      rowCount = 0;
    }
    yield { bytes: writer.take(), rowCount };
  },
};

const NEWLINE = 0x0a;
const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const INPUT = Buffer.from(',"input":');
const NULL = Buffer.from("null");

/** An item is an object with members, so `input` can be written in front of its closing brace. */
function writeItem(writer: ByteWriter, item: ExportItem): void {
  item.writeTo(writer);
  const { input } = item;
  if (input === undefined) return;
  writer.cut(writer.length - 1);
  writer.copy(INPUT);
  writer.copy(input.bytes, input.start, input.end);
  writer.byte(CLOSE_BRACE);
}

function createFlatLineWriter(writer: ByteWriter, columns: Columns): (item: ExportItem) => void {
  const placed = createPlacedCells(columns);
  const keys = columns.all.map(({ name }) => Buffer.from(`${JSON.stringify(name)}:`));
  const writeValue = (json: Buffer, start: number, end: number): void => writer.copy(json, start, end);
  return (item) => {
    placed.read(item);
    writer.byte(OPEN_BRACE);
    for (const [position, key] of keys.entries()) {
      if (position > 0) writer.byte(COMMA);
      writer.copy(key);
      if (!placed.write(position, writeValue)) writer.copy(NULL);
    }
    writer.byte(CLOSE_BRACE);
  };
}
