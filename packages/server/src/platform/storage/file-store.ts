/**
 * Objects as files of one folder, the key being the path below it. A file is written in `.incoming`, synced, and renamed:
 * nothing half-written ever has the name of an object.
 */
import { randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, open, readdir, rename, rm, rmdir, stat, writeFile } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { dirname, join, resolve, sep } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { makeDirectory } from "../make-directory.ts";
import { holdFiles, sweepKeptFiles } from "./kept-files.ts";
import { measureBytes } from "./measured-bytes.ts";
import { openPartialFiles } from "./partial-files.ts";
import {
  checkKey,
  checkPrefix,
  checkRange,
  LEFTOVER_AGE_MS,
  ObjectNotFoundError,
  StoreUnavailableError,
  type ObjectStore,
  type PutOptions,
  type StoredContent,
  type StoredObject,
} from "./storage.ts";
import { earlierMs } from "../shared-time.ts";

/** What may come while a write is under way; it goes into the next one as a whole. Writes of 64 KB take a third longer. */
const WRITE_BYTES = 1 << 20;

/** `delete` removes folders that became empty, perhaps one that `put` has just made: then it makes it again. */
const PLACE_ATTEMPTS = 5;

const INCOMING = ".incoming";
const PARTIAL = ".partial";
const KEPT = ".held";

/** Makes the folder if it is missing, and sweeps what crashed writes have left. */
export async function openFileStore(directory: string): Promise<ObjectStore> {
  const root = resolve(directory);
  const incoming = join(root, INCOMING);
  makeDirectory(incoming, 0o700);
  await sweepLeftovers(incoming);

  const pathOf = (key: string): string => {
    checkKey(key);
    return join(root, ...key.split("/"));
  };

  return {
    put: async (key, stream, options = {}) =>
      putObject(stream, { written: join(incoming, randomUUID()), path: pathOf(key), root }, options),

    async get(key, range) {
      if (range) checkRange(range);
      const file = await openObject(key, pathOf(key));
      return file.createReadStream({ ...range });
    },

    async head(key) {
      const stats = await stat(pathOf(key)).catch(nothingIfMissing);
      return stats?.isFile() ? { sizeBytes: stats.size } : undefined;
    },

    list(prefix) {
      checkPrefix(prefix);
      // Only folders on the way to the prefix are read, not the entire store.
      return listFolder(root, folderOf(prefix), prefix);
    },

    delete: async (key) => deleteObject(pathOf(key), root),

    async deleteAll(prefix, { exceptKey } = {}) {
      checkPrefix(prefix);
      for await (const { key } of listFolder(root, folderOf(prefix), prefix))
        if (key !== exceptKey) await deleteObject(pathOf(key), root);
    },

    async sweepLeftovers() {
      await sweepLeftovers(incoming);
      await sweepKeptFiles(join(root, KEPT));
    },

    hold: (keys) => holdFiles(join(root, KEPT), keys, pathOf),

    prove: () => prove(root, incoming),

    localPath: pathOf,

    close: () => Promise.resolve(),

    partials: openPartialFiles(
      join(root, PARTIAL),
      () => join(incoming, randomUUID()),
      (written, key) => place(written, pathOf(key), root),
    ),
  };
}

/** `written` is where the bytes go first, `path` where they are once they are whole. */
async function putObject(
  stream: Readable,
  { written, path, root }: { written: string; path: string; root: string },
  options: PutOptions,
): Promise<StoredContent> {
  try {
    const content = await writeSynced(stream, written, options);
    await place(written, path, root);
    return content;
  } catch (error) {
    await rm(written, { force: true });
    throw error;
  }
}

async function openObject(key: string, path: string): Promise<FileHandle> {
  const file = await open(path, "r").catch((error: unknown) => {
    throw isMissing(error) ? new ObjectNotFoundError(key, error) : error;
  });
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw new ObjectNotFoundError(key);
}

async function deleteObject(path: string, root: string): Promise<void> {
  const stats = await stat(path).catch(nothingIfMissing);
  if (!stats?.isFile()) return;
  await rm(path, { force: true });
  await removeEmptyFolders(dirname(path), root);
}

async function prove(root: string, incoming: string): Promise<void> {
  const probe = join(incoming, randomUUID());
  try {
    await writeFile(probe, "", { flag: "wx", mode: 0o600 });
    await rm(probe);
    await readdir(root);
  } catch (cause) {
    throw new StoreUnavailableError(
      `The folder of the store cannot be used${describeCode(cause)}: its user needs to read and write there.`,
      { cause },
    );
  }
}

async function writeSynced(stream: Readable, path: string, { maxBytes, onFile }: PutOptions): Promise<StoredContent> {
  const measured = measureBytes(stream, { maxBytes, onFirst: () => onFile?.(path) });
  // `pipeline` watches the stream, too: one that is cut off without an error fails as well.
  await pipeline(
    stream,
    () => measured.bytes,
    createWriteStream(path, { flags: "wx", mode: 0o600, flush: true, highWaterMark: WRITE_BYTES }),
  );
  return measured.content();
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

/** Only this folder has to be read, and not the entire store. */
const folderOf = (prefix: string): string => prefix.slice(0, prefix.lastIndexOf("/") + 1);

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
    if (stats) yield { key, sizeBytes: stats.size, ageMs: earlierMs() - stats.mtimeMs };
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
    if (stats && earlierMs() - stats.mtimeMs > LEFTOVER_AGE_MS) await rm(path, { force: true });
  }
}

/** ENOTDIR: the key continues that of an object, so there is no object of this name. */
function isMissing(error: unknown): boolean {
  return ["ENOENT", "ENOTDIR"].includes(codeOf(error) ?? "");
}

function nothingIfMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error;
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

const describeCode = (error: unknown): string => {
  const code = codeOf(error);
  return code === undefined ? "" : ` (${code})`;
};
