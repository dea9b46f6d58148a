/**
 * Which columns a table of items has (`table.ts`): those that were asked for. If none were: what the contract, the job spec's
 * output schema and the dataset say, in their order, and, unless these say everything, what a look at all items finds beyond
 * it, in order of first appearance. Nothing is left out silently: a column that turns up only while the file is written is
 * an error, and so is a chosen one that does not exist.
 *
 * Most rows are alike, and a look at all of them costs as much as writing them. So a file is begun with the columns of the
 * first page, and again with those of all rows if others turn up (`write-file.ts`).
 */
import { checkChosenColumns } from "./chosen-columns.ts";
import { flatColumns } from "./flat-columns.ts";
import { addFoundColumns, knownColumns } from "./found-columns.ts";
import type { ColumnTree } from "./found-columns.ts";
import { ExportError } from "./format.ts";
import type { ExportSource } from "./format.ts";
import { nameOf, sourceOf, tableOf } from "./table.ts";
import type { Column, Columns } from "./table.ts";
import { unknownColumn } from "./unknown-columns.ts";

export async function findColumns(source: ExportSource): Promise<Columns> {
  if (source.layout === "nested" && source.columns !== null) {
    const columns = nestedChoice(source, source.columns);
    await checkChosenColumns(source, columns);
    return columns;
  }
  const { columns, isComplete } = knownColumns(source);
  if (!isComplete || source.looksAt === "all") await addFoundColumns(columns, source);
  if (source.layout === "nested") return tableOf(nestedColumns(columns), "nothing");
  const all = flatColumns(columns);
  return source.columns === null ? tableOf(all, "other_members") : flatChoice(all, source.columns);
}

function nestedColumns(tree: ColumnTree): Column[] {
  const all: Column[] = [];
  for (const [member, { self, takesObjects, children }] of tree) {
    if (self) all.push({ member, child: undefined, name: member, takesObjects });
    for (const child of children) all.push({ member, child, name: nameOf({ member, child }), takesObjects: true });
  }
  return all;
}

const nestedChoice = (source: ExportSource, names: readonly string[]): Columns =>
  tableOf(
    names.map((name) => ({ ...sourceOf(source.type, name), name, takesObjects: true })),
    "everything",
  );

function flatChoice(all: readonly Column[], names: readonly string[]): Columns {
  const byName = new Map(all.map((column) => [column.name, column]));
  const chosen = names.map((name) => {
    const column = byName.get(name);
    if (column === undefined) throw new ExportError("unknown_column", unknownColumn(name, [...byName.keys()]));
    return { ...column };
  });
  return tableOf(chosen, "everything");
}
