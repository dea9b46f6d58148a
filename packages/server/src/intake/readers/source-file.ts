/**
 * The customer's file as blocks of plain bytes: one layer of gzip or zstd is unpacked on the way, under caps, whatever
 * the file is called. Damaged or cut-off compression is an `encoding_error`: of the intake codes the closest, since the
 * bytes do not decode to the content.
 */
import { createReadStream, createWriteStream } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createZstdDecompress, type Gunzip } from "node:zlib";
import type { Growth } from "./growing-file.ts";
import { IntakeRejected, rejectFile } from "./intake-rejected.ts";
import { isZstdFrame, zstdFrames } from "./zstd-frames.ts";

/** Real data is packed 3 to 30 to one, logs at times 100; a bomb is 1 000 to one. */
const MAX_RATIO = 200;
/** Below this a good ratio means nothing: a megabyte of one repeated line packs to nearly nothing. */
const RATIO_FREE_BYTES = 1 << 20;
/** Reading in 256 KiB costs a fraction of a system call per megabyte; larger blocks only cost memory. */
const BLOCK_BYTES = 256 << 10;
/** Padding stands between the blocks of a tape or the parts of a log; a file of more such parts is built to waste time. */
const MAX_PADDED_PARTS = 10_000;
/** Enough lines to detect a delimiter, and any magic number. */
const HEAD_BYTES = 256 << 10;

interface Reading {
  consumedBytes: number;
}

export class SourceFile {
  readonly path: string;
  readonly compression: "none" | "gzip" | "zstd";
  /** Called for every block that is read from disk, whether anything comes out of it or not. */
  onRead: () => void = () => {};
  readonly #maxBytes: number;
  readonly #sizeBytes: number;
  readonly #growth: Growth | undefined;
  /** Of the latest `blocks()`: an earlier one that was left may still read a little. */
  #reading: Reading = { consumedBytes: 0 };

  constructor(
    path: string,
    sizeBytes: number,
    compression: "none" | "gzip" | "zstd",
    maxBytes: number,
    growth?: Growth,
  ) {
    this.path = path;
    this.compression = compression;
    this.#sizeBytes = sizeBytes;
    this.#maxBytes = maxBytes;
    this.#growth = growth;
  }

  /** How much of the file, as it lies on disk, has gone into the blocks of the latest `blocks()`. */
  get consumedBytes(): number {
    return this.#reading.consumedBytes;
  }

  /** Of a file that grows: as much as is known of it. */
  get sizeBytes(): number {
    return this.#growth === undefined ? this.#sizeBytes : (this.#growth.whole?.sizeBytes ?? this.consumedBytes);
  }

  /** The whole unpacked content in order. May be called again. Throws IntakeRejected at a cap or at damage. */
  async *blocks(): AsyncGenerator<Buffer> {
    const reading = { consumedBytes: 0 };
    this.#reading = reading;
    let unpackedBytes = 0;
    try {
      for await (const block of this.#unpackedBlocks(reading)) {
        unpackedBytes += block.length;
        this.#checkCaps(unpackedBytes, reading);
        yield block;
      }
    } catch (error) {
      throw describeDamage(error, this.compression);
    }
  }

  /** The first bytes of the unpacked content, for finding out what it is. */
  async readHead(): Promise<Buffer> {
    const parts: Buffer[] = [];
    let size = 0;
    for await (const block of this.blocks()) {
      parts.push(block);
      size += block.length;
      if (size >= HEAD_BYTES) break;
    }
    return Buffer.concat(parts).subarray(0, HEAD_BYTES);
  }

  /** This file without compression, for readers that go over it more than once or need random access. */
  async unpackInto(workDirectory: string, onProgress: () => void): Promise<SourceFile> {
    if (this.compression === "none") return this;
    const path = join(workDirectory, "unpacked");
    const watched = async function* (blocks: AsyncIterable<Buffer>) {
      for await (const block of blocks) {
        onProgress();
        yield block;
      }
    };
    const target = createWriteStream(path, { mode: 0o600, flags: "wx" });
    await pipeline(Readable.from(watched(this.blocks())), target);
    return new SourceFile(path, target.bytesWritten, "none", this.#maxBytes);
  }

  async *#unpackedBlocks(reading: Reading): AsyncGenerator<Buffer> {
    switch (this.compression) {
      case "none":
        yield* this.#packedBlocks(reading);
        return;
      case "gzip":
        yield* this.#gzipBlocks(reading);
        return;
      case "zstd":
        // Node's decoder ends, without a word, after the first of several frames: each frame gets its own.
        for await (const frame of zstdFrames(this.path, this.sizeBytes)) {
          yield* unpack(this.#packedBlocks(reading, frame), createZstdDecompress({ chunkSize: BLOCK_BYTES }));
        }
    }
  }

  /** Node's decoder ends, without an error, at zeros behind a member. They are padding, and further members may follow. */
  async *#gzipBlocks(reading: Reading): AsyncGenerator<Buffer> {
    let start = 0;
    for (let part = 1; start < this.sizeBytes; part++) {
      if (part > MAX_PADDED_PARTS) {
        rejectFile(
          "decompression_limit",
          `The gzip file holds more than ${MAX_PADDED_PARTS} parts with zeros between.`,
        );
      }
      reading.consumedBytes = start;
      const gunzip = createGunzip({ chunkSize: BLOCK_BYTES });
      const feeding = feedUntilZeros(this.#packedBlocks(reading, { start, end: this.sizeBytes - 1 }), gunzip);
      feeding.catch((error: unknown) => gunzip.destroy(error instanceof Error ? error : undefined));
      yield* gunzip;
      await feeding;
      start = await this.#skipZeros(start + gunzip.bytesWritten, reading);
    }
  }

  /** Where the first byte other than zero stands from there on, or where the file ends. */
  async #skipZeros(from: number, reading: Reading): Promise<number> {
    if (from >= this.sizeBytes) return from;
    reading.consumedBytes = from;
    let position = from;
    for await (const block of this.#packedBlocks(reading, { start: from, end: this.sizeBytes - 1 })) {
      const zeros = block.findIndex((byte) => byte !== 0);
      if (zeros !== -1) return position + zeros;
      position += block.length;
    }
    return position;
  }

  async *#packedBlocks(reading: Reading, range?: { start: number; end: number }): AsyncGenerator<Buffer> {
    const growth = this.#growth;
    const blocks: AsyncIterable<Buffer> =
      growth !== undefined && growth.whole === undefined
        ? growth.blocks(BLOCK_BYTES)
        : createReadStream(growth?.whole?.path ?? this.path, { highWaterMark: BLOCK_BYTES, ...range });
    for await (const block of blocks) {
      reading.consumedBytes += block.length;
      this.onRead();
      yield block;
    }
  }

  #checkCaps(unpackedBytes: number, { consumedBytes }: Reading): void {
    if (unpackedBytes > this.#maxBytes) {
      rejectFile("decompression_limit", `The content is larger than ${this.#maxBytes} bytes.`);
    }
    const isSuspicious = unpackedBytes > RATIO_FREE_BYTES && unpackedBytes > consumedBytes * MAX_RATIO;
    if (this.compression !== "none" && isSuspicious) {
      rejectFile("decompression_limit", `The content unpacks to more than ${MAX_RATIO} times its size.`);
    }
  }
}

/** A growing file is followed if it is plain; a packed one is waited for, since its parts are not read in order. */
export async function openSourceFile(path: string, maxBytes: number, growth?: Growth): Promise<SourceFile> {
  await growth?.untilSize(HEAD_BYTES);
  const handle = growth === undefined ? await open(path, "r") : await growth.open();
  try {
    const compression = findCompression(await readStart(handle));
    if (compression !== "none") await growth?.untilWhole();
    if (growth !== undefined && growth.whole === undefined) return new SourceFile(path, 0, "none", maxBytes, growth);
    const { size } = await handle.stat();
    return new SourceFile(growth?.whole?.path ?? path, size, compression, maxBytes);
  } finally {
    await handle.close();
  }
}

/** The compression that the first bytes of a content announce. */
export function findCompression(head: Buffer): "none" | "gzip" | "zstd" {
  if (head[0] === 0x1f && head[1] === 0x8b) return "gzip";
  return isZstdFrame(head) ? "zstd" : "none";
}

async function readStart(handle: FileHandle): Promise<Buffer> {
  const start = Buffer.alloc(16);
  const { bytesRead } = await handle.read(start, 0, start.length, 0);
  return start.subarray(0, bytesRead);
}

async function* unpack(
  packed: AsyncIterable<Buffer>,
  unpacker: NodeJS.ReadWriteStream & AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  const feeding = pipeline(Readable.from(packed), unpacker);
  // If the loop below ends first, be it by the same error or because nobody reads on, this one must not go unhandled.
  feeding.catch(() => {});
  yield* unpacker;
  await feeding;
}

/** Block by block, since the decoder takes the first block behind zeros that does not begin with one for a member. */
async function feedUntilZeros(packed: AsyncIterable<Buffer>, gunzip: Gunzip): Promise<void> {
  let fedBytes = 0;
  for await (const block of packed) {
    await new Promise<void>((resolve, reject) => {
      // A decoder that is left, by a reader that has seen enough, does not call back.
      gunzip.once("close", resolve);
      gunzip.write(block, (error) => {
        gunzip.off("close", resolve);
        if (error) reject(error);
        else resolve();
      });
    });
    fedBytes += block.length;
    if (gunzip.destroyed || gunzip.bytesWritten < fedBytes) break;
  }
  gunzip.end();
}

function describeDamage(error: unknown, compression: string): unknown {
  if (error instanceof IntakeRejected) return error;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const name = compression === "gzip" ? "gzip" : "Zstandard";
  if (code === "Z_BUF_ERROR") {
    const message = `The ${name} file ends in the middle: it was cut off on its way.`;
    return new IntakeRejected("encoding_error", [{ line: 1, code: "encoding_error", message }]);
  }
  if (code.startsWith("Z_") || code.startsWith("ZSTD_")) {
    const message = `The ${name} file is damaged and cannot be unpacked.`;
    return new IntakeRejected("encoding_error", [{ line: 1, code: "encoding_error", message }]);
  }
  return error;
}
