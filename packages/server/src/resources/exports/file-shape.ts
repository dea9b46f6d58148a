/**
 * Which columns a file has, and how its CSV is written. The table keeps both as one JSON value, which is the list of the columns, or null
 * without one, where the CSV is written as it always is.
 */
export interface FileShape {
  /** Null: all that rows have. */
  columns: readonly string[] | null;
  delimiter: string;
  byteOrderMark: boolean;
}

const USUAL = { delimiter: ",", byteOrderMark: false } as const;

export const shapeOf = (asked: {
  columns?: readonly string[] | undefined;
  delimiter?: string | undefined;
  byteOrderMark?: boolean | undefined;
}): FileShape => ({
  columns: asked.columns ?? null,
  delimiter: asked.delimiter ?? USUAL.delimiter,
  byteOrderMark: asked.byteOrderMark ?? USUAL.byteOrderMark,
});

export function storeShape(shape: FileShape): string | null {
  const { columns, delimiter, byteOrderMark } = shape;
  if (delimiter !== USUAL.delimiter || byteOrderMark !== USUAL.byteOrderMark) return JSON.stringify(shape);
  return columns === null ? null : JSON.stringify(columns);
}

export function readShape(stored: string | null): FileShape {
  const value = stored === null ? null : (JSON.parse(stored) as readonly string[] | FileShape); // as `storeShape` wrote it
  return value === null || isList(value) ? { ...USUAL, columns: value } : value;
}

const isList = (value: readonly string[] | FileShape): value is readonly string[] => Array.isArray(value);
