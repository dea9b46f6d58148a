/**
 * The reader process' way out: collects rows as JSON lines and writes them in frames. Writing blocks while the pipe is
 * full, so the process reads no faster than its parent stores.
 */
import { writeSync } from "node:fs";
import { FRAME_HEADER_BYTES, writeFrameHeader } from "./frames.ts";
import { rejectFile } from "./intake-rejected.ts";

/** A batch is in the parent's memory at once. */
const MAX_BATCH_BYTES = 1 << 20;
/** How often an upload's progress moves while no rows come out (the first of two passes). */
const PROGRESS_INTERVAL_MS = 500;

const NEWLINE = 10;

export class RowWriter {
  rowsWritten = 0;
  /** What `bytesRead` of the next frame says; readers set it from block to block. */
  bytesRead = 0;
  readonly #fileDescriptor: number;
  readonly #limits: { maxBytes: number; maxRows: number; batchRows: number };
  #buffer = Buffer.allocUnsafe(FRAME_HEADER_BYTES + MAX_BATCH_BYTES * 2);
  #end = FRAME_HEADER_BYTES;
  #batchRows = 0;
  #totalBytes = 0;
  #lastFrameAt = Date.now();

  constructor(fileDescriptor: number, limits: { maxBytes: number; maxRows: number; batchRows: number }) {
    this.#fileDescriptor = fileDescriptor;
    this.#limits = limits;
  }

  /** Room for a row of up to `bytes` bytes: write it to the buffer from `start` on, then call `commitRow`. */
  reserveRow(bytes: number): { buffer: Buffer; start: number } {
    const needed = this.#end + bytes + 1;
    if (needed > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(needed);
      this.#buffer.copy(larger, 0, 0, this.#end);
      this.#buffer = larger;
    }
    return { buffer: this.#buffer, start: this.#end };
  }

  commitRow(end: number): void {
    this.#totalBytes += end - this.#end;
    if (++this.rowsWritten > this.#limits.maxRows) {
      rejectFile("decompression_limit", `The file holds more than ${this.#limits.maxRows} rows.`);
    }
    if (this.#totalBytes > this.#limits.maxBytes) {
      rejectFile("decompression_limit", `The rows come to more than ${this.#limits.maxBytes} bytes as JSON.`);
    }
    this.#buffer[end] = NEWLINE;
    this.#end = end + 1;
    this.#batchRows++;
    if (this.#batchRows >= this.#limits.batchRows || this.#end - FRAME_HEADER_BYTES >= MAX_BATCH_BYTES) this.flush();
  }

  writeLine(line: string): void {
    // A UTF-16 code unit is at most three bytes of UTF-8.
    const { buffer, start } = this.reserveRow(line.length * 3);
    this.commitRow(start + buffer.write(line, start, "utf8"));
  }

  /** Tells the parent how far the reading is, if it has not heard anything for a while. */
  reportProgress(bytesRead: number): void {
    this.bytesRead = bytesRead;
    if (Date.now() - this.#lastFrameAt >= PROGRESS_INTERVAL_MS) this.flush();
  }

  /** The last batch. */
  reportEnd(bytesRead: number): void {
    this.bytesRead = bytesRead;
    this.flush();
  }

  flush(): void {
    // The newline behind the last row is not sent.
    const payloadBytes = Math.max(0, this.#end - FRAME_HEADER_BYTES - 1);
    const header = { type: "rows", rowCount: this.#batchRows, bytesRead: this.bytesRead, payloadBytes } as const;
    writeFrameHeader(this.#buffer, header);
    writeFully(this.#fileDescriptor, this.#buffer.subarray(0, FRAME_HEADER_BYTES + payloadBytes));
    this.#end = FRAME_HEADER_BYTES;
    this.#batchRows = 0;
    this.#lastFrameAt = Date.now();
    // A huge row leaves a huge buffer behind; the next batch starts small again.
    if (this.#buffer.length > MAX_BATCH_BYTES * 4) {
      this.#buffer = Buffer.allocUnsafe(FRAME_HEADER_BYTES + MAX_BATCH_BYTES * 2);
    }
  }
}

export function writeFully(fileDescriptor: number, bytes: Buffer): void {
  let written = 0;
  while (written < bytes.length) written += writeSync(fileDescriptor, bytes, written);
}
