/**
 * Objects that come in pieces, over hours and several connections: files in a folder of the store that `list` does not
 * show. A partial has one writer at a time. A partial that is complete becomes an object without being
 * copied: a second name of the same file.
 */
import { randomUUID } from "node:crypto";
import { copyFile, constants, link, mkdir, open, readdir, rm } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { contentOf } from "./measured-bytes.ts";
import { checkName, ObjectTooLargeError } from "./storage.ts";
import type { PartialObjects, StoredContent } from "./storage.ts";
import { laterNow } from "../shared-time.ts";

/** As much as a power cut may take: what is on the disk is recorded once in so many bytes. */
const SYNC_BYTES = 64 * 1024 * 1024;

/** Read at a time for the digest. */
const READ_BYTES = 1024 * 1024;

/** File systems without a second name for a file say one of these. */
const CANNOT_LINK = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK", "EXDEV"]);

const APPEND = constants.O_CREAT | constants.O_RDWR | constants.O_APPEND;

/** `place` gives a file that is complete and synced the name of an object. */
export function openPartialFiles(
  folder: string,
  incomingPath: () => string,
  place: (written: string, key: string) => Promise<void>,
): PartialObjects {
  const pathOf = (name: string): string => {
    checkName(name);
    return join(folder, name);
  };

  return {
    async sizeOf(name) {
      const file = await openIfThere(pathOf(name));
      if (file === undefined) return 0;
      return withFile(file, async () => {
        // What was written by a process that died is reported only when it is sure to stay.
        await file.sync();
        return (await file.stat()).size;
      });
    },

    async append(name, offset, bytes, { maxBytes }) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const file = await open(pathOf(name), APPEND, 0o600);
      return withFile(file, () => appendTo(file, offset, bytes, maxBytes));
    },

    async complete(name, { folder: target }) {
      const key = `${target}${randomUUID()}`;
      const path = pathOf(name);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const content = await readWhole(path);
      const written = incomingPath();
      try {
        await linkOrCopy(path, written);
        await place(written, key);
      } catch (error) {
        await rm(written, { force: true });
        throw error;
      }
      return { key, ...content };
    },

    async delete(name) {
      await rm(pathOf(name), { force: true });
    },

    async list() {
      try {
        return await readdir(folder);
      } catch (error) {
        if (codeOf(error) === "ENOENT") return [];
        throw error;
      }
    },
  };
}

async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, "r+");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

async function withFile<T>(file: FileHandle, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    await file.close();
  }
}

/** Returns the size of the file then. */
async function appendTo(
  file: FileHandle,
  offset: number,
  bytes: AsyncIterable<Buffer>,
  maxBytes: number,
): Promise<number> {
  if ((await file.stat()).size !== offset) throw new Error(`a partial object does not end at ${offset}`);
  let size = offset;
  let syncedSize = offset;
  try {
    for await (const part of bytes) {
      if (size + part.length > maxBytes) throw new ObjectTooLargeError(maxBytes);
      await file.appendFile(part);
      size += part.length;
      if (size - syncedSize < SYNC_BYTES) continue;
      await file.datasync();
      syncedSize = size;
    }
  } finally {
    await file.sync();
  }
  return size;
}

async function readWhole(path: string): Promise<StoredContent> {
  // Of an empty one nothing has come.
  const file = await open(path, APPEND, 0o600);
  return withFile(file, async () => {
    // Sweeps of objects go by their age.
    const now = laterNow();
    await file.utimes(now, now);
    return contentOfFile(file);
  });
}

async function contentOfFile(file: FileHandle): Promise<StoredContent> {
  async function* read(): AsyncGenerator<Buffer> {
    const buffer = Buffer.allocUnsafe(READ_BYTES);
    for (let at = 0; ;) {
      const { bytesRead } = await file.read(buffer, 0, READ_BYTES, at);
      if (bytesRead === 0) return;
      at += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  }
  return contentOf(read());
}

/** A second name for the file, else a copy that survives a power cut. */
export async function linkOrCopy(path: string, to: string): Promise<void> {
  try {
    await link(path, to);
  } catch (error) {
    if (!CANNOT_LINK.has(codeOf(error) ?? "")) throw error;
    await copyFile(path, to);
    const copy = await open(to, "r+");
    await withFile(copy, () => copy.sync());
  }
}

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
