/**
 * JSON Lines, UTF-8, lines end in LF. In the layout `nested` each line is the list item as the API shows it, passed on without
 * being parsed; in `flat` each line has all columns of the table, values as they were spelled.
 */
import { createCellReader } from "./cells.ts";
import { findColumns } from "./columns.ts";
import type { ExportItem, Format } from "./format.ts";
import type { Columns } from "./table.ts";

export const jsonl: Format = {
  extension: "jsonl",
  contentType: "application/x-ndjson; charset=utf-8",
  compressesItself: false,
  async *encode(source) {
    const lineOf = source.layout === "flat" ? createFlatLineWriter(await findColumns(source)) : itemLine;
    for await (const page of source.readPages()) {
      let lines = "";
      for (const item of page) lines += lineOf(item);
      yield { bytes: Buffer.from(lines), rowCount: page.length };
    }
  },
};

/** An item is an object with members, so `input` can be written in front of its closing brace. */
function itemLine(item: ExportItem): string {
  return item.input === undefined ? `${item.text}\n` : `${item.text.slice(0, -1)},"input":${item.input}}\n`;
}

function createFlatLineWriter(columns: Columns): (item: ExportItem) => string {
  const keys = columns.all.map(({ name }) => `${JSON.stringify(name)}:`);
  const empty = keys.map((key) => `${key}null`);
  let members: string[] = [];
  const readCells = createCellReader(columns, (position, json, start, end) => {
    members[position] = keys[position] + json.slice(start, end);
  });
  return (item) => {
    members = [...empty];
    readCells(item);
    return `{${members.join(",")}}\n`;
  };
}
