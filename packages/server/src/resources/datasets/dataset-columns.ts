/** What a dataset says of its columns. */
export interface Column {
  name: string;
  type: ColumnType;
  /** Rows in which the value is null, or the member absent. */
  nullCount: number;
  /** Numbers as numbers; decimals, dates and timestamps as they are written in the file. Absent for other types. */
  min?: string | number;
  max?: string | number;
}

export type ColumnType =
  | "integer"
  | "number"
  /** Exact decimal numerals that a JSON number would alter; the values are strings. */
  | "decimal"
  | "boolean"
  /** Strings `YYYY-MM-DD`. */
  | "date"
  /** Strings after RFC 3339. */
  | "timestamp"
  | "string"
  | "object"
  | "array"
  | "mixed";

/** More columns than any table people send, few enough for a page of a dataset and for the memory of its statistics. */
export const MAX_COLUMNS = 2000;
/** A longer name is data in the wrong place, and would be repeated in every row. */
export const MAX_COLUMN_NAME_BYTES = 1024;
