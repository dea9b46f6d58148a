/**
 * The input of rows whose index only grows. It comes as one stream beside the results; where the next row is far ahead, the stream
 * is closed, and rows are read one by one until they are close to each other again. Memory is a row.
 */
import type { DatasetRow, ResolvedResult, Rowmill, Run } from "@rowmill/client";
import { parseExactly } from "../frame/exact-json.ts";
import { streamRows } from "./stream-rows.ts";

/** So many rows of a stream take about the time of a request. */
const MAX_SKIPPED_ROWS = 200;

export interface InputReader {
  read(row: Pick<ResolvedResult, "index" | "datasetRowId">): Promise<Record<string, unknown>>;
  close(): Promise<void>;
}

export function createInputReader(
  rowmill: Rowmill,
  { datasetId }: Pick<Run, "datasetId">,
  signal: AbortSignal,
): InputReader {
  const options = { signal, parseJson: parseExactly };
  let rows: AsyncGenerator<DatasetRow, void, undefined> | undefined;
  /** The index that comes next from the stream. */
  let streamAt = 0;
  let lastIndex = -1;

  async function close(): Promise<void> {
    const closed = rows;
    rows = undefined;
    await closed?.return();
  }

  return {
    async read({ index, datasetRowId }) {
      const isNear = index - lastIndex <= MAX_SKIPPED_ROWS;
      lastIndex = index;
      if (rows !== undefined && index - streamAt > MAX_SKIPPED_ROWS) await close();
      if (rows === undefined) {
        if (!isNear) return (await rowmill.datasets.row(datasetId, datasetRowId, options)).data;
        rows = streamRows((fromIndex) => rowmill.datasets.rows(datasetId, { fromIndex }, options), index);
      }
      for (;;) {
        const { done, value } = await rows.next();
        if (done === true) throw new Error(`the dataset has no row ${index}`);
        streamAt = value.index + 1;
        if (value.index === index) return value.data;
      }
    },
    close,
  };
}
