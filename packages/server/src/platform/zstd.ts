/**
 * Values of the database as zstd frames that say how large their content is. Short work is done in place: with 110 KB, the way to
 * another thread and back takes this thread 120 µs and more, and unpacking or packing them 80 and 140 µs.
 */
import { constants, createZstdCompress, createZstdDecompress, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import type { ZstdCompress, ZstdDecompress } from "node:zlib";

/** A third of a millisecond at most. */
export const IN_PLACE_BYTES = 256 * 1024;
/** Of content of unknown size. By default, 16 KiB at a time go back and forth between the threads. More than this is no faster. */
const UNPACKED_AT_ONCE = 256 * 1024;
/** zlib takes no smaller buffers, and asks for another one when the first is full to its last byte. */
const MIN_SPARE_BYTES = 64;

const MAGIC = 0xfd_2f_b5_28;
/** Magic number and descriptor, a byte that a frame of known size does not have, and the size, in eight bytes at most. */
const MAX_HEADER_BYTES = 14;

export const isPacked = (bytes: Buffer): boolean => bytes.length >= 4 && bytes.readUInt32LE(0) === MAGIC;

/** A text that takes `size` bytes. */
export function packText(text: string, size: number, level: number): Buffer | Promise<Buffer> {
  if (size > IN_PLACE_BYTES) return packInThread(Buffer.from(text), level);
  scratch ??= Buffer.allocUnsafeSlow(IN_PLACE_BYTES);
  if (scratch.write(text) !== size) throw new Error(`a text does not take ${size} bytes`);
  return packSync(scratch.subarray(0, size), level);
}

/** The bytes of a text that is packed in place. Memory of its own for each would be what most garbage collections are for. */
let scratch: Buffer | undefined;

export const packSync = (bytes: Buffer, level: number): Buffer =>
  moveOut(zstdCompressSync(bytes, optionsFor(bytes, level)));

/** Where this thread has something else to do. */
export const packInThread = (bytes: Buffer, level: number): Promise<Buffer> =>
  inThread(createZstdCompress(optionsFor(bytes, level)), bytes);

const optionsFor = (bytes: Buffer, level: number) => ({
  params: { [constants.ZSTD_c_compressionLevel]: level },
  // With the size known beforehand, zstd takes tables that fit: half the time.
  pledgedSrcSize: bytes.length,
  chunkSize: bufferBytes(mostPackedBytes(bytes.length)),
});

export function unpack(bytes: Buffer): Buffer | Promise<Buffer> {
  const size = contentSizeOf(bytes);
  if (size !== undefined && size <= IN_PLACE_BYTES) return unpackSync(bytes);
  return inThread(createZstdDecompress({ chunkSize: unpackedBytes(size) }), bytes);
}

/** Where there is no event loop to hold up. */
export const unpackSync = (bytes: Buffer): Buffer =>
  moveOut(zstdDecompressSync(bytes, { chunkSize: unpackedBytes(contentSizeOf(bytes)) }));

const unpackedBytes = (size: number | undefined): number => (size === undefined ? UNPACKED_AT_ONCE : bufferBytes(size));

const inThread = (engine: ZstdCompress | ZstdDecompress, bytes: Buffer): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const parts: Buffer<ArrayBuffer>[] = [];
    engine.on("data", (part: Buffer<ArrayBuffer>) => parts.push(part));
    engine.once("error", reject);
    engine.once("end", () => resolve(joinParts(parts)));
    engine.end(bytes);
  });

/** They lie one behind the other in the engine's buffer, unless that became full. */
function joinParts(parts: Buffer<ArrayBuffer>[]): Buffer {
  const buffers = new Set(parts.map((part) => part.buffer));
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const [first] = parts;
  if (first !== undefined && buffers.size === 1) return moveOut(Buffer.from(first.buffer, first.byteOffset, length));
  const joined = Buffer.concat(parts, length);
  for (const buffer of buffers) buffer.transfer(0);
  return joined;
}

/** What zstd's `ZSTD_COMPRESSBOUND` says: more than this, no frame of so much content takes. */
function mostPackedBytes(size: number): number {
  const SMALL_BYTES = 128 * 1024;
  return size + (size >>> 8) + (size < SMALL_BYTES ? (SMALL_BYTES - size) >>> 11 : 0);
}

/** For all of the result, so that there is one buffer, and too large to be a part of the one that Node's small buffers share. */
const bufferBytes = (most: number): number => Math.max(most + MIN_SPARE_BYTES, Buffer.poolSize >>> 1);

/**
 * A result without the buffer that Node has had it written to. Node keeps that one until V8 collects garbage in the whole heap: a
 * compressor refers to it, and a collection among the young objects does not free compressors. 400 pages of results left
 * some 35 MB of such buffers, and V8 then looked through the whole heap to free them.
 */
function moveOut(result: Buffer<ArrayBuffer>): Buffer {
  const { buffer, byteOffset, byteLength } = result;
  if (byteLength > buffer.byteLength / 2) return Buffer.from(buffer.transfer(), byteOffset, byteLength);
  const copy = Buffer.from(result);
  buffer.transfer(0); // frees it
  return copy;
}

/** What the head of a frame says (RFC 8878, section 3.1.1.1); undefined: nothing. */
export function contentSizeOf(bytes: Buffer): number | undefined {
  if (!isPacked(bytes)) return undefined;
  const header = Buffer.alloc(MAX_HEADER_BYTES);
  bytes.copy(header);
  const descriptor = header[4] ?? 0;
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const hasDictionary = (descriptor & 3) !== 0;
  if (hasDictionary) return undefined;
  const at = isSingleSegment ? 5 : 6;
  switch (descriptor >> 6) {
    case 0:
      return isSingleSegment ? header.readUInt8(at) : undefined;
    case 1:
      return header.readUInt16LE(at) + 256;
    case 2:
      return header.readUInt32LE(at);
    default:
      return Number(header.readBigUInt64LE(at));
  }
}
