/** Rows that came in the create's own body: checked and typed as the rows of a JSON file, and stored in the same chunks. */
import type { DatasetFormat } from "@rowmill/contract/dataset-uploads";
import type { Transaction } from "../../platform/database/database.ts";
import type { StoredChunk } from "../datasets/chunk-store.ts";
import { ChunkWriter } from "./chunk-writer.ts";
import type { WrittenRows } from "./chunk-writer.ts";
import type { ReadResult, UploadError } from "./ends.ts";
import { IntakeRejected, RowErrors } from "./readers/intake-rejected.ts";
import { JsonColumns } from "./readers/json-columns.ts";
import { rowTooLarge } from "./readers/jsonl.ts";

/** A statement takes 65 535 parameters, and a chunk has six. */
const CHUNKS_PER_INSERT = 1_000;

export type InlineRows =
  | { outcome: "accepted"; sizeBytes: number; result: ReadResult; written: WrittenRows; chunks: StoredChunk[] }
  | { outcome: "rejected"; sizeBytes: number; errors: UploadError[] };

/** The body's parser has seen to depth, U+0000 and `__proto__` already. */
export async function readInlineRows(
  rows: readonly Record<string, unknown>[],
  options: {
    format: DatasetFormat;
    onInvalidRow: "reject" | "skip";
    maxRowBytes: number;
    maxRows: number;
    chunkRows: number;
  },
): Promise<InlineRows> {
  const chunks: StoredChunk[] = [];
  const writer = new ChunkWriter(options.chunkRows, async (batch) => void chunks.push(...batch.chunks));
  const columns = new JsonColumns();
  const errors = new RowErrors(options.onInvalidRow);
  let sizeBytes = 0;
  let accepted = 0;
  try {
    for (const [index, row] of rows.entries()) {
      const text = Buffer.from(JSON.stringify(row));
      sizeBytes += text.length + 1;
      if (text.length > options.maxRowBytes) {
        errors.addRow(index + 1, rowTooLarge(options.maxRowBytes));
      } else if (accepted === options.maxRows) {
        errors.fail(index + 1, {
          code: "decompression_limit",
          message: `The file holds more than ${options.maxRows} rows.`,
        });
      } else {
        accepted++;
        columns.addRow(row);
        await writer.add({ text, rowCount: 1 });
      }
    }
    errors.settle(accepted);
    const written = await writer.end();
    const result = {
      format: options.format,
      rowsRejected: errors.rejectedRows,
      errors: errors.listed,
      columns: columns.list(),
    };
    return { outcome: "accepted", sizeBytes, result, written, chunks };
  } catch (error) {
    await writer.settle();
    if (error instanceof IntakeRejected) return { outcome: "rejected", sizeBytes, errors: error.errors };
    throw error;
  }
}

export async function storeInlineRows(
  tx: Transaction,
  owner: { organizationId: string; datasetId: string },
  chunks: readonly StoredChunk[],
): Promise<void> {
  for (let from = 0; from < chunks.length; from += CHUNKS_PER_INSERT) {
    await tx
      .insertInto("datasetChunks")
      .values(
        chunks.slice(from, from + CHUNKS_PER_INSERT).map(({ chunkNo, firstRow, rowCount, body }) => ({
          organizationId: owner.organizationId,
          datasetId: owner.datasetId,
          chunkNo,
          firstRow,
          rowCount,
          body,
        })),
      )
      .execute();
  }
}
