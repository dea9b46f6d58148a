/** CSV (RFC 4180), UTF-8 without a mark, lines end in LF. Its columns are explained in `columns.ts`, its cells in `csv-cells.ts`. */
import { createCellReader } from "./cells.ts";
import { findColumns } from "./columns.ts";
import type { Columns } from "./columns.ts";
import { textCell, valueCell } from "./csv-cells.ts";
import type { ExportItem, Format } from "./format.ts";

export const csv: Format = {
  extension: "csv",
  contentType: "text/csv; charset=utf-8",
  compressesItself: false,
  async *encode(source) {
    const columns = await findColumns(source);
    const header = columns.names.map((name) => textCell(name, source.formulaGuard)).join(",");
    yield { bytes: Buffer.from(`${header}\n`), rowCount: 0 };
    const lineOf = createLineWriter(columns, source.formulaGuard);
    for await (const page of source.readPages()) {
      let lines = "";
      for (const item of page) lines += lineOf(item);
      yield { bytes: Buffer.from(lines), rowCount: page.length };
    }
  },
};

function createLineWriter(columns: Columns, formulaGuard: boolean): (item: ExportItem) => string {
  const cells = columns.names.map(() => "");
  // Readers skip an empty line: a row whose only cell is null would be lost.
  const emptyLine = columns.names.length === 1 ? '""\n' : undefined;
  const readCells = createCellReader(columns, (position, json, start, end) => {
    cells[position] = valueCell(json, start, end, formulaGuard);
  });
  return (item) => {
    cells.fill("");
    readCells(item);
    const line = `${cells.join(",")}\n`;
    return line === "\n" && emptyLine !== undefined ? emptyLine : line;
  };
}
