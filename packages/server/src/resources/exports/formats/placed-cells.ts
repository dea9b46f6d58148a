/** The values of one item by column. An item may have a member twice, or none: the last one counts. */
import { createCellReader } from "./cells.ts";
import type { ExportItem } from "./format.ts";
import type { Columns } from "./table.ts";

interface PlacedCells {
  /** Of this item from here on. */
  read(item: ExportItem): void;
  /** Calls `write` with the bytes in which the column's JSON stands; false where the item has no value for it. */
  write(position: number, write: (json: Buffer, start: number, end: number) => void): boolean;
}

export function createPlacedCells(columns: Columns): PlacedCells {
  const count = columns.all.length;
  const values: (Buffer | undefined)[] = Array.from({ length: count });
  const [starts, ends] = [columns.all.map(() => 0), columns.all.map(() => 0)];
  const readCells = createCellReader(columns, (position, json, start, end) => {
    values[position] = json;
    starts[position] = start;
    ends[position] = end;
  });
  return {
    read(item) {
      values.fill(undefined);
      readCells(item);
    },
    write(position, write) {
      const json = values[position];
      if (json === undefined) return false;
      write(json, starts[position] ?? 0, ends[position] ?? 0);
      return true;
    },
  };
}
