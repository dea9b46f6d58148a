/**
 * The reader process' way out: collects rows as JSON lines and writes them as chunks, in the form in which they are
 * stored: hashing and compressing them here keeps that work, and most of the bytes, away from the server. Compressing goes
 * on beside the reading; writing blocks while the pipe is full, so the process reads no faster than its parent stores.
 */
import { createHash } from "node:crypto";
import { writeSync } from "node:fs";
import { MAX_CHUNK_BYTES, encodeChunk, encodeChunkSync } from "../../resources/datasets/chunk-store.ts";
import { encodeRows, encodeVoid } from "./frames.ts";
import { rejectFile } from "./intake-rejected.ts";
import { plural } from "../../platform/plural.ts";

/** A chunk of ordinary rows; it grows with the rows. */
const BUFFER_BYTES = 256 << 10;
/** One that has grown beyond this with a few large rows is not kept. */
const KEPT_BUFFER_BYTES = 1 << 20;
/** Chunks that are compressed beside the reading; with more in flight it would run ahead without limit. */
const MAX_COMPRESSING = 4;
/** How often an upload's progress moves while no rows come out (a reading that only looks). */
const PROGRESS_INTERVAL_MS = 500;

const NEWLINE = 10;
const NOTHING = Buffer.alloc(0);

interface Outgoing {
  rowCount: number;
  bytesRead: number;
  /** Undefined while it is being compressed. */
  body: Buffer | undefined;
}

export class RowWriter {
  rowsWritten = 0;
  /** What `bytesRead` of the next frame says; readers set it from block to block. */
  bytesRead = 0;
  #reportedBytes = 0;
  #hasSentRows = false;
  readonly #fileDescriptor: number;
  readonly #limits: { maxBytes: number; maxRows: number; chunkRows: number };
  #hash = createHash("sha256");
  #buffer: Buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  #end = 0;
  #chunkRows = 0;
  #totalBytes = 0;
  /** In the order of the rows; the first is the next to be written. */
  #outgoing: Outgoing[] = [];
  readonly #compressing = new Set<Promise<void>>();
  /** Buffers whose text has been compressed. */
  readonly #free: Buffer[] = [];
  #lastFrameAt = performance.now();

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
      rejectFile("decompression_limit", `The file holds more than ${plural(this.#limits.maxRows, "row")}.`);
    }
    if (this.#totalBytes > this.#limits.maxBytes) {
      rejectFile("decompression_limit", `The rows come to more than ${this.#limits.maxBytes} bytes as JSON.`);
    }
    this.#buffer[end] = NEWLINE;
    this.#end = end + 1;
    this.#chunkRows++;
    if (this.#chunkRows >= this.#limits.chunkRows || this.#end >= MAX_CHUNK_BYTES) this.#endChunk();
  }

  /** A row that is JSON text already. */
  writeBytes(bytes: Buffer, from: number, to: number): void {
    const { buffer, start } = this.reserveRow(to - from);
    this.commitRow(start + bytes.copy(buffer, start, from, to));
  }

  writeLine(line: string): void {
    // A UTF-16 code unit is at most three bytes of UTF-8.
    const { buffer, start } = this.reserveRow(line.length * 3);
    this.commitRow(start + buffer.write(line, start, "utf8"));
  }

  /** All rows so far are to be forgotten: the next one is the first. */
  voidRows(): void {
    this.rowsWritten = 0;
    this.#hash = createHash("sha256");
    this.#end = 0;
    this.#chunkRows = 0;
    this.#totalBytes = 0;
    this.#outgoing = [];
    if (!this.#hasSentRows) return;
    this.#hasSentRows = false;
    writeFully(this.#fileDescriptor, encodeVoid(this.#reportedBytes));
  }

  /** Reports the progress of the reading to the parent, if nothing was sent for a while. */
  reportProgress(bytesRead: number): void {
    this.bytesRead = bytesRead;
    if (performance.now() - this.#lastFrameAt >= PROGRESS_INTERVAL_MS) this.#send(0, NOTHING);
  }

  /** The last chunk. All that was committed is written when it resolves. */
  async end(bytesRead: number): Promise<{ sizeBytes: number; sha256: string }> {
    this.bytesRead = bytesRead;
    if (this.#chunkRows > 0) this.#endChunk();
    else this.#send(0, NOTHING);
    await Promise.all(this.#compressing);
    return { sizeBytes: this.#totalBytes + this.rowsWritten, sha256: this.#hash.digest("hex") };
  }

  #endChunk(): void {
    this.#hash.update(this.#buffer.subarray(0, this.#end));
    // The newline behind the last row is hashed and not stored.
    const text = this.#buffer.subarray(0, this.#end - 1);
    if (this.#compressing.size < MAX_COMPRESSING) {
      const outgoing = this.#send(this.#chunkRows, undefined);
      const buffer = this.#buffer;
      const compressing = encodeChunk(text).then((body) => {
        this.#compressing.delete(compressing);
        if (buffer.length <= KEPT_BUFFER_BYTES) this.#free.push(buffer);
        outgoing.body = body;
        this.#writeOutgoing();
      });
      this.#compressing.add(compressing);
      // The text belongs to the compression now.
      this.#buffer = this.#free.pop() ?? Buffer.allocUnsafe(BUFFER_BYTES);
    } else {
      this.#send(this.#chunkRows, encodeChunkSync(text));
      if (this.#buffer.length > KEPT_BUFFER_BYTES) this.#buffer = Buffer.allocUnsafe(BUFFER_BYTES);
    }
    this.#end = 0;
    this.#chunkRows = 0;
  }

  #send(rowCount: number, body: Buffer | undefined): Outgoing {
    // Between two members of a packed file the position is known late: progress never goes back.
    this.#reportedBytes = Math.max(this.#reportedBytes, this.bytesRead);
    const outgoing = { rowCount, bytesRead: this.#reportedBytes, body };
    this.#outgoing.push(outgoing);
    this.#writeOutgoing();
    return outgoing;
  }

  #writeOutgoing(): void {
    for (let next = this.#outgoing[0]; next?.body !== undefined; next = this.#outgoing[0]) {
      this.#outgoing.shift();
      this.#hasSentRows ||= next.rowCount > 0;
      writeFully(this.#fileDescriptor, encodeRows(next.rowCount, next.bytesRead, next.body));
      this.#lastFrameAt = performance.now();
    }
  }
}

export function writeFully(fileDescriptor: number, bytes: Buffer): void {
  let written = 0;
  while (written < bytes.length) written += writeSync(fileDescriptor, bytes, written);
}
