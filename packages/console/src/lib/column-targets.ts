/** The fields that take the name of a column, and which of them was used last: a click beside them inserts there. */
export interface ColumnTarget {
  insertColumn(column: string): void;
}

const mounted = new Set<ColumnTarget>();
let last: ColumnTarget | undefined;

export const rememberTarget = (target: ColumnTarget): void => {
  last = target;
};

/** Returns what removes it. */
export function addTarget(target: ColumnTarget): () => void {
  mounted.add(target);
  return () => {
    mounted.delete(target);
    if (last === target) last = undefined;
  };
}

export const insertColumn = (column: string): void => (last ?? [...mounted].at(-1))?.insertColumn(column);
