/** Where the frames of a Zstandard file begin and end, after RFC 8878 section 3.1, without unpacking anything. */
import { type FileHandle, open } from "node:fs/promises";
import { rejectFile } from "./intake-rejected.ts";

/** Parallel compressors write frames of some megabytes; a file of tiny frames is built to waste time. */
const MAX_FRAMES = 100_000;

const MAGIC = 0xfd2fb528;
/** Sixteen magic numbers, 0x184D2A50 to 0x184D2A5F, mark frames that carry no content. */
const SKIPPABLE_MAGIC = 0x184d2a50;

export function isZstdFrame(head: Buffer): boolean {
  return head.length >= 4 && (head.readUInt32LE(0) === MAGIC || isSkippable(head.readUInt32LE(0)));
}

/** The content frames in order, `end` included. A frame that is cut off ends where the file ends: its decoder reports it. */
export async function* zstdFrames(path: string, sizeBytes: number): AsyncGenerator<{ start: number; end: number }> {
  const handle = await open(path, "r");
  try {
    let start = 0;
    for (let frameCount = 1; start < sizeBytes; frameCount++) {
      if (frameCount > MAX_FRAMES) {
        rejectFile("decompression_limit", `The Zstandard file holds more than ${MAX_FRAMES} frames.`);
      }
      const head = await readAt(handle, start, 18);
      if (head.length >= 8 && isSkippable(head.readUInt32LE(0))) {
        start += 8 + head.readUInt32LE(4);
        continue;
      }
      if (head.length >= 4 && head.readUInt32LE(0) !== MAGIC) {
        rejectFile("encoding_error", "The Zstandard file has other bytes behind its content.");
      }
      const next = await findFrameEnd(handle, start, head);
      yield { start, end: Math.min(next, sizeBytes) - 1 };
      start = next;
    }
  } finally {
    await handle.close();
  }
}

async function findFrameEnd(handle: FileHandle, start: number, head: Buffer): Promise<number> {
  const descriptor = head[4] ?? 0;
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const hasChecksum = (descriptor & 0x04) !== 0;
  const dictionaryIdBytes = [0, 1, 2, 4][descriptor & 3] ?? 0;
  const contentSizeBytes = [isSingleSegment ? 1 : 0, 2, 4, 8][descriptor >> 6] ?? 0;
  let position = start + 5 + (isSingleSegment ? 0 : 1) + dictionaryIdBytes + contentSizeBytes;
  for (;;) {
    const block = await readAt(handle, position, 3);
    if (block.length < 3) return Number.MAX_SAFE_INTEGER;
    const header = block.readUIntLE(0, 3);
    const isLast = (header & 1) === 1;
    const isRunLength = ((header >> 1) & 3) === 1;
    position += 3 + (isRunLength ? 1 : header >> 3);
    if (isLast) return position + (hasChecksum ? 4 : 0);
  }
}

function isSkippable(magic: number): boolean {
  return (magic & 0xfffffff0) >>> 0 === SKIPPABLE_MAGIC;
}

async function readAt(handle: FileHandle, position: number, bytes: number): Promise<Buffer> {
  const target = Buffer.alloc(bytes);
  const { bytesRead } = await handle.read(target, 0, bytes, position);
  return target.subarray(0, bytesRead);
}
