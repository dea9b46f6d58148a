/** Rows that came in the create's own body: checked and typed as the rows of a JSON file, and stored in the same chunks. */
import { createHash } from "node:crypto";
import { setImmediate as nextRound } from "node:timers/promises";
import type { DatasetFormat } from "@rowmill/contract/dataset-uploads";
import { statementsOf } from "../platform/database/database.ts";
import type { Transaction } from "../platform/database/database.ts";
import { isDistributed } from "../platform/database/distribution-marks.ts";
import { isRow } from "../platform/database/row-key.ts";
import { linesOf } from "../platform/http/read-body.ts";
import { MAX_CHUNK_BYTES, encodeChunk, storedBytesOf } from "../resources/datasets/chunk-store.ts";
import type { StoredChunk } from "../resources/datasets/chunk-store.ts";
import type { UploadRefusal } from "../resources/dataset-uploads/dataset-uploads.ts";
import { insertChunks } from "./chunk-writer.ts";
import type { ReadResult } from "./complete-upload.ts";
import { IntakeRejected, RowErrors } from "./readers/intake-rejected.ts";
import { JsonColumns } from "./readers/json-columns.ts";
import { rowTooLarge } from "./readers/jsonl.ts";

/** A statement takes 65 535 parameters, and a chunk has six. */
const CHUNKS_PER_INSERT = 1_000;
/** Rows are looked through on the thread that serves everybody: some milliseconds at once. */
const CHARACTERS_A_ROUND = 512 * 1024;

export type InlineRows =
  | { outcome: "accepted"; result: ReadResult; chunks: StoredChunk[] }
  | ({ outcome: "rejected" } & UploadRefusal);

export interface InlineOptions {
  format: DatasetFormat;
  onInvalidRow: "reject" | "skip";
  maxRowBytes: number;
  maxRows: number;
  chunkRows: number;
}

/** The body's parser has seen to depth, U+0000 and `__proto__` already. */
export async function readInlineRows(
  rows: readonly Record<string, unknown>[],
  options: InlineOptions,
): Promise<InlineRows> {
  const errors = new RowErrors(options.onInvalidRow);
  const columns = new JsonColumns();
  const lines: string[] = [];
  try {
    const texts = linesOf(rows);
    let characters = 0;
    for (const [index, row] of rows.entries()) {
      const line = texts?.[index] ?? JSON.stringify(row);
      characters += line.length;
      if (characters >= CHARACTERS_A_ROUND) {
        characters = 0;
        await nextRound();
      }
      if (Buffer.byteLength(line) > options.maxRowBytes) {
        errors.addRow(index + 1, rowTooLarge(options.maxRowBytes), line);
        continue;
      }
      // What the body reader has made of an object.
      columns.addRow(texts === undefined ? row : (JSON.parse(line) as Record<string, unknown>));
      if (lines.push(line) > options.maxRows) {
        const message = `The rows are more than ${options.maxRows}.`;
        errors.fail(index + 1, { code: "decompression_limit", message });
      }
    }
    errors.settle(lines.length);
  } catch (error) {
    if (error instanceof IntakeRejected)
      return { outcome: "rejected", errors: error.errors, isSkippable: error.isSkippable };
    throw error;
  }
  const chunks = await makeChunks(lines, options.chunkRows);
  const result: ReadResult = {
    format: options.format,
    rowCount: lines.length,
    chunkCount: chunks.length,
    rowsRejected: errors.rejectedRows,
    errors: errors.listed,
    columns: columns.list(),
    ...measure(lines),
  };
  return { outcome: "accepted", result, chunks };
}

async function makeChunks(lines: readonly string[], chunkRows: number): Promise<StoredChunk[]> {
  const chunks: StoredChunk[] = [];
  for (let firstRow = 0; firstRow < lines.length;) {
    let end = firstRow;
    for (let bytes = 0; end < lines.length && end - firstRow < chunkRows && bytes < MAX_CHUNK_BYTES; end++)
      bytes += Buffer.byteLength(lines[end] ?? "");
    const body = await encodeChunk(Buffer.from(lines.slice(firstRow, end).join("\n")));
    chunks.push({ chunkNo: chunks.length, firstRow, rowCount: end - firstRow, body });
    firstRow = end;
  }
  return chunks;
}

function measure(lines: readonly string[]): { sizeBytes: number; sha256: string } {
  const hash = createHash("sha256");
  let sizeBytes = 0;
  for (const line of lines) {
    hash.update(line).update("\n");
    sizeBytes += Buffer.byteLength(line) + 1;
  }
  return { sizeBytes, sha256: hash.digest("hex") };
}

export async function storeInlineRows(
  tx: Transaction,
  owner: { organizationId: string; datasetId: string },
  chunks: readonly StoredChunk[],
): Promise<void> {
  for (let from = 0; from < chunks.length; from += CHUNKS_PER_INSERT) {
    const some = chunks.slice(from, from + CHUNKS_PER_INSERT);
    // On a cluster, rows of `values` are committed there before the dataset is; what this one inserts is committed with it.
    if (isDistributed(tx)) await insertChunks(statementsOf(tx), owner, some);
    else
      await tx
        .insertInto("datasetChunks")
        .values(some.map((chunk) => ({ ...owner, ...chunk })))
        .execute();
  }
  await tx
    .updateTable("datasets")
    .set({ storedBytes: storedBytesOf(chunks) })
    .where(isRow(owner, owner.datasetId))
    .execute();
}
