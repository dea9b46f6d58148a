import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Pool } from "pg";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type EmbeddedDatabase, startEmbeddedDatabase } from "./embedded/embedded-database.ts";
import { createLog } from "../log.ts";
import { waitFor } from "../../testing/wait.ts";
import { migrateDatabase } from "./migrate.ts";

let scratch: string;
let server: EmbeddedDatabase;
let admin: Pool;
let databases = 0;
const pools: Pool[] = [];

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "rowmill-migrate-"));
  server = await startEmbeddedDatabase({ dataDirectory: join(scratch, "postgres") });
  admin = newPool(server.connectionString, 1);
});

afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.end()));
});

afterAll(async () => {
  await admin.end();
  await server.stop();
  await rm(scratch, { recursive: true, force: true });
});

const people = "create table people (id int primary key);\ncreate index people_id on people (id);\n";
const names = "alter table people add column name text;\n";

test("files are applied in order, once", async () => {
  const { pool, directory } = await emptyDatabase({ "0001-people.sql": people });
  expect(await migrateDatabase(pool, directory)).toEqual({ applied: ["0001-people.sql"] });
  expect(await migrateDatabase(pool, directory)).toEqual({ applied: [] });

  await writeFile(new URL("0002-names.sql", directory), names);
  expect(await migrateDatabase(pool, directory)).toEqual({ applied: ["0002-names.sql"] });
  const { rows } = await pool.query("select version, name, length(sha256) as hex from schema_migrations order by 1");
  expect(rows).toEqual([
    { version: 1, name: "0001-people.sql", hex: 64 },
    { version: 2, name: "0002-names.sql", hex: 64 },
  ]);
});

test("no files are no work", async () => {
  const { pool, directory } = await emptyDatabase({ "README.md": "nothing yet" });
  expect(await migrateDatabase(pool, directory)).toEqual({ applied: [] });
});

test("processes that start at once apply every file exactly once between them", async () => {
  const files = Object.fromEntries(
    Array.from({ length: 6 }, (_, i) => [
      `000${i + 1}-table.sql`,
      `create table t${i} (id int); select pg_sleep(0.01);`,
    ]),
  );
  const { pool, directory } = await emptyDatabase(files);
  const results = await Promise.all(Array.from({ length: 4 }, () => migrateDatabase(pool, directory)));
  expect(results.flatMap((result) => result.applied).toSorted()).toEqual(Object.keys(files));
});

test("a file that fails leaves nothing of itself, keeps those before it, and names file and line", async () => {
  const broken = "create table half (id int);\n-- ü\nalter table nobody add column x int;\n";
  const { pool, directory } = await emptyDatabase({ "0001-people.sql": people, "0002-broken.sql": broken });
  await expect(migrateDatabase(pool, directory)).rejects.toThrow(
    /0002-broken\.sql failed and was rolled back.*relation "nobody" does not exist/,
  );
  const { rows } = await pool.query("select to_regclass('half') as half, to_regclass('people')::text as people");
  expect(rows).toEqual([{ half: null, people: "people" }]);

  await writeFile(new URL("0002-broken.sql", directory), "create tabel x ();\n");
  await expect(migrateDatabase(pool, directory)).rejects.toThrow(/\(line 1\): syntax error at or near "tabel"/);
  await writeFile(new URL("0002-broken.sql", directory), "create table whole (id int);");
  expect(await migrateDatabase(pool, directory)).toEqual({ applied: ["0002-broken.sql"] });
});

/** The second migration needs a table that a long transaction uses. */
async function databaseInUse() {
  const { pool, directory } = await emptyDatabase({ "0001-people.sql": people });
  await migrateDatabase(pool, directory);
  await writeFile(new URL("0002-names.sql", directory), names);
  const backup = await pool.connect();
  await backup.query("begin; select from people");
  return { pool, directory, backup };
}

test("who comes after a migration that waits for a long transaction, such as a backup, goes on, and the migration is applied later", async () => {
  const { pool, directory, backup } = await databaseInUse();
  const lines: string[] = [];
  const migrated = migrateDatabase(pool, directory, {
    log: createLog("warn", (line) => lines.push(line)),
    tableWaitMs: 300,
  });
  await waitFor(async () => {
    const { rows } = await pool.query("select from pg_locks where relation = 'people'::regclass and not granted");
    return rows.length === 1;
  });
  await pool.query("insert into people (id) values (1)");
  await waitFor(() => lines.length >= 2);
  const { rows } = await backup.query<{ pid: number }>("select pg_backend_pid() as pid");
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ oldestTransaction: { pid: rows[0]?.pid } });
  await backup.query("commit");
  backup.release();
  expect(await migrated).toEqual({ applied: ["0002-names.sql"] });
  expect((await pool.query("select id, name from people")).rows).toEqual([{ id: 1, name: null }]);
});

test("a process that is asked to stop no longer waits for a table", async () => {
  const { pool, directory, backup } = await databaseInUse();
  const stopping = new AbortController();
  const log = createLog("warn", () => stopping.abort(new Error("asked to stop")));
  const migrated = migrateDatabase(pool, directory, { log, stopping: stopping.signal, tableWaitMs: 100 });
  await expect(migrated).rejects.toThrow("asked to stop");
  await backup.query("commit");
  backup.release();
  expect(await migrateDatabase(pool, directory)).toEqual({ applied: ["0002-names.sql"] });
});

test("a database of a newer program is refused", async () => {
  const { pool, directory } = await emptyDatabase({ "0001-people.sql": people, "0002-names.sql": names });
  await migrateDatabase(pool, directory);
  await rm(new URL("0002-names.sql", directory));
  await expect(migrateDatabase(pool, directory)).rejects.toThrow(/at migration 0002-names\.sql.*a newer one/);
});

test("a file that changed after it was applied is refused", async () => {
  const { pool, directory } = await emptyDatabase({ "0001-people.sql": people, "0002-names.sql": names });
  await migrateDatabase(pool, directory);
  await writeFile(new URL("0001-people.sql", directory), `${people}-- a remark\n`);
  await expect(migrateDatabase(pool, directory)).rejects.toThrow(/another 0001-people\.sql.*may not change/);
});

test.each([
  ["a gap", ["0001-a.sql", "0003-c.sql"], "0003-c.sql is not number 2"],
  ["a number given twice", ["0001-a.sql", "0001-b.sql"], "0001-b.sql is not number 2"],
  ["a name without a number", ["people.sql"], "people.sql is not number 1"],
])("%s in the numbers is refused before anything is applied", async (_, fileNames, message) => {
  const { pool, directory } = await emptyDatabase(Object.fromEntries(fileNames.map((name) => [name, "select 1"])));
  await expect(migrateDatabase(pool, directory)).rejects.toThrow(message);
});

async function emptyDatabase(files: Record<string, string>): Promise<{ pool: Pool; directory: URL }> {
  databases += 1;
  const name = `migrate_${databases}`;
  await admin.query(`create database ${name}`);
  const url = new URL(server.connectionString);
  url.pathname = name;
  const pool = newPool(url.href, 4);
  pools.push(pool);
  const directory = join(scratch, name);
  await mkdir(directory);
  for (const [file, content] of Object.entries(files)) await writeFile(join(directory, file), content);
  return { pool, directory: pathToFileURL(`${directory}/`) };
}

/** The server may stop before the goodbye of a connection has reached it, and then reports an error. */
function newPool(connectionString: string, max: number): Pool {
  return new Pool({ connectionString, max }).on("error", () => {});
}
