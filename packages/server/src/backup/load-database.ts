/**
 * Fills an empty database from a backup: the schema of the backup's time by its migrations, then the rows. What the backup's version did
 * not know yet is left to the migrations of the next start. The tables of the queue are made by the queue of this program; columns that
 * it no longer has are read and not used.
 */
import type { Socket } from "node:net";
import { pipeline } from "node:stream/promises";
import { Readable } from "node:stream";
import { createZstdDecompress } from "node:zlib";
import type { Client } from "pg";
import { getConstructionPlans } from "pg-boss";
import { from as copyFrom } from "pg-copy-streams";
import { openDatabase } from "../platform/database/database.ts";
import { migrateDatabase } from "../platform/database/migrate.ts";
import { readArchive } from "./archive.ts";
import type { ArchiveEntry } from "./archive.ts";
import { folderOf } from "./backup.ts";
import { BackupError, DATABASE_FOLDER } from "./manifest.ts";
import type { Manifest, TableOfBackup } from "./manifest.ts";
import { withConnection } from "./reach-database.ts";
import { plural } from "../platform/plural.ts";
import { QUEUE_SCHEMA } from "../platform/queue/queue-tables.ts";
import { columnList, readTables, sqlNameOf } from "./backed-up-tables.ts";

export const MIGRATIONS = new URL("../platform/database/migrations/", import.meta.url);

interface Server {
  connectionString: string;
  openSocket?: () => Socket;
}

export async function loadDatabase(server: Server, source: string, manifest: Manifest): Promise<void> {
  const database = openDatabase(server.connectionString, { max: 1, openSocket: server.openSocket, onError: () => {} });
  try {
    await migrateDatabase(database.pool, MIGRATIONS, { count: manifest.migrations.length });
  } finally {
    await database.close();
  }
  await withConnection(server, async (client) => {
    // A restore that was killed has made them before.
    const { rowCount } = await client.query("select from pg_namespace where nspname = $1", [QUEUE_SCHEMA]);
    if (rowCount === 0) await client.query(getConstructionPlans(QUEUE_SCHEMA));
    await client.query("set idle_in_transaction_session_timeout = 0; set statement_timeout = 0");
    await client.query("begin");
    await loadTables(client, source, manifest);
    for (const { name, value, isCalled } of manifest.sequences)
      await client.query("select setval(quote_ident($1)::regclass, $2::bigint, $3)", [name, value, isCalled]);
    await client.query("commit");
    await client.query("analyze");
  });
}

async function loadTables(client: Client, source: string, manifest: Manifest): Promise<void> {
  const here = await readTables(client);
  const own = here.filter(({ schema }) => schema === "service");
  // What triggers would write is in the backup, too. Foreign keys are checked.
  for (const table of own) await client.query(`alter table ${sqlNameOf(table)} disable trigger user`);
  // Of the service, what its migrations have put there; of both, what a restore left that was killed just before its end.
  await client.query(`truncate ${here.map(sqlNameOf).join(", ")}`);
  const parts = new Parts(source);
  for (const [index, table] of manifest.tables.entries()) {
    const target = here.find(({ schema, name }) => schema === table.schema && name === table.name);
    if (target === undefined)
      throw new BackupError(`The backup has the table ${table.name}, which its own migrations do not make.`);
    await loadTable(client, parts.in(folderOf(index, table)), table, target.columns, manifest.version);
  }
  for (const table of own) await client.query(`alter table ${sqlNameOf(table)} enable trigger user`);
  await parts.end();
}

async function loadTable(
  client: Client,
  parts: AsyncIterable<Buffer>,
  table: TableOfBackup,
  columnsHere: readonly string[],
  version: string,
): Promise<void> {
  const gone = table.columns.find((column) => !columnsHere.includes(column));
  if (gone !== undefined)
    throw new BackupError(
      `The backup has the column ${gone} of ${table.name}, which this version does not have. Restore it with the version that made it (${version}), and upgrade then.`,
    );
  const copy = client.query(
    copyFrom(`copy ${sqlNameOf(table)} (${columnList(table.columns)}) from stdin with (format text)`),
  );
  await pipeline(Readable.from(parts, { objectMode: false }), createZstdDecompress(), copy);
  if (copy.rowCount !== table.rows)
    throw new BackupError(
      `${table.name} has ${plural(copy.rowCount ?? 0, "row")} in the backup, and ${table.rows} by its manifest.`,
    );
}

/** The archive is read once, table by table, as it was written. */
class Parts {
  readonly #entries: AsyncGenerator<ArchiveEntry>;
  #next: ArchiveEntry | undefined;
  #hasBegun = false;

  constructor(source: string) {
    this.#entries = readArchive(source);
  }

  async *in(folder: string): AsyncGenerator<Buffer> {
    let entry = this.#hasBegun ? this.#next : await this.#advance();
    while (entry !== undefined && !entry.path.startsWith(DATABASE_FOLDER)) {
      for await (const _ of entry.content);
      entry = await this.#advance();
    }
    while (entry?.path.startsWith(folder) === true) {
      yield* entry.content;
      entry = await this.#advance();
    }
  }

  async end(): Promise<void> {
    await this.#entries.return(undefined);
  }

  async #advance(): Promise<ArchiveEntry | undefined> {
    this.#hasBegun = true;
    const next = await this.#entries.next();
    this.#next = next.done === true ? undefined : next.value;
    return this.#next;
  }
}
