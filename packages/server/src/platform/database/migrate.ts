/**
 * Brings a database to the schema that this program was written for. Migrations are numbered SQL files, `0001-core.sql`,
 * `0002-…`; each runs once, in a transaction of its own, together with the row that records it. A file that was applied
 * anywhere is never edited again: the next change is the next file.
 *
 * Several processes may start at once: each transaction first takes one lock, then looks at what is there.
 */
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import type { Pool, PoolClient } from "pg";
import { codeOf } from "../error-code.ts";
import { withClient } from "./database.ts";

/** The letters "rowm" as a number. Locked for the length of one migration's transaction. */
export const MIGRATION_LOCK = 0x72_6f_77_6d;

/** A migration of a large table takes minutes; a process that waits longer than this for another one logs it. */
const LOCK_TIMEOUT_MS = 15 * 60_000;

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

/**
 * The names of the files that this call applied, such as `0001-core.sql`; with `count`, only the first ones are applied. Throws a sentence
 * where it refuses.
 */
export async function migrateDatabase(pool: Pool, directory: URL, count?: number): Promise<{ applied: string[] }> {
  const migrations = (await readMigrations(directory)).slice(0, count);
  return await withClient(pool, async (client) => {
    const applied: string[] = [];
    for (;;) {
      const name = await applyNext(client, migrations);
      if (name === undefined) return { applied };
      applied.push(name);
    }
  });
}

/** Throws a sentence where a database with these migrations cannot be used by this program. */
export async function checkMigrations(applied: readonly AppliedMigration[], directory: URL): Promise<void> {
  checkApplied(applied, await readMigrations(directory));
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
async function applyNext(client: PoolClient, migrations: Migration[]): Promise<string | undefined> {
  // Whatever throws below ends the connection (see `withClient`), and with it the transaction.
  await client.query("begin");
  await client.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
  await client.query("select pg_advisory_xact_lock($1)", [MIGRATION_LOCK]);
  await client.query("set local lock_timeout = default");
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

/** What was applied must be the beginning of what we have. */
function checkApplied(applied: readonly AppliedMigration[], migrations: Migration[]): void {
  const newest = applied.at(-1);
  if (newest !== undefined && newest.version > migrations.length) {
    throw new Error(
      `The database is at migration ${newest.name}, which this Rowmill does not have: it was written by a newer one. ` +
        "Start that version, or restore a backup from before the upgrade.",
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
    if (codeOf(error) === DEADLOCK) throw error;
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
