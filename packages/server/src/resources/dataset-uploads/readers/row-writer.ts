/**
 * The reader process' way out: collects rows as JSON lines and writes them as chunks, in the form in which they are
 * stored: hashing and compressing them here keeps that work, and most of the bytes, away from the server. Writing blocks
 * while the pipe is full, so the process reads no faster than its parent stores.
 */
import { createHash } from "node:crypto";
import { writeSync } from "node:fs";
import { MAX_CHUNK_BYTES, encodeChunkSync } from "../../datasets/chunk-store.ts";
import { encodeRows } from "./frames.ts";
import { rejectFile } from "./intake-rejected.ts";

/** A chunk of ordinary rows; it grows with the rows. */
const BUFFER_BYTES = 256 << 10;
/** How often an upload's progress moves while no rows come out (the first of two passes). */
const PROGRESS_INTERVAL_MS = 500;

const NEWLINE = 10;
const NOTHING = Buffer.alloc(0);

export class RowWriter {
  rowsWritten = 0;
  /** What `bytesRead` of the next frame says; readers set it from block to block. */
  bytesRead = 0;
  readonly #fileDescriptor: number;
  readonly #limits: { maxBytes: number; maxRows: number; chunkRows: number };
  readonly #hash = createHash("sha256");
  #buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  #end = 0;
  #chunkRows = 0;
  #totalBytes = 0;
  #lastFrameAt = Date.now();

  constructor(fileDescriptor: number, limits: { maxBytes: number; maxRows: number; chunkRows: number }) {
    this.#fileDescriptor = fileDescriptor;
    this.#limits = limits;
  }

  /** Room for a row of up to `bytes` bytes: write it to the buffer from `start` on, then call `commitRow`. */
  reserveRow(bytes: number): { buffer: Buffer; start: number } {
    const needed = this.#end + bytes + 1;
    if (needed > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(needed, this.#buffer.length * 2));
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
    this.#chunkRows++;
    if (this.#chunkRows >= this.#limits.chunkRows || this.#end >= MAX_CHUNK_BYTES) this.#writeChunk();
  }

  writeLine(line: string): void {
    // A UTF-16 code unit is at most three bytes of UTF-8.
    const { buffer, start } = this.reserveRow(line.length * 3);
    this.commitRow(start + buffer.write(line, start, "utf8"));
  }

  /** Tells the parent how far the reading is, if it has not heard anything for a while. */
  reportProgress(bytesRead: number): void {
    this.bytesRead = bytesRead;
    if (Date.now() - this.#lastFrameAt >= PROGRESS_INTERVAL_MS) this.#writeRows(0, NOTHING);
  }

  /** The last chunk. */
  end(bytesRead: number): { sizeBytes: number; sha256: string } {
    this.bytesRead = bytesRead;
    if (this.#chunkRows > 0) this.#writeChunk();
    else this.#writeRows(0, NOTHING);
    return { sizeBytes: this.#totalBytes + this.rowsWritten, sha256: this.#hash.digest("hex") };
  }

  #writeChunk(): void {
    this.#hash.update(this.#buffer.subarray(0, this.#end));
    // The newline behind the last row is hashed and not stored.
    this.#writeRows(this.#chunkRows, encodeChunkSync(this.#buffer.subarray(0, this.#end - 1)));
    this.#end = 0;
    this.#chunkRows = 0;
    // A huge row leaves a huge buffer behind; the next chunk starts small again.
    if (this.#buffer.length > MAX_CHUNK_BYTES * 2) this.#buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  }

  #writeRows(rowCount: number, body: Buffer): void {
    writeFully(this.#fileDescriptor, encodeRows(rowCount, this.bytesRead, body));
    this.#lastFrameAt = Date.now();
  }
}

export function writeFully(fileDescriptor: number, bytes: Buffer): void {
  let written = 0;
  while (written < bytes.length) written += writeSync(fileDescriptor, bytes, written);
}
