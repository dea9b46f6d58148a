import type { Column } from "./columns.ts";
import { rejectFile } from "./intake-rejected.ts";
import type { ReaderContext } from "./read-file.ts";

export async function readParquet(_context: ReaderContext): Promise<Column[]> {
  return rejectFile("unsupported_format", "Parquet is not read yet.");
}
