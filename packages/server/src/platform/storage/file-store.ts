/**
 * Objects as files of one folder, the key being the path below it. A file is written in `.incoming`, synced, and renamed:
 * nothing half-written ever has the name of an object.
 */
import { createHash, randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, open, readdir, rename, rm, rmdir, stat } from "node:fs/promises";
import { dirname, join, resolve, sep } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { openPartialFiles } from "./partial-files.ts";
import {
  checkKey,
  checkPrefix,
  checkRange,
  ObjectNotFoundError,
  type ObjectStore,
  type StoredObject,
} from "./storage.ts";

/** The longest upload or export is written within hours; what is a day old was left by a process that died. */
const LEFTOVER_AGE_MS = 24 * 60 * 60_000;

/** What may come while a write is under way; it goes into the next one as a whole. Writes of 64 KB take a third longer. */
const WRITE_BYTES = 1 << 20;

/** `delete` removes folders that became empty, perhaps one that `put` has just made: then it makes it again. */
const PLACE_ATTEMPTS = 5;

const INCOMING = ".incoming";
const PARTIAL = ".partial";

/** Makes the folder if it is missing, and sweeps what crashed writes have left. */
export async function openFileStore(directory: string): Promise<ObjectStore> {
  const root = resolve(directory);
  const incoming = join(root, INCOMING);
  await mkdir(incoming, { recursive: true, mode: 0o700 });
  await sweepLeftovers(incoming);

  const pathOf = (key: string): string => {
    checkKey(key);
    return join(root, ...key.split("/"));
  };

  return {
    async put(key, stream, onFile) {
      const path = pathOf(key);
      const written = join(incoming, randomUUID());
      try {
        const digest = await writeSynced(stream, written, onFile);
        await place(written, path, root);
        return digest;
      } catch (error) {
        await rm(written, { force: true });
        throw error;
      }
    },

    async get(key, range) {
      if (range) checkRange(range);
      const file = await open(pathOf(key), "r").catch((error: unknown) => {
        throw isMissing(error) ? new ObjectNotFoundError(key, error) : error;
      });
      if (!(await file.stat()).isFile()) {
        await file.close();
        throw new ObjectNotFoundError(key);
      }
      return file.createReadStream({ ...range });
    },

    async head(key) {
      const stats = await stat(pathOf(key)).catch(nothingIfMissing);
      return stats?.isFile() ? { sizeBytes: stats.size } : undefined;
    },

    list(prefix) {
      checkPrefix(prefix);
      // Only folders on the way to the prefix are read, not the entire store.
      return listFolder(root, prefix.slice(0, prefix.lastIndexOf("/") + 1), prefix);
    },

    async delete(key) {
      const path = pathOf(key);
      const stats = await stat(path).catch(nothingIfMissing);
      if (!stats?.isFile()) return;
      await rm(path, { force: true });
      await removeEmptyFolders(dirname(path), root);
    },

    localPath: pathOf,

    partials: openPartialFiles(
      join(root, PARTIAL),
      () => join(incoming, randomUUID()),
      (written, key) => place(written, pathOf(key), root),
    ),
  };
}

async function writeSynced(
  stream: Readable,
  path: string,
  onFile: ((path: string) => void) | undefined,
): Promise<{ sizeBytes: number; sha256: string }> {
  const hash = createHash("sha256");
  let sizeBytes = 0;
  await pipeline(
    stream,
    async function* measure(source: AsyncIterable<Buffer | string>) {
      for await (const chunk of source) {
        const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
        hash.update(bytes);
        if (sizeBytes === 0) onFile?.(path);
        sizeBytes += bytes.byteLength;
        yield bytes;
      }
    },
    createWriteStream(path, { flags: "wx", mode: 0o600, flush: true, highWaterMark: WRITE_BYTES }),
  );
  return { sizeBytes, sha256: hash.digest("hex") };
}

/** Gives a synced file its name, and makes the names of the folders on the way to it as durable. */
async function place(written: string, path: string, root: string): Promise<void> {
  const folder = dirname(path);
  for (let attempt = 1; ; attempt += 1) {
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await rename(written, path);
      break;
    } catch (error) {
      if (!isMissing(error) || attempt === PLACE_ATTEMPTS) throw error;
    }
  }
  await syncFolders(folder, root);
}

async function syncFolders(folder: string, root: string): Promise<void> {
  if (process.platform === "win32") return; // It has no such call for folders.
  // Missing: the object was deleted already, and its folder with it.
  const handle = await open(folder, "r").catch(nothingIfMissing);
  try {
    await handle?.sync();
  } finally {
    await handle?.close();
  }
  if (folder !== root) await syncFolders(dirname(folder), root);
}

/** `folder` is empty or ends with a slash. */
async function* listFolder(root: string, folder: string, prefix: string): AsyncGenerator<StoredObject> {
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(nothingIfMissing);
  // A folder sorts with its slash, so that the order is that of the keys: `a-b` before `a/b`.
  const names = (entries ?? []).map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name)).toSorted();
  for (const name of names) {
    const key = folder + name;
    const leadsToPrefix = key.startsWith(prefix) || (name.endsWith("/") && prefix.startsWith(key));
    if (name.startsWith(".") || !leadsToPrefix) continue;
    if (name.endsWith("/")) {
      yield* listFolder(root, key, prefix);
      continue;
    }
    const stats = await stat(join(root, key)).catch(nothingIfMissing);
    if (stats) yield { key, sizeBytes: stats.size, modifiedAt: stats.mtime };
  }
}

async function removeEmptyFolders(folder: string, root: string): Promise<void> {
  if (!folder.startsWith(root + sep)) return;
  try {
    await rmdir(folder);
  } catch (error) {
    if (["ENOTEMPTY", "EEXIST", "ENOENT"].includes(codeOf(error) ?? "")) return;
    throw error;
  }
  await removeEmptyFolders(dirname(folder), root);
}

async function sweepLeftovers(incoming: string): Promise<void> {
  for (const name of await readdir(incoming)) {
    const path = join(incoming, name);
    const stats = await stat(path).catch(nothingIfMissing);
    if (stats && Date.now() - stats.mtimeMs > LEFTOVER_AGE_MS) await rm(path, { force: true });
  }
}

/** ENOTDIR: the key continues that of an object, so there is none of this name. */
function isMissing(error: unknown): boolean {
  return ["ENOENT", "ENOTDIR"].includes(codeOf(error) ?? "");
}

function nothingIfMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error;
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
