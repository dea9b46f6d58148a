/** From items to a stored file: format, compression, store. Each part takes what the next can hold, so memory stays flat. */
import { once } from "node:events";
import { addAbortSignal, Readable } from "node:stream";
import type { ExportCompression, ExportFormat } from "@rowmill/contract/exports";
import type { ObjectStore } from "../../platform/storage/storage.ts";
import { encode } from "./encoding/encode.ts";
import type { EncodeThreads } from "./encoding/encode-threads.ts";
import { pump } from "./formats/compression.ts";
import { ColumnAppearedError } from "./formats/format.ts";
import type { ExportSource } from "./formats/format.ts";
import { compressionAround } from "./formats/formats.ts";

export interface WrittenFile {
  rowCount: number;
  guardedCells: number;
  sizeBytes: number;
  sha256: string;
}

/** Of a file that is being written: the rows that have been encoded so far. */
export interface WriteProgress {
  rowCount: number;
}

/**
 * Nothing is stored when it fails, or when the signal says to stop. A file that was begun with the columns of the first page is
 * written again from its beginning where other columns appear, or values of other types.
 */
export async function writeFile(
  ...[store, key, file, source, signal, threads, progress]: Parameters<typeof writeFileOnce>
): Promise<WrittenFile> {
  try {
    return await writeFileOnce(store, key, file, source, signal, threads, progress);
  } catch (error) {
    if (!(error instanceof ColumnAppearedError) || source.looksAt !== "first_page") throw error;
    return writeFileOnce(store, key, file, { ...source, looksAt: "all" }, signal, threads, progress);
  }
}

async function writeFileOnce(
  store: Pick<ObjectStore, "put">,
  key: string,
  file: { format: ExportFormat; compression: ExportCompression },
  source: ExportSource,
  signal: AbortSignal,
  threads: EncodeThreads,
  progress: WriteProgress = { rowCount: 0 },
): Promise<WrittenFile> {
  let [rowCount, guardedCells] = [0, 0];
  progress.rowCount = 0;
  async function* bytes(): AsyncGenerator<Buffer> {
    const pieces = encode(source, file, signal, threads);
    for await (const encoded of pieces) {
      signal.throwIfAborted();
      rowCount += encoded.rowCount;
      progress.rowCount = rowCount;
      guardedCells += encoded.guardedCells ?? 0;
      if (encoded.bytes.length > 0) yield encoded.bytes;
    }
  }
  const compression = compressionAround(file);
  if (compression) {
    const stream = addAbortSignal(signal, compression.createStream());
    const [stored] = await Promise.all([store.put(key, stream), pump(bytes(), stream)]);
    return { rowCount, guardedCells, ...stored };
  }
  const stream = addAbortSignal(signal, Readable.from(bytes(), { objectMode: false }));
  const closed = once(stream, "close").catch(() => undefined); // its error is that of `put`
  try {
    const stored = await store.put(key, stream);
    return { rowCount, guardedCells, ...stored };
  } finally {
    // It closes when the format has ended, which may still read from the database.
    stream.destroy();
    await closed;
  }
}
