/**
 * The columns of the layout `flat`: those of the input, the fields of the output under their own names, `row_state` and
 * `failure_code`. Two columns never have one name, in any case of letters: what readers of the file rely on keeps its name,
 * and what clashes with it gets a prefix. Names of output fields depend only on the input's columns, and on each other only
 * where the prefixed name is taken, too.
 */
import type { ColumnTree } from "./found-columns.ts";
import type { Column } from "./table.ts";

const ROW_STATE = "row_state";
const FAILURE_CODE = "failure_code";

/** The column of outputs that are not objects. */
const WHOLE_OUTPUT = "output";

const stateColumns: readonly Column[] = [
  { member: "resultState", child: undefined, name: ROW_STATE, takesObjects: true },
  { member: "failure.code", child: undefined, name: FAILURE_CODE, takesObjects: true },
];

const fold = (name: string): string => name.toLowerCase();

export function flatColumns(tree: ColumnTree): Column[] {
  const taken = new Set(stateColumns.map(({ name }) => name));
  const inputNames = [...(tree.get("input")?.children ?? [])];
  const input = inputColumns(inputNames, taken);
  for (const { name } of input) taken.add(fold(name));
  return [...input, ...outputColumns(tree, taken), ...stateColumns];
}

function inputColumns(names: readonly string[], taken: ReadonlySet<string>): Column[] {
  const all = new Set(names.map(fold));
  return names.map((child) => {
    let name = child;
    while (taken.has(fold(name)) || (name !== child && all.has(fold(name)))) name = `input_${name}`;
    return { member: "input", child, name, takesObjects: true };
  });
}

function outputColumns(tree: ColumnTree, taken: ReadonlySet<string>): Column[] {
  const member = "output.data";
  const { self = false, children = new Set<string>() } = tree.get(member) ?? {};
  const all = new Set(Array.from(children, fold));
  const nameFor = (field: string): string => {
    let name = field;
    while (taken.has(fold(name)) || (name !== field && all.has(fold(name)))) name = `output_${name}`;
    return name;
  };
  const fields = Array.from(children, (child) => ({ member, child, name: nameFor(child), takesObjects: true }));
  if (!self) return fields;
  const own = all.has(WHOLE_OUTPUT) ? `output_${WHOLE_OUTPUT}` : WHOLE_OUTPUT;
  return [{ member, child: undefined, name: nameFor(own), takesObjects: false }, ...fields];
}
