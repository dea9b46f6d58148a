/** Chosen columns that only the rows can have: whether any row has them. */
import { createCellReader } from "./cells.ts";
import { addFoundColumns, knownColumns } from "./found-columns.ts";
import { ExportError } from "./format.ts";
import type { ExportSource } from "./format.ts";
import { tableOf } from "./table.ts";
import type { Column, Columns } from "./table.ts";
import { namesOf, isKnown, unknownColumn } from "./unknown-columns.ts";

/** Reads pages until each of them has appeared: mostly one. */
export async function checkChosenColumns(source: ExportSource, chosen: Columns): Promise<void> {
  const { columns: tree } = knownColumns(source);
  const missing = await findMissing(
    source,
    chosen.all.filter((column) => !isKnown(tree, column)),
  );
  if (missing.length === 0) return;
  await addFoundColumns(tree, { ...source, looksAt: "all" });
  for (const column of missing) {
    // Where no row has an object in this place, nothing speaks against the name.
    if (tree.get(column.member)?.children.size === 0) continue;
    throw new ExportError("unknown_column", unknownColumn(column.name, namesOf(tree)));
  }
}

async function findMissing(source: ExportSource, columns: readonly Column[]): Promise<Column[]> {
  const missing = new Set(columns.keys());
  if (missing.size === 0) return [];
  const lookInto = createCellReader(tableOf(columns, "everything"), (position) => missing.delete(position));
  for await (const page of source.readPages()) {
    for (const item of page) lookInto(item);
    if (missing.size === 0) return [];
  }
  return columns.filter((_, position) => missing.has(position));
}
