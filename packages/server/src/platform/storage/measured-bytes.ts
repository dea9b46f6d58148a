/** Bytes on their way into a store: counted, limited, and their digest. */
import { createHash } from "node:crypto";
import { ObjectTooLargeError } from "./storage.ts";
import type { StoredContent } from "./storage.ts";

export interface MeasuredBytes {
  bytes: AsyncGenerator<Buffer>;
  /** Of those that have been taken. */
  sizeBytes: () => number;
  /** Once all bytes have been taken. */
  content: () => StoredContent;
}

export function measureBytes(
  source: AsyncIterable<Buffer | string>,
  { maxBytes = Number.POSITIVE_INFINITY, onFirst }: { maxBytes?: number | undefined; onFirst?: () => void } = {},
): MeasuredBytes {
  const hash = createHash("sha256");
  let sizeBytes = 0;
  async function* measured(): AsyncGenerator<Buffer> {
    for await (const chunk of source) {
      const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
      if (sizeBytes + bytes.length > maxBytes) throw new ObjectTooLargeError(maxBytes);
      if (sizeBytes === 0) onFirst?.();
      hash.update(bytes);
      sizeBytes += bytes.length;
      yield bytes;
    }
  }
  return { bytes: measured(), sizeBytes: () => sizeBytes, content: () => ({ sizeBytes, sha256: hash.digest("hex") }) };
}

/** Of bytes that are only read. */
export async function contentOf(source: AsyncIterable<Buffer>): Promise<StoredContent> {
  const { bytes, content } = measureBytes(source);
  let step = await bytes.next();
  while (step.done !== true) step = await bytes.next();
  return content();
}
