/** Where a file is encoded: here, or in a thread. */
import type { Encoded, ExportSource } from "../formats/format.ts";
import { formats } from "../formats/formats.ts";
import { encodeInThread } from "./encode-in-thread.ts";
import type { EncodedFile } from "./encode-messages.ts";

/** A thread needs as long for its start as the service for so many rows. */
const MOST_ROWS_HERE = 2_000;

export function encode(source: ExportSource, file: EncodedFile, signal: AbortSignal): AsyncGenerator<Encoded> {
  // Items are passed on as they are: for a thread they would be copied as often as for the file.
  const isPassedOn = file.format === "jsonl" && source.layout === "nested";
  return isPassedOn || source.mostRows <= MOST_ROWS_HERE
    ? formats[file.format].encode(source, { compression: file.compression })
    : encodeInThread(source, file, signal);
}
