/** From items to a stored file: format, compression, store. Each part takes what the next can hold, so memory stays flat. */
import { addAbortSignal, Readable } from "node:stream";
import type { ExportCompression, ExportFormat } from "@rowmill/contract/exports";
import type { ObjectStore } from "../../platform/storage/storage.ts";
import { compressions, pump } from "./compression.ts";
import type { ExportSource } from "./formats/format.ts";
import { formats } from "./formats/formats.ts";

export interface WrittenFile {
  rowCount: number;
  sizeBytes: number;
  sha256: string;
}

/** Nothing is stored when it fails, or when the signal says to stop. */
export async function writeFile(
  store: ObjectStore,
  key: string,
  file: { format: ExportFormat; compression: ExportCompression },
  source: ExportSource,
  signal: AbortSignal,
): Promise<WrittenFile> {
  let rowCount = 0;
  async function* encode(): AsyncGenerator<Buffer> {
    for await (const encoded of formats[file.format].encode(source)) {
      signal.throwIfAborted();
      rowCount += encoded.rowCount;
      if (encoded.bytes.length > 0) yield encoded.bytes;
    }
  }
  const compression = compressions[file.compression];
  const stream: Readable = compression ? compression.createStream() : Readable.from(encode(), { objectMode: false });
  addAbortSignal(signal, stream);
  const [stored] = await Promise.all([
    store.put(key, stream),
    ...(compression ? [pump(encode(), stream as ReturnType<typeof compression.createStream>)] : []),
  ]);
  return { rowCount, ...stored };
}
