/** Where a file is encoded: here, or in a thread. */
import type { Encoded, ExportSource } from "../formats/format.ts";
import { formats } from "../formats/formats.ts";
import { encodeInThread } from "./encode-in-thread.ts";
import type { EncodedFile } from "./encode-messages.ts";
import type { EncodeThreads } from "./encode-threads.ts";

/** They take the service some hundredths of a second, page by page, and a thread a tenth for its start. */
const MOST_ROWS_HERE = 10_000;

export function encode(
  source: ExportSource,
  file: EncodedFile,
  signal: AbortSignal,
  threads: EncodeThreads,
): AsyncGenerator<Encoded> {
  // Items are passed on as they are: for a thread they would be copied as often as for the file.
  const isPassedOn = file.format === "jsonl" && source.layout === "nested";
  return isPassedOn || source.mostRows <= MOST_ROWS_HERE
    ? formats[file.format].encode(source, { compression: file.compression })
    : encodeInThread(source, file, signal, threads);
}
