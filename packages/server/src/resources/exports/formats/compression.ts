/** Compression of export files. The same bytes in the same pieces always give the same bytes: no time, no name, no threads. */
import { constants, createGzip, createZstdCompress } from "node:zlib";
import type { Transform } from "node:stream";
import type { ExportCompression } from "@rowmill/contract/exports";

interface Compression {
  /** With its dot. */
  extension: string;
  /** Instead of the format's own: the file is delivered compressed, as it is stored. */
  contentType: string | undefined;
  createStream: () => Transform;
}

/** zlib's own default: 9 would take several times as long for a few percent. */
const GZIP_LEVEL = 6;
const ZSTD_LEVEL = 3;

export const compressions = {
  none: undefined,
  gzip: {
    extension: ".gz",
    contentType: "application/gzip",
    createStream: () => createGzip({ level: GZIP_LEVEL }),
  },
  zstd: {
    extension: ".zst",
    contentType: "application/zstd",
    createStream: () =>
      createZstdCompress({
        params: { [constants.ZSTD_c_compressionLevel]: ZSTD_LEVEL, [constants.ZSTD_c_checksumFlag]: 1 },
      }),
  },
} satisfies Record<ExportCompression, Compression | undefined>;

/**
 * Writes all pieces into the stream and ends it. The end is signaled after the last piece was taken, never with it: zstd
 * writes another frame header when it knows of the end early, and whether it does would be a matter of timing.
 */
export async function pump(pieces: AsyncIterable<Buffer>, stream: Transform): Promise<void> {
  try {
    for await (const piece of pieces) {
      await write(stream, piece);
    }
    stream.end();
  } catch (error) {
    stream.destroy(error instanceof Error ? error : new Error(String(error)));
  }
}

/** A stream that is destroyed never completes the write that is under way; it only closes. */
async function write(stream: Transform, piece: Buffer): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const onClose = (): void => reject(stream.errored ?? new Error("the stream was closed"));
    stream.once("close", onClose);
    stream.write(piece, (error) => {
      stream.off("close", onClose);
      if (error) reject(error);
      else resolve();
    });
  });
}
