/** The distribution of the columns' values, from a number of rows that does not grow with the dataset. */
import { MAX_EXAMINED_ROWS, MAX_STATISTICS_COLUMNS } from "@rowmill/contract/column-statistics";
import { statementsOf } from "../../platform/database/database.ts";
import type { OperationFunction } from "../../platform/http/handlers.ts";
import { readChunk } from "./chunk-store.ts";
import { ColumnCounts } from "./column-counts.ts";
import type { Column } from "./dataset-columns.ts";
import { findReadyDataset } from "./datasets.ts";

/** Chunks that are read: with the default size of a chunk, as many as have the most rows. */
const MAX_CHUNKS = 40;
/** Of JSON text that is parsed for one response; rows may have megabytes. */
const MAX_EXAMINED_CHARACTERS = 16 * 1024 * 1024;

export const getColumnStatistics: OperationFunction<"getColumnStatistics"> = async (db, caller, { params, query }) => {
  const id = params.datasetId;
  const { fromColumn = 0 } = query;
  const dataset = await findReadyDataset(db, caller, id);
  const columns = (JSON.parse(dataset.columns) as Column[]) // written by intake
    .slice(fromColumn, fromColumn + MAX_STATISTICS_COLUMNS);
  const counted = columns.map((column) => [column.name, new ColumnCounts(column)] as const);
  const last = await db
    .selectFrom("datasetChunks")
    .select(({ fn }) => fn.max("chunkNo").as("chunkNo"))
    .where("datasetId", "=", id)
    .executeTakeFirst();
  let examinedRows = 0;
  let characters = 0;
  for (const chunkNo of chunksToExamine((last?.chunkNo ?? -1) + 1)) {
    const chunk = await readChunk(statementsOf(db), id, chunkNo);
    for (const line of chunk?.lines ?? []) {
      if (examinedRows === MAX_EXAMINED_ROWS || characters >= MAX_EXAMINED_CHARACTERS) break;
      const row = JSON.parse(line) as Record<string, unknown>; // stored rows are objects
      for (const [name, counts] of counted) counts.add(row[name]);
      examinedRows++;
      characters += line.length;
    }
  }
  return {
    examinedRows,
    isComplete: examinedRows === dataset.rowCount,
    columns: counted.map(([, counts]) => counts.describe()),
  };
};

/** Evenly over the dataset, in an order in which also the first few of them are spread over it. */
export function chunksToExamine(chunks: number): number[] {
  const count = Math.min(MAX_CHUNKS, chunks);
  const even = Array.from({ length: count }, (_, i) => Math.floor((i * chunks) / count));
  const stride = 8;
  return even.toSorted((a, b) => (even.indexOf(a) % stride) - (even.indexOf(b) % stride));
}
