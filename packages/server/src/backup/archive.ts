/**
 * Where a backup lies: a folder of files, or one tar file with the same names. Both are written under another name and renamed when
 * they are whole and on the disk, so that what has the name of a backup is one.
 */
import { createHash } from "node:crypto";
import { constants, createReadStream, rmSync } from "node:fs";
import type { Stats } from "node:fs";
import { access, mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve, sep } from "node:path";
import { errorCode, exists, syncDirectory } from "../platform/database/embedded/build-beside.ts";
import { makeDirectory } from "../platform/make-directory.ts";
import { endWithProcess } from "./end-with-process.ts";
import { ANOTHER_BACKUP, BackupPathError, MANIFEST, parseManifest } from "./manifest.ts";
import type { EntryOfBackup } from "./manifest.ts";
import { END, headerOf, paddingOf, readTar } from "./tar.ts";

const UNFINISHED = ".unfinished";
const READ_BYTES = 1 << 20;

export interface ArchiveWriter {
  /** One at a time. The source must have so many bytes. */
  add(path: string, sizeBytes: number, source: AsyncIterable<Buffer>): Promise<void>;
  /** What was added so far. */
  entries: readonly EntryOfBackup[];
  /** Writes the manifest; from then on the backup has its name. */
  finish(manifest: string): Promise<void>;
  /** Removes what was written. */
  abort(): Promise<void>;
}

export interface ArchiveEntry {
  path: string;
  sizeBytes: number;
  content: AsyncIterable<Buffer>;
}

/** A name that ends in `.tar` is a file. Throws a `BackupPathError` where there is something of that name. */
export async function createArchive(target: string): Promise<ArchiveWriter> {
  const path = resolve(target);
  if (await exists(path)) throw new BackupPathError(`${target} exists.`, "Name a path where nothing is yet.");
  const unfinished = path + UNFINISHED;
  await rm(unfinished, { recursive: true, force: true });
  makeDirectory(dirname(path));
  const ended = endWithProcess(() => rmSync(unfinished, { recursive: true, force: true }));
  const output = path.endsWith(".tar") ? await openTar(unfinished) : await openFolder(unfinished);
  const entries: EntryOfBackup[] = [];
  return {
    entries,
    async add(name, sizeBytes, source) {
      const hash = createHash("sha256");
      await output.write(name, sizeBytes, checked(name, sizeBytes, source, hash));
      entries.push({ path: name, sizeBytes, sha256: hash.digest("hex") });
    },
    async finish(manifest) {
      const bytes = Buffer.from(manifest);
      await output.write(MANIFEST, bytes.length, [bytes]);
      await output.close();
      await rename(unfinished, path);
      ended();
      await syncDirectory(dirname(path));
    },
    async abort() {
      await output.discard();
      await rm(unfinished, { recursive: true, force: true });
      ended();
    },
  };
}

/** The entries in the order in which they were added, the manifest last. Each is to be read to its end. */
export async function* readArchive(source: string): AsyncGenerator<ArchiveEntry> {
  const stats = await readable(source);
  if (stats.isFile()) {
    yield* readTar(createReadStream(source, { highWaterMark: READ_BYTES }));
    return;
  }
  const there = new Set(await listFiles(source, ""));
  if (!there.delete(MANIFEST))
    throw new BackupPathError(
      `${source} has no ${MANIFEST}: it is not a backup, or an incomplete one.`,
      ANOTHER_BACKUP,
    );
  const { entries } = parseManifest(await readFile(join(source, MANIFEST), "utf8"));
  const listed = entries.map(({ path }) => path).filter((path) => there.delete(path));
  for (const path of [...listed, ...there, MANIFEST]) {
    const file = join(source, ...path.split("/"));
    yield { path, sizeBytes: (await stat(file)).size, content: createReadStream(file, { highWaterMark: READ_BYTES }) };
  }
}

async function readable(source: string): Promise<Stats> {
  try {
    await access(source, constants.R_OK);
    return await stat(source);
  } catch (cause) {
    const code = errorCode(cause) ?? "unknown";
    if (code === "ENOENT" || code === "ENOTDIR")
      throw new BackupPathError(`There is nothing at ${source}.`, "Check the path.", { cause });
    throw new BackupPathError(`${source} cannot be read (${code}).`, "Check its permissions.", { cause });
  }
}

interface Output {
  write(path: string, sizeBytes: number, content: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<void>;
  /** Everything is on the disk. */
  close(): Promise<void>;
  /** Without another byte: the disk may be full. */
  discard(): Promise<void>;
}

async function openTar(path: string): Promise<Output> {
  const file = await open(path, "wx", 0o600);
  let isOpen = true;
  return {
    async write(name, sizeBytes, content) {
      await file.appendFile(headerOf(name, sizeBytes, new Date()));
      for await (const part of content) await file.appendFile(part);
      await file.appendFile(paddingOf(sizeBytes));
    },
    async close() {
      await file.appendFile(END);
      await file.sync();
      isOpen = false;
      await file.close();
    },
    async discard() {
      if (!isOpen) return;
      isOpen = false;
      await file.close();
    },
  };
}

async function openFolder(folder: string): Promise<Output> {
  await mkdir(folder, { mode: 0o700 });
  const folders = new Set([folder]);
  return {
    async write(name, _sizeBytes, content) {
      const path = join(folder, ...name.split("/"));
      if (!path.startsWith(folder + sep)) throw new Error(`${name} leads out of the folder`);
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      for (let each = dirname(path); !folders.has(each); each = dirname(each)) folders.add(each);
      const file = await open(path, "wx", 0o600);
      try {
        for await (const part of content) await file.appendFile(part);
        await file.sync();
      } finally {
        await file.close();
      }
    },
    async close() {
      for (const each of folders) await syncDirectory(each);
    },
    discard: async () => {},
  };
}

async function* checked(
  name: string,
  sizeBytes: number,
  source: AsyncIterable<Buffer>,
  hash: ReturnType<typeof createHash>,
): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const part of source) {
    bytes += part.length;
    if (bytes > sizeBytes) break;
    hash.update(part);
    yield part;
  }
  if (bytes !== sizeBytes) throw new Error(`${basename(name)} has another size than the ${sizeBytes} bytes announced`);
}

async function listFiles(root: string, folder: string): Promise<string[]> {
  const entries = await readdir(join(root, folder), { withFileTypes: true });
  const found: string[] = [];
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = `${folder}${entry.name}`;
    if (entry.isDirectory()) found.push(...(await listFiles(root, `${path}/`)));
    else found.push(path);
  }
  return found;
}
