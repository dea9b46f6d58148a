/** CSV (RFC 4180), UTF-8 without a mark, lines end in LF. Its columns are explained in `columns.ts`, its cells in `csv-cells.ts`. */
import { findColumns } from "./columns.ts";
import type { Columns } from "./columns.ts";
import { textCell, valueCell } from "./csv-cells.ts";
import type { ExportItem, Format } from "./format.ts";
import { beginsObject, eachMember } from "./json-members.ts";

export const csv: Format = {
  extension: "csv",
  contentType: "text/csv; charset=utf-8",
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
  const place = (position: number | undefined, name: string, json: string, start: number, end: number): void => {
    if (position !== undefined) cells[position] = valueCell(json, start, end, formulaGuard);
    else if (!columns.areChosen) throw new Error(`the column ${name.slice(0, 200)} was not there before`);
  };
  const placeMember = (name: string, json: string, start: number, end: number): void => {
    const member = columns.members.get(name);
    const self = member === undefined || member.self === -1 ? undefined : member.self;
    if (!beginsObject(json, start)) {
      // The object that another row has in its place has no value here.
      if (self !== undefined || !json.startsWith("null", start)) place(self, name, json, start, end);
      return;
    }
    if (columns.areChosen) {
      if (self !== undefined) place(self, name, json, start, end);
      if (member === undefined || member.children.size === 0) return;
    }
    eachMember(json, start, (child, childStart, childEnd) =>
      place(member?.children.get(child), `${name}.${child}`, json, childStart, childEnd),
    );
  };
  return ({ text, input }) => {
    cells.fill("");
    eachMember(text, 0, (name, start, end) => placeMember(name, text, start, end));
    if (input !== undefined) placeMember("input", input, 0, input.length);
    const line = `${cells.join(",")}\n`;
    return line === "\n" && emptyLine !== undefined ? emptyLine : line;
  };
}
