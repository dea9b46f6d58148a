/**
 * A backup of an installation while it runs.
 *
 *   snapshot   one repeatable-read transaction: everything in the database is as it was at this moment
 *   hold       the objects that the snapshot names get second names, so that the service may delete them
 *   write      objects, then tables (COPY, compressed), then the manifest with all digests
 *
 * An object may be deleted between the snapshot and the hold: then there is one more snapshot. What is missing from two snapshots in a row
 * the store had lost before. Uploads in pieces that are not complete are left out: they begin again.
 */
import { pipeline, Readable } from "node:stream";
import { join } from "node:path";
import { createZstdCompress, constants } from "node:zlib";
import type { Client } from "pg";
import { to as copyTo } from "pg-copy-streams";
import type { Config } from "../config.ts";
import { READ_CONTENT_KEYS } from "../intake/content.ts";
import { readDistribution } from "../platform/database/read-distribution.ts";
import type { Log } from "../platform/log.ts";
import { isKeyFileMissing, keySettings, readEncryptionKeys } from "../platform/secrets/encryption-key.ts";
import { createSealer } from "../platform/secrets/sealing.ts";
import { openObjectStore } from "../platform/storage/open-store.ts";
import type { KeptObjects, ObjectStore } from "../platform/storage/storage.ts";
import { READ_KEYS_IN_USE } from "../platform/secrets/keys-in-use.ts";
import { READ_FILE_KEYS } from "../resources/exports/export-files.ts";
import { createArchive } from "./archive.ts";
import type { ArchiveWriter } from "./archive.ts";
import { BackupError, DATABASE_FOLDER, FILES_FOLDER, FORMAT, KEY_ENTRY } from "./manifest.ts";
import type { Manifest, TableOfBackup } from "./manifest.ts";
import { reachDatabase, withConnection } from "./reach-database.ts";
import { columnList, readSequences, readTables, sqlNameOf } from "./backed-up-tables.ts";

/** Of compressed rows, in memory once; an entry of the backup. */
const PART_BYTES = 8 * 1024 * 1024;
/** Chunks are compressed already: a higher level would only take time. */
const COMPRESSION_LEVEL = 1;
/** "backup" on a telephone keypad. Two at once would read everything twice. */
const BACKUP_LOCK = 222_587;
/** An object is deleted within milliseconds after a snapshot now and then, and not each time. */
const MAX_SNAPSHOTS = 10;

export interface BackupOptions {
  target: string;
  includesEncryptionKey: boolean;
}

export interface BackupReport {
  path: string;
  sizeBytes: number;
  snapshotAt: string;
  tables: number;
  rows: number;
  objects: number;
  missingObjects: readonly string[];
  store: "folder" | "s3";
  hasEncryptionKey: boolean;
}

export async function backUp(config: Config, log: Log, version: string, options: BackupOptions): Promise<BackupReport> {
  const database = await reachDatabase(config, log);
  try {
    return await withConnection(database, async (client) => {
      if (await readDistribution(client))
        throw new BackupError(
          "The tables are distributed over several servers, which have no snapshot in common: use the tools of the cluster for backups.",
        );
      const { rows } = await client.query<{ isFree: boolean }>('select pg_try_advisory_lock($1) as "isFree"', [
        BACKUP_LOCK,
      ]);
      if (rows[0]?.isFree !== true) throw new BackupError("Another backup of this installation is running.");
      const store = await openStoreOf(config, log);
      const archive = await createArchive(options.target).catch(async (error: unknown) => {
        await store?.close();
        throw error;
      });
      try {
        const manifest = await writeBackup({ config, client, archive, store, version }, options);
        await archive.finish(JSON.stringify(manifest, null, 1));
        return reportOf(manifest, options.target);
      } catch (error) {
        await archive.abort();
        throw error;
      } finally {
        await store?.close();
      }
    });
  } finally {
    await database.close();
  }
}

interface Parts {
  config: Config;
  client: Client;
  archive: ArchiveWriter;
  /** Undefined where objects are in a bucket. */
  store: ObjectStore | undefined;
  version: string;
}

/** Undefined for a bucket. */
async function openStoreOf(config: Config, log: Log): Promise<ObjectStore | undefined> {
  const location = config.ROWMILL_STORAGE_URL ?? {
    kind: "folder" as const,
    folder: join(config.ROWMILL_DATA_DIR, "files"),
  };
  return location.kind === "s3" ? undefined : openObjectStore(location, log);
}

async function writeBackup(parts: Parts, options: BackupOptions): Promise<Manifest> {
  const { client, archive, store } = parts;
  // A policy that hides rows from this role is an error, and not a backup with fewer rows.
  await client.query("set row_security = off");
  // Objects are copied, and large tables read, while the transaction is open.
  await client.query("set idle_in_transaction_session_timeout = 0; set statement_timeout = 0");
  const kept = await takeSnapshot(client, store);
  try {
    const snapshot = await describeSnapshot(client);
    const keyFingerprints = snapshot.keys;
    if (options.includesEncryptionKey) await addEncryptionKey(parts, keyFingerprints);
    if (kept !== undefined)
      for (const { key, sizeBytes } of kept.objects)
        await archive.add(FILES_FOLDER + key, sizeBytes, await kept.open(key));
    const tables: TableOfBackup[] = [];
    for (const [index, table] of (await readTables(client)).entries())
      tables.push({ ...table, rows: await addTable(parts, index, table) });
    const sequences = await readSequences(client);
    await client.query("commit");
    return {
      format: FORMAT,
      version: parts.version,
      postgresVersion: snapshot.postgresVersion,
      snapshotAt: snapshot.at,
      migrations: snapshot.migrations,
      tables,
      sequences,
      store: store === undefined ? "s3" : "folder",
      missingObjects: [...(kept?.missing ?? [])],
      keyFingerprints,
      hasEncryptionKey: options.includesEncryptionKey,
      entries: [...archive.entries],
    };
  } finally {
    await kept?.release();
  }
}

/** The transaction is open when it resolves, and the objects that it names are protected. */
async function takeSnapshot(client: Client, store: ObjectStore | undefined): Promise<KeptObjects | undefined> {
  let missingBefore: readonly string[] = [];
  for (let attempt = 1; ; attempt++) {
    await client.query("begin isolation level repeatable read read only");
    if (store?.hold === undefined) return undefined;
    const { rows } = await client.query<{ key: string }>(`(${READ_CONTENT_KEYS}) union all (${READ_FILE_KEYS})`);
    const kept = await store.hold(rows.map(({ key }) => key));
    const areLost = kept.missing.every((key) => missingBefore.includes(key));
    if (areLost || attempt === MAX_SNAPSHOTS) return kept;
    missingBefore = kept.missing;
    await kept.release();
    await client.query("rollback");
  }
}

async function describeSnapshot(client: Client) {
  const { rows } = await client.query<{ at: Date; postgresVersion: string }>(
    `select now() as at, current_setting('server_version') as "postgresVersion"`,
  );
  const migrations = await client.query<{ version: number; name: string; sha256: string }>(
    "select version, name, sha256 from schema_migrations order by version",
  );
  const { rows: keys } = await client.query<{ value: string }>(READ_KEYS_IN_USE);
  return {
    at: rows[0]?.at.toISOString() ?? "",
    postgresVersion: rows[0]?.postgresVersion ?? "",
    migrations: migrations.rows,
    keys: keys[0]?.value.split(",") ?? [],
  };
}

async function addEncryptionKey({ config, archive }: Parts, inUse: readonly string[]): Promise<void> {
  const settings = keySettings(config);
  // A key that is made here would be no database's.
  const keys = isKeyFileMissing(settings) ? [] : readEncryptionKeys(settings);
  if (inUse.length > 1)
    throw new BackupError(
      "A rotation of the encryption key is in progress: let it end before a backup with the key, or make one without it.",
    );
  const key = keys.find((each) => createSealer(each).fingerprint === inUse[0]);
  if (key === undefined)
    throw new BackupError(
      `The encryption key here is not that of the database (${inUse.join(", ")}): set ROWMILL_ENCRYPTION_KEY as the service has it.`,
    );
  const line = Buffer.from(`${key.toString("base64")}\n`);
  await archive.add(KEY_ENTRY, line.length, Readable.from([line], { objectMode: false }));
}

/** Resolves with the number of rows. */
async function addTable(
  { client, archive }: Parts,
  index: number,
  table: Omit<TableOfBackup, "rows">,
): Promise<number> {
  const rows = client.query(
    copyTo(`copy (select ${columnList(table.columns)} from ${sqlNameOf(table)}) to stdout with (format text)`),
  );
  const compress = createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: COMPRESSION_LEVEL } });
  // A failure of the source reaches the reader of the compressed rows.
  pipeline(rows, compress, () => {});
  let part = 0;
  const add = async (buffers: readonly Buffer[]): Promise<void> => {
    const sizeBytes = buffers.reduce((sum, { length }) => sum + length, 0);
    const number = String(++part).padStart(6, "0");
    const path = `${folderOf(index, table)}${number}.copy.zst`;
    await archive.add(path, sizeBytes, Readable.from(buffers, { objectMode: false }));
  };
  let buffers: Buffer[] = [];
  let bytes = 0;
  for await (const buffer of compress as AsyncIterable<Buffer>) {
    buffers.push(buffer);
    bytes += buffer.length;
    if (bytes < PART_BYTES) continue;
    await add(buffers);
    buffers = [];
    bytes = 0;
  }
  if (bytes > 0) await add(buffers);
  return rows.rowCount;
}

/** The number keeps the order of the tables also in a folder. */
export const folderOf = (index: number, { schema, name }: Pick<TableOfBackup, "schema" | "name">): string =>
  `${DATABASE_FOLDER}${String(index + 1).padStart(3, "0")}-${schema}.${name}/`;

function reportOf(manifest: Manifest, target: string): BackupReport {
  const { entries, tables, missingObjects, store, hasEncryptionKey, snapshotAt } = manifest;
  return {
    path: target,
    sizeBytes: entries.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    snapshotAt,
    tables: tables.length,
    rows: tables.reduce((sum, { rows }) => sum + rows, 0),
    objects: entries.filter(({ path }) => path.startsWith(FILES_FOLDER)).length,
    missingObjects,
    store,
    hasEncryptionKey,
  };
}
