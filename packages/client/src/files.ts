/** Files, in Node. In a browser `files-browser.ts` stands in its place. */
import { createHash, randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, rename, rm, stat } from "node:fs/promises";
import { basename } from "node:path";
import type { ContentSource } from "./content.ts";

/** Read at a time: few system calls, little memory. */
const READ_BYTES = 256 * 1024;

export async function fileSource(path: string): Promise<ContentSource> {
  const { size } = await stat(path);
  return {
    sizeBytes: size,
    filename: basename(path),
    isReplayable: true,
    open: (from = 0) => createReadStream(path, { highWaterMark: READ_BYTES, start: from }),
  };
}

export interface FileWriter {
  /** Bytes written so far. */
  readonly sizeBytes: number;
  write(chunk: Uint8Array): Promise<void>;
  /** Begins again with an empty file. */
  restart(): Promise<void>;
  /** The SHA-256 of what was written, in hexadecimal. */
  finish(): Promise<string>;
  /** Gives the file its name. */
  keep(): Promise<void>;
  discard(): Promise<void>;
}

/** Writes beside the path; the file has its name only once it is whole. */
export async function fileWriter(path: string): Promise<FileWriter> {
  const partPath = `${path}.${randomUUID()}.part`; // two downloads of one path do not meet
  const file = await open(partPath, "wx");
  let hash = createHash("sha256");
  let sizeBytes = 0;
  return {
    get sizeBytes() {
      return sizeBytes;
    },
    async write(chunk) {
      // One write may take only a part of the chunk.
      for (let at = 0; at < chunk.length;) {
        at += (await file.write(chunk, at, chunk.length - at, sizeBytes + at)).bytesWritten;
      }
      hash.update(chunk);
      sizeBytes += chunk.length;
    },
    async restart() {
      await file.truncate(0);
      hash = createHash("sha256");
      sizeBytes = 0;
    },
    async finish() {
      await file.sync();
      return hash.digest("hex");
    },
    async keep() {
      await file.close();
      await rename(partPath, path);
    },
    async discard() {
      await file.close();
      await rm(partPath, { force: true });
    },
  };
}
