/** CSV (RFC 4180), UTF-8 without a mark, lines end in LF. Its columns are explained in `table.ts` and `columns.ts`, its cells in `csv-cells.ts`. */
import { createCellReader } from "./cells.ts";
import { findColumns } from "./columns.ts";
import { createCellWriter } from "./csv-fields.ts";
import type { CellWriter } from "./csv-fields.ts";
import type { ExportItem, Format } from "./format.ts";
import type { Columns } from "./table.ts";

export const csv: Format = {
  extension: "csv",
  contentType: "text/csv; charset=utf-8",
  compressesItself: false,
  async *encode(source) {
    const columns = await findColumns(source);
    const cells = createCellWriter(source.formulaGuard);
    const header = columns.all.map(({ name }) => cells.text(name)).join(",");
    yield { bytes: Buffer.from(`${header}\n`), rowCount: 0, guardedCells: cells.takeGuardedCount() };
    const lineOf = createLineWriter(columns, cells);
    for await (const page of source.readPages()) {
      let lines = "";
      for (const item of page) lines += lineOf(item);
      yield { bytes: Buffer.from(lines), rowCount: page.length, guardedCells: cells.takeGuardedCount() };
    }
  },
};

function createLineWriter(columns: Columns, writer: CellWriter): (item: ExportItem) => string {
  const cells = columns.all.map(() => "");
  // Readers skip an empty line: a row whose only cell is null would be lost.
  const emptyLine = columns.all.length === 1 ? '""\n' : undefined;
  const readCells = createCellReader(columns, (position, json, start, end) => {
    cells[position] = writer.value(json, start, end);
  });
  return (item) => {
    cells.fill("");
    readCells(item);
    const line = `${cells.join(",")}\n`;
    return line === "\n" && emptyLine !== undefined ? emptyLine : line;
  };
}
