/**
 * Brings a database to the schema that this program was written for. Migrations are numbered SQL files, `0001-core.sql`,
 * `0002-…`; each runs once, in a transaction of its own, together with the row that records it. A file that was applied
 * anywhere is never edited again: the next change is the next file.
 *
 * Several processes may start at once: each first takes one lock, and looks at what is there in each transaction.
 */
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import type { Pool, PoolClient } from "pg";
import { codeOf } from "../error-code.ts";
import type { Log } from "../log.ts";
import { pause } from "../pause.ts";
import { LOCK_NOT_AVAILABLE, withClient } from "./database.ts";

/** The letters "rowm" as a number. Locked while a process migrates. */
export const MIGRATION_LOCK = 0x72_6f_77_6d;

/** A migration of a large table takes minutes; a process that waits longer than this for another one logs it. */
const LOCK_TIMEOUT_MS = 15 * 60_000;

/**
 * A migration that waits for a table which a long transaction uses, such as a backup, keeps from it all others that come after it. So it waits for
 * so long at first, ends, and is tried again after a pause. PostgreSQL ends an autovacuum that is in the way after one second.
 */
const TABLE_WAIT_MS = 2_000;
/** The wait grows with each attempt up to five times as long: many short transactions may let it wait as well. */
const LONGEST_WAIT = 5;
/** The pause is so many times the wait, in which everybody works. */
const PAUSE = 3;

const DEADLOCK = "40P01";

const FILE_NAME = /^(\d{4})-([a-z0-9]+(?:-[a-z0-9]+)*)\.sql$/;

interface Migration extends AppliedMigration {
  sql: string;
}

export interface AppliedMigration {
  version: number;
  name: string;
  sha256: string;
}

export interface MigrationOptions {
  /** Only so many of the files are applied. */
  count?: number;
  log?: Log;
  /** Aborts when the process is asked to stop before it has started. */
  stopping?: AbortSignal | undefined;
  tableWaitMs?: number;
}

/** The names of the files that this call applied, such as `0001-core.sql`. Throws a sentence where it refuses. */
export async function migrateDatabase(
  pool: Pool,
  directory: URL,
  options: MigrationOptions = {},
): Promise<{ applied: string[] }> {
  const migrations = (await readMigrations(directory)).slice(0, options.count);
  return await withClient(pool, async (client) => {
    // Whatever throws below ends the connection (see `withClient`), and with it the lock and the transaction.
    await client.query(`set lock_timeout = ${LOCK_TIMEOUT_MS}`);
    await client.query("select pg_advisory_lock($1)", [MIGRATION_LOCK]);
    await client.query("reset lock_timeout");
    const applied: string[] = [];
    for (;;) {
      const name = await applyNextPatiently(client, migrations, options);
      if (name === undefined) break;
      applied.push(name);
    }
    await client.query("select pg_advisory_unlock($1)", [MIGRATION_LOCK]);
    return { applied };
  });
}

/** Throws a sentence where this program cannot restore a backup of a database with these migrations. */
export async function checkBackedUpMigrations(applied: readonly AppliedMigration[], directory: URL): Promise<void> {
  checkApplied(applied, await readMigrations(directory), "backup");
}

async function readMigrations(directory: URL): Promise<Migration[]> {
  const folder = directory.href.endsWith("/") ? directory : new URL(`${directory.href}/`);
  const names = (await readdir(folder)).filter((name) => name.endsWith(".sql")).toSorted();
  return await Promise.all(
    names.map(async (name, index) => {
      const version = Number(FILE_NAME.exec(name)?.[1]);
      if (version !== index + 1) {
        throw new Error(
          `Migrations are numbered without gaps, \`0001-name.sql\`, \`0002-name.sql\`, and ${name} is not number ${index + 1}.`,
        );
      }
      const sql = await readFile(new URL(name, folder), "utf8");
      return { version, name, sql, sha256: createHash("sha256").update(sql).digest("hex") };
    }),
  );
}

/** Undefined if nothing is left to apply. */
async function applyNextPatiently(
  client: PoolClient,
  migrations: Migration[],
  { log, stopping = new AbortController().signal, tableWaitMs = TABLE_WAIT_MS }: MigrationOptions,
): Promise<string | undefined> {
  for (let attempt = 1; ; attempt++) {
    const waitMs = tableWaitMs * Math.min(attempt, LONGEST_WAIT);
    try {
      return await applyNext(client, migrations, waitMs);
    } catch (error) {
      if (codeOf(error) !== LOCK_NOT_AVAILABLE) throw error;
      await client.query("rollback");
      log?.warn(
        { err: error, oldestTransaction: await readOldestTransaction(client) },
        "a migration waits for a table that another transaction uses, such as a backup or a report: it is tried again until that has ended",
      );
      await pause(waitMs * PAUSE, stopping);
      stopping.throwIfAborted();
    }
  }
}

/** The one that is most likely in the way; an operator may end it. */
async function readOldestTransaction(client: PoolClient): Promise<unknown> {
  const { rows } = await client.query(
    `select pid, usename as role, application_name as application, xact_start as since from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null order by xact_start limit 1`,
  );
  return rows[0];
}

async function applyNext(client: PoolClient, migrations: Migration[], waitMs: number): Promise<string | undefined> {
  await client.query("begin");
  await client.query(
    "create table if not exists schema_migrations " +
      "(version int primary key, name text not null, sha256 text not null, applied_at timestamptz not null default now())",
  );
  const { rows } = await client.query<AppliedMigration>(
    "select version, name, sha256 from schema_migrations order by version",
  );
  checkApplied(rows, migrations);
  const next = migrations[rows.length];
  if (next !== undefined) {
    await client.query(`set local lock_timeout = ${waitMs}`);
    await runFile(client, next);
    await client.query("insert into schema_migrations (version, name, sha256) values ($1, $2, $3)", [
      next.version,
      next.name,
      next.sha256,
    ]);
  }
  await client.query("commit");
  return next?.name;
}

/** Of what a newer program has written. */
const ADVICE = {
  database: "Start that version, or restore a backup from before the upgrade.",
  backup: "Restore it with that version.",
};

/** What was applied must be the beginning of what we have. */
function checkApplied(
  applied: readonly AppliedMigration[],
  migrations: Migration[],
  place: keyof typeof ADVICE = "database",
): void {
  const newest = applied.at(-1);
  if (newest !== undefined && newest.version > migrations.length) {
    throw new Error(
      `The ${place} is at migration ${newest.name}, which this Rowmill does not have: it was written by a newer one. ${ADVICE[place]}`,
    );
  }
  for (const [index, row] of applied.entries()) {
    const migration = migrations[index];
    if (migration?.version === row.version && migration.sha256 === row.sha256) continue;
    throw new Error(
      `The database was migrated by another ${row.name} than the one in this Rowmill (${migration?.name ?? "missing"}): ` +
        "a migration that was applied may not change. Restore the file, and make the change in a new one.",
    );
  }
}

async function runFile(client: PoolClient, migration: Migration): Promise<void> {
  try {
    await client.query(migration.sql);
  } catch (error) {
    // Processes of the version before may wait for a lock of the migration while it waits for theirs: another attempt may succeed.
    if ([DEADLOCK, LOCK_NOT_AVAILABLE].includes(codeOf(error) ?? "")) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `The migration ${migration.name} failed and was rolled back${lineOf(error, migration.sql)}: ${reason}`,
      {
        cause: error,
      },
    );
  }
}

/** PostgreSQL gives the position of an error in characters from 1. */
function lineOf(error: unknown, sql: string): string {
  const position = error instanceof Error && "position" in error ? Number(error.position) : Number.NaN;
  return Number.isNaN(position) ? "" : ` (line ${Array.from(sql).slice(0, position).join("").split("\n").length})`;
}
