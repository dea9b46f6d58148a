/**
 * Puts a backup into an empty place. All of it is read and its digests are checked before anything is written. A restore
 * that dies is repeated: objects come first, then the tables in one transaction; an embedded database is built under another name and
 * gets its name last. Until then a file in the data directory says that a restore has not ended: no service starts on it, and the same
 * restore goes over what is there.
 */
import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { Readable } from "node:stream";
import type { Config } from "../config.ts";
import { buildBeside, exists } from "../platform/database/embedded/build-beside.ts";
import { createDataDirectory } from "../platform/database/embedded/cluster.ts";
import { startEmbeddedDatabase } from "../platform/database/embedded/embedded-database.ts";
import { checkBackedUpMigrations } from "../platform/database/migrate.ts";
import {
  forgetUnfinishedRestore,
  noteUnfinishedRestore,
  readUnfinishedRestore,
} from "../platform/database/unfinished-restore.ts";
import type { UnfinishedRestore } from "../platform/database/unfinished-restore.ts";
import type { Log } from "../platform/log.ts";
import { makeDirectory } from "../platform/make-directory.ts";
import { encryptionKeyFile, readEncryptionKeys } from "../platform/secrets/encryption-key.ts";
import { createSealer } from "../platform/secrets/sealing.ts";
import { openObjectStore } from "../platform/storage/open-store.ts";
import type { ObjectStore } from "../platform/storage/storage.ts";
import { readArchive } from "./archive.ts";
import type { ArchiveEntry } from "./archive.ts";
import { endWithProcess } from "./end-with-process.ts";
import { removeKilledRestores } from "./killed-restores.ts";
import { loadDatabase, MIGRATIONS } from "./load-database.ts";
import {
  ANOTHER_BACKUP,
  BackupError,
  BackupPathError,
  FILES_FOLDER,
  KEY_ENTRY,
  MANIFEST,
  MAX_MANIFEST_BYTES,
  parseManifest,
} from "./manifest.ts";
import type { Manifest } from "./manifest.ts";
import { reachServer, withConnection } from "./reach-database.ts";
import { nameOfDatabase } from "../platform/database/primary.ts";
import { QUEUE_SCHEMA } from "../platform/queue/queue-tables.ts";

export interface RestoreReport {
  snapshotAt: string;
  version: string;
  tables: number;
  rows: number;
  objects: number;
  missingObjects: readonly string[];
  store: "folder" | "s3";
}

export async function restore(config: Config, log: Log, source: string): Promise<RestoreReport> {
  const { manifest, digest, encryptionKey } = await verifyBackup(source);
  await checkBackedUpMigrations(manifest.migrations, MIGRATIONS);
  await checkKeys(config, manifest, encryptionKey);
  const { ROWMILL_DATABASE_URL: url } = config;
  const target = { backup: digest, source: resolve(source), database: url === undefined ? null : nameOfDatabase(url) };
  const isRepeated = await isUnfinished(config, target);
  await checkTarget(config, log, isRepeated);
  createDataDirectory(config.ROWMILL_DATA_DIR);
  // Before the database: a start without the key would make another one.
  if (encryptionKey !== undefined && !hasKeySetting(config)) await keepKey(config, encryptionKey);
  if (!isRepeated) await checkStore(config, log, manifest);
  await noteUnfinishedRestore(config.ROWMILL_DATA_DIR, target);
  const objects = await restoreObjects(config, log, source, manifest);
  if (config.ROWMILL_DATABASE_URL === undefined) await loadEmbedded(config, source, manifest);
  else await loadExternal(config.ROWMILL_DATABASE_URL, log, source, manifest);
  await forgetUnfinishedRestore(config.ROWMILL_DATA_DIR);
  return {
    snapshotAt: manifest.snapshotAt,
    version: manifest.version,
    tables: manifest.tables.length,
    rows: manifest.tables.reduce((sum, { rows }) => sum + rows, 0),
    objects,
    missingObjects: manifest.missingObjects,
    store: manifest.store,
  };
}

/** Whether this very restore began here and has not ended. Throws a `BackupError` where another one has. */
async function isUnfinished(config: Config, target: UnfinishedRestore): Promise<boolean> {
  const found = await readUnfinishedRestore(config.ROWMILL_DATA_DIR);
  if (found === undefined) return false;
  if (found.backup === target.backup && found.database === target.database) return true;
  throw new BackupError(
    `A restore of ${found.source} into ${found.database ?? "the embedded database"} did not end in ${config.ROWMILL_DATA_DIR}: ` +
      "repeat that one with its settings, or restore into an empty data directory, database and store.",
  );
}

interface Verified {
  manifest: Manifest;
  /** SHA-256 of the manifest, which has the digests of all the rest. */
  digest: string;
  encryptionKey: string | undefined;
}

/** Reads everything once. Throws a `BackupPathError` where a byte is missing, wrong or too many. */
export async function verifyBackup(source: string): Promise<Verified> {
  const found = new Map<string, { sizeBytes: number; sha256: string }>();
  let text: string | undefined;
  let encryptionKey: string | undefined;
  for await (const entry of readArchive(source)) {
    if (entry.path === MANIFEST) text = await readText(entry);
    else if (entry.path === KEY_ENTRY) encryptionKey = await readText(entry);
    const content = entry.path === KEY_ENTRY ? [Buffer.from(encryptionKey ?? "")] : entry.content;
    if (entry.path !== MANIFEST) found.set(entry.path, await digestOf(content));
  }
  if (text === undefined)
    throw new BackupPathError(`${source} has no ${MANIFEST}: the backup is incomplete.`, ANOTHER_BACKUP);
  const manifest = parseManifest(text);
  for (const { path, sizeBytes, sha256 } of manifest.entries) {
    const entry = found.get(path);
    if (entry === undefined) throw new BackupPathError(`The backup lacks ${path}.`, ANOTHER_BACKUP);
    if (entry.sizeBytes !== sizeBytes || entry.sha256 !== sha256)
      throw new BackupPathError(
        `${path} of the backup is damaged: its SHA-256 is not that of the manifest.`,
        ANOTHER_BACKUP,
      );
    found.delete(path);
  }
  const [extra] = found.keys();
  if (extra !== undefined)
    throw new BackupPathError(`The backup has ${extra}, which its manifest does not name.`, ANOTHER_BACKUP);
  return { manifest, digest: createHash("sha256").update(text).digest("hex"), encryptionKey };
}

async function digestOf(content: AsyncIterable<Buffer> | Iterable<Buffer>) {
  const hash = createHash("sha256");
  let sizeBytes = 0;
  for await (const part of content) {
    hash.update(part);
    sizeBytes += part.length;
  }
  return { sizeBytes, sha256: hash.digest("hex") };
}

async function readText({ path, sizeBytes, content }: ArchiveEntry): Promise<string> {
  if (sizeBytes > MAX_MANIFEST_BYTES) throw new BackupPathError(`${path} of the backup is too large.`, ANOTHER_BACKUP);
  const parts: Buffer[] = [];
  for await (const part of content) parts.push(part);
  return Buffer.concat(parts).toString("utf8");
}

const hasKeySetting = (config: Config): boolean =>
  config.ROWMILL_ENCRYPTION_KEY !== undefined || config.ROWMILL_ENCRYPTION_KEYS.length > 0;

/** The restored service would refuse to start without the keys that its secrets are sealed with. */
async function checkKeys(config: Config, manifest: Manifest, included: string | undefined): Promise<void> {
  const file = encryptionKeyFile(config.ROWMILL_DATA_DIR);
  const hasFile = await exists(file);
  const keys = [
    ...(hasKeySetting(config) || hasFile
      ? readEncryptionKeys({
          keys: config.ROWMILL_ENCRYPTION_KEYS,
          key: config.ROWMILL_ENCRYPTION_KEY,
          dataDirectory: config.ROWMILL_DATA_DIR,
        })
      : []),
    ...(included === undefined || hasKeySetting(config) || hasFile ? [] : [Buffer.from(included, "base64")]),
  ];
  const fingerprints = new Set(keys.map((key) => createSealer(key).fingerprint));
  const missing = manifest.keyFingerprints.filter((each) => !fingerprints.has(each));
  if (missing.length === 0) return;
  const what = keys.length === 0 ? "which the backup does not have" : "and another key is set here";
  throw new BackupError(
    `Secrets in the backup are sealed with the encryption key ${missing.join(", ")}, ${what}. ` +
      `Set ROWMILL_ENCRYPTION_KEY to that key, or put its file at ${file}.`,
  );
}

/** One that is there already is the same: it was checked. */
async function keepKey(config: Config, key: string): Promise<void> {
  const file = encryptionKeyFile(config.ROWMILL_DATA_DIR);
  if (!(await exists(file))) await writeFile(file, key, { mode: 0o600, flush: true });
}

async function checkTarget(config: Config, log: Log, isRepeated: boolean): Promise<void> {
  const { ROWMILL_DATABASE_URL: url, ROWMILL_DATA_DIR: dataDirectory } = config;
  if (url === undefined) {
    if (await exists(join(dataDirectory, "postgres")))
      throw new BackupError(
        `${dataDirectory} has a database: restore into an empty data directory, or move this one away first.`,
      );
    return;
  }
  // What the killed one has left there is replaced.
  if (isRepeated) return;
  const database = await reachServer(url, log);
  try {
    const { rows } = await withConnection(database, (client) =>
      client.query<{ name: string }>(
        `select n.nspname || '.' || c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
         where c.relkind in ('r', 'p', 'v', 'm', 'S') and n.nspname in (current_schema(), $1) limit 1`,
        [QUEUE_SCHEMA],
      ),
    );
    if (rows[0] !== undefined)
      throw new BackupError(
        `The database of ROWMILL_DATABASE_URL is not empty (${rows[0].name}): restore into a new one (create database …).`,
      );
  } finally {
    await database.close();
  }
}

async function checkStore(config: Config, log: Log, manifest: Manifest): Promise<void> {
  if (manifest.store === "s3") return;
  const store = await openStore(config, log);
  try {
    for await (const { key } of store.list(""))
      throw new BackupError(
        `The store is not empty (${key}): restore into an empty folder or prefix (ROWMILL_STORAGE_URL, or \`files\` of the data directory).`,
      );
  } finally {
    await store.close();
  }
}

async function openStore(config: Config, log: Log): Promise<ObjectStore> {
  const location = config.ROWMILL_STORAGE_URL ?? {
    kind: "folder" as const,
    folder: join(config.ROWMILL_DATA_DIR, "files"),
  };
  if (location.kind === "folder") makeDirectory(location.folder, 0o700);
  return openObjectStore(location, log);
}

/** Resolves with their number. */
async function restoreObjects(config: Config, log: Log, source: string, manifest: Manifest): Promise<number> {
  // They are in the bucket, with the name of the installation.
  if (manifest.store === "s3") return 0;
  const store = await openStore(config, log);
  try {
    let count = 0;
    for await (const { path, content } of readArchive(source)) {
      if (path.startsWith(FILES_FOLDER)) {
        await store.put(path.slice(FILES_FOLDER.length), Readable.from(content, { objectMode: false }));
        count++;
      } else for await (const _ of content);
    }
    return count;
  } finally {
    await store.close();
  }
}

async function loadEmbedded(config: Config, source: string, manifest: Manifest): Promise<void> {
  await removeKilledRestores(config.ROWMILL_DATA_DIR);
  await buildBeside(join(config.ROWMILL_DATA_DIR, "postgres"), async (dataDirectory) => {
    const database = await startEmbeddedDatabase({ dataDirectory });
    const stopped = endWithProcess(() => database.stopAtOnce());
    try {
      await loadDatabase(database, source, manifest);
    } finally {
      await database.stop();
      stopped();
    }
  });
}

async function loadExternal(url: string, log: Log, source: string, manifest: Manifest): Promise<void> {
  const database = await reachServer(url, log);
  try {
    await loadDatabase(database, source, manifest);
  } finally {
    await database.close();
  }
}
