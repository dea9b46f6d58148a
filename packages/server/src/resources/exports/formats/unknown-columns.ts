/** Names that cannot be columns of an export, and what was probably meant. */
import { nearestName } from "../../../platform/nearest-name.ts";
import { flatColumns } from "./flat-columns.ts";
import { knownColumns } from "./found-columns.ts";
import type { ColumnTree } from "./found-columns.ts";
import type { ExportSource } from "./format.ts";
import { isOpenedItem } from "./item-schemas.ts";
import { nameOf, sourceOf } from "./table.ts";
import type { Source } from "./table.ts";

/** Enough to see how names are built. */
const LISTED_NAMES = 12;

type Table = Pick<
  ExportSource,
  "type" | "layout" | "columns" | "outputSchema" | "hasOneOutputSchema" | "inputColumns" | "isInputComplete"
>;

/** A sentence for the first chosen column that no row can have, known before any row is read. */
export function findImpossibleColumn(table: Table): { position: number; message: string } | undefined {
  const { columns: tree, isComplete } = knownColumns(table);
  const names = table.layout === "flat" ? flatColumns(tree).map(({ name }) => name) : namesOf(tree);
  const known = new Set(names);
  const isPossible = (name: string): boolean => {
    if (known.has(name)) return true;
    if (table.layout === "flat") return !isComplete;
    return isPossibleIn(table, tree, sourceOf(table.type, name));
  };
  const position = (table.columns ?? []).findIndex((name) => !isPossible(name));
  const name = table.columns?.[position];
  return name === undefined ? undefined : { position, message: unknownColumn(name, names) };
}

/** Beside those that are known: what an open object may have, and objects as a whole. */
function isPossibleIn(table: Table, tree: ColumnTree, source: Source): boolean {
  const member = tree.get(source.member);
  if (source.child === undefined) return member !== undefined || isOpenedItem(table.type, source.member);
  return member?.isComplete === false;
}

/** Whether it is a column without any row that has it. */
export const isKnown = (tree: ColumnTree, { member, child }: Source): boolean =>
  child === undefined || tree.get(member)?.children.has(child) === true;

export const namesOf = (tree: ColumnTree): string[] =>
  tree
    .entries()
    .flatMap(([member, { self, children }]) => [
      ...(self ? [member] : []),
      ...Array.from(children, (child) => nameOf({ member, child })),
    ])
    .toArray();

export function unknownColumn(name: string, names: readonly string[]): string {
  const nearest = nearestColumn(name, names);
  const listed = names.slice(0, LISTED_NAMES).map((known) => `\`${known.slice(0, 200)}\``);
  const more = names.length > listed.length ? `, and ${names.length - listed.length} more` : "";
  const hint = nearest === undefined ? `The columns are ${listed.join(", ")}${more}.` : `Did you mean \`${nearest}\`?`;
  return `There is no column \`${name.slice(0, 200)}\`. ${hint}`;
}

/** Of names in one place first, then the last segment anywhere: `label` for `output.data.label`. */
function nearestColumn(name: string, names: readonly string[]): string | undefined {
  // The prefixes of a flat table, where input and output have the name in any case of its letters.
  const prefixed = [`output_${name}`, `input_${name}`].find((known) => names.includes(known));
  if (prefixed !== undefined) return prefixed;
  const [place, last] = splitLast(name);
  const neighbors = names.filter((known) => splitLast(known)[0] === place);
  const neighbor = nearestName(
    last,
    neighbors.map((known) => splitLast(known)[1]),
  );
  if (neighbor !== undefined) return neighbors.find((known) => splitLast(known)[1] === neighbor);
  const elsewhere = nearestName(
    last,
    names.map((known) => splitLast(known)[1]),
  );
  return names.find((known) => splitLast(known)[1] === elsewhere) ?? nearestName(name, names);
}

function splitLast(name: string): [place: string, last: string] {
  const dot = name.lastIndexOf(".");
  return [name.slice(0, dot + 1), name.slice(dot + 1)];
}
