import { once } from "node:events";
import { chmod, chown, cp, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { describe, expect, test } from "vitest";
import { undo } from "../../../testing/cleanup.ts";
import { isOpenToOthers } from "../../../testing/open-to-others.ts";
import { startEmbeddedDatabase } from "./embedded-database.ts";
import { readPostmasterFile } from "./postmaster-pid.ts";
import {
  eventually,
  fileExists,
  pgdataOf,
  query,
  serverPid,
  spawnOwner,
  start,
  useTemplate,
  uidOf,
  userOf,
} from "./embedded-testing.ts";

const isRoot = process.getuid?.() === 0;

const template = useTemplate("embedded");

describe("a new data directory", () => {
  test("becomes a cluster with checksums, UTF-8 and scram that only this machine reaches", async () => {
    const dataDirectory = template.pathTo("new", "data", "postgres");
    const database = await start(dataDirectory);

    expect(database.wasAdopted).toBe(false);
    const wanted = {
      data_checksums: "on",
      server_encoding: "UTF8",
      password_encryption: "scram-sha-256",
      scram_iterations: "1",
      listen_addresses: "127.0.0.1",
      unix_socket_directories: "",
      fsync: "on",
      synchronous_commit: "on",
      full_page_writes: "on",
      shared_buffers: "256MB",
      max_wal_size: "4GB",
      TimeZone: "UTC",
    };
    const settings = await query(
      database,
      "select jsonb_object_agg(name, current_setting(name)) as shown from pg_settings",
    );
    expect(settings[0]?.["shown"]).toMatchObject(wanted);
    expect(
      await query(database, "select datlocprovider, datlocale from pg_database where datname = 'postgres'"),
    ).toEqual([{ datlocprovider: "b", datlocale: "C.UTF-8" }]);
    expect(await query(database, "select distinct auth_method from pg_hba_file_rules")).toEqual([
      { auth_method: "scram-sha-256" },
    ]);
    expect((await stat(join(dataDirectory, "cluster", "password"))).mode & 0o777).toBe(0o600);
    expect((await stat(join(dataDirectory, "cluster", "pgdata"))).mode & 0o777).toBe(0o700);

    // The stored password was made with that setting, too.
    expect(
      await query(database, "select split_part(rolpassword, ':', 1) as made from pg_authid where rolcanlogin"),
    ).toEqual([{ made: "SCRAM-SHA-256$1" }]);

    const guess = new URL(database.connectionString);
    guess.password = "guess";
    await expect(new Client({ connectionString: guess.href }).connect()).rejects.toThrow(
      /password authentication failed/,
    );
  });

  test("survives a kill -9 in the middle of initdb, and what that left is swept later", async () => {
    const dataDirectory = template.pathTo("interrupted");
    const child = spawnOwner(dataDirectory);
    const unfinished = await eventually("initdb is at work", async () => {
      const names = await readdir(dataDirectory).catch(() => []);
      const name = names.find((candidate) => candidate.startsWith("unfinished-"));
      return name && (await fileExists(join(dataDirectory, name, "pgdata", "PG_VERSION"))) ? name : undefined;
    });
    child.process.kill("SIGKILL");
    await child.ended;
    expect(await readdir(dataDirectory)).toEqual([unfinished]);

    const database = await start(dataDirectory);
    expect(await query(database, "select 1 as one")).toEqual([{ one: 1 }]);
    await database.stop();

    const yesterday = Date.now() / 1000 - 86_400;
    await utimes(join(dataDirectory, unfinished), yesterday, yesterday);
    await start(dataDirectory);
    expect(await readdir(dataDirectory)).toEqual(["cluster"]);
  });

  test("goes to one of two processes that start at once; the other is refused", async () => {
    const dataDirectory = template.pathTo("contested");
    const responses = await Promise.all([spawnOwner(dataDirectory).respond(), spawnOwner(dataDirectory).respond()]);
    expect(responses.flatMap((response) => response.error ?? [])).toEqual([
      expect.stringMatching(/Another Rowmill is running on .*contested.*ROWMILL_DATABASE_URL/s),
    ]);
  });
});

describe("an existing data directory", () => {
  test("keeps its rows, its port and its password over a stop and a start", async () => {
    const dataDirectory = await template.copy();
    const first = await start(dataDirectory);
    await query(first, "insert into notes values (1)");
    await first.stop();
    await first.stop();
    await expect(query(first, "select 1")).rejects.toThrow(/ECONNREFUSED/);

    const second = await start(dataDirectory);
    expect(second).toMatchObject({ wasAdopted: false, connectionString: first.connectionString });
    expect(await query(second, "select id from notes")).toEqual([{ id: 1 }]);
  });

  test("takes another port when its own was taken in the meantime", async () => {
    const dataDirectory = await template.copy();
    const first = await start(dataDirectory);
    await first.stop();
    const squatter = createServer().listen(Number(new URL(first.connectionString).port), "127.0.0.1");
    await once(squatter, "listening");
    undo.push(async () => void (await once(squatter.close(), "close")));

    const second = await start(dataDirectory);
    expect(second.connectionString).not.toBe(first.connectionString);
    expect(await query(second, "select count(*)::int as n from notes")).toEqual([{ n: 0 }]);
  });

  test("of another major version is refused with a sentence that says what to do", async () => {
    const dataDirectory = await template.copy();
    await writeFile(join(dataDirectory, "cluster", "pgdata", "PG_VERSION"), "17\n");
    await expect(startEmbeddedDatabase({ dataDirectory })).rejects.toThrow(
      /was made by PostgreSQL 17, and this Rowmill brings PostgreSQL 18.*rowmill backup/s,
    );
  });

  test("without its password file is refused with a sentence", async () => {
    const dataDirectory = await template.copy();
    await rm(join(dataDirectory, "cluster", "password"));
    await expect(startEmbeddedDatabase({ dataDirectory })).rejects.toThrow(
      /password .* is missing: .*cluster.password/,
    );
  });

  test("that PostgreSQL cannot read makes the start fail with PostgreSQL's own reason", async () => {
    const dataDirectory = await template.copy();
    await rm(join(dataDirectory, "cluster", "pgdata", "postgresql.conf"));
    await expect(startEmbeddedDatabase({ dataDirectory })).rejects.toThrow(/does not start on .*postgresql\.conf/s);
  });
});

describe("after a kill -9", () => {
  test("of Rowmill and its whole process group, the next start adopts the server, and can stop it", async () => {
    const dataDirectory = await template.copy();
    const child = spawnOwner(dataDirectory);
    const { connectionString = "" } = await child.respond();
    await query({ connectionString }, "insert into notes values (7)");
    process.kill(-(child.process.pid ?? 0), "SIGKILL");
    await child.ended;

    const database = await start(dataDirectory);
    expect(database).toMatchObject({ wasAdopted: true, connectionString });
    expect(await query(database, "select id from notes")).toEqual([{ id: 7 }]);
    await database.stop();
    expect(await readPostmasterFile(pgdataOf(dataDirectory))).toBeUndefined();
  });

  test("of Rowmill and the server, the next start recovers what was committed", async () => {
    const dataDirectory = await template.copy();
    const child = spawnOwner(dataDirectory);
    const { connectionString = "" } = await child.respond();
    await query({ connectionString }, "insert into notes select generate_series(1, 1000)");
    const pid = await serverPid(dataDirectory);
    child.process.kill("SIGKILL");
    process.kill(pid, "SIGKILL");
    await child.ended;

    const database = await start(dataDirectory);
    expect(database.wasAdopted).toBe(false);
    expect(await query(database, "select count(*)::int as n from notes")).toEqual([{ n: 1000 }]);
  });

  test("of the server alone, the start waits until its last child has released the memory", async () => {
    const dataDirectory = await template.copy();
    const first = await start(dataDirectory);
    const client = new Client({ connectionString: first.connectionString });
    client.on("error", () => undefined);
    await client.connect();
    const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
    const child = rows[0]?.pid ?? 0;
    process.kill(child, "SIGSTOP");
    process.kill(await serverPid(dataDirectory), "SIGKILL");

    const starting = start(dataDirectory);
    await eventually("a start has failed", async () => {
      const log = await readFile(join(dataDirectory, "cluster", "postgresql.log"), "utf8");
      return log.includes("pre-existing shared memory block") || undefined;
    });
    process.kill(child, "SIGCONT");
    expect((await starting).wasAdopted).toBe(false);
    await client.end();
  });

  test("a pid that meanwhile belongs to another program does not keep the server from starting", async () => {
    const dataDirectory = await template.copy();
    const file = [process.pid, pgdataOf(dataDirectory), 1_700_000_000, 5432, "", "127.0.0.1", "    1   1", "ready   "];
    await writeFile(join(pgdataOf(dataDirectory), "postmaster.pid"), `${file.join("\n")}\n`, { mode: 0o600 });
    const database = await start(dataDirectory);
    expect(database.wasAdopted).toBe(false);
  });
});

test("a second process is refused with a sentence, and the first goes on", async () => {
  const dataDirectory = await template.copy();
  const first = await start(dataDirectory);
  const { error } = await spawnOwner(dataDirectory).respond();
  expect(error).toMatch(/Another Rowmill is running on .*ROWMILL_DATA_DIR.*ROWMILL_DATABASE_URL/s);
  expect(await query(first, "select 1 as one")).toEqual([{ one: 1 }]);
});

test("a copy of the directory, made while the server ran, does not adopt the server of the original", async () => {
  const dataDirectory = await template.copy();
  const original = await start(dataDirectory);
  const copyDirectory = template.pathTo("copy-of-running");
  await cp(dataDirectory, copyDirectory, { recursive: true });
  const copy = await start(copyDirectory);
  expect(copy.wasAdopted).toBe(false);
  await query(copy, "insert into notes values (1)");
  expect(await query(original, "select count(*)::int as n from notes")).toEqual([{ n: 0 }]);
});

describe("onExit", () => {
  test("learns that the server was killed, and how", async () => {
    const dataDirectory = await template.copy();
    const { promise, resolve } = Promise.withResolvers<Error>();
    await start(dataDirectory, resolve);
    process.kill(await serverPid(dataDirectory), "SIGKILL");
    expect((await promise).message).toMatch(/embedded PostgreSQL ended \(signal SIGKILL\)/);
  });

  test("learns that the hold on the directory was lost; a stop then leaves the server to whoever has it", async () => {
    const dataDirectory = await template.copy();
    const { promise, resolve } = Promise.withResolvers<Error>();
    const database = await start(dataDirectory, resolve);
    await query(
      database,
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'rowmill owner'",
    );
    expect((await promise).message).toMatch(/connection that holds .* was lost/);

    const next = await start(dataDirectory);
    expect(next.wasAdopted).toBe(true);
    await database.stop();
    expect(await query(next, "select 1 as one")).toEqual([{ one: 1 }]);
  });

  test("is not called by a stop", async () => {
    const dataDirectory = await template.copy();
    const calls: Error[] = [];
    const database = await start(dataDirectory, (error) => calls.push(error));
    await database.stop();
    expect(calls).toEqual([]);
  });
});

// Another user runs our code and PostgreSQL's: below a folder that is closed to others it cannot even read them.
describe.runIf(isRoot && (await isOpenToOthers(import.meta.dirname)))(
  "as root, in a checkout open to other users",
  () => {
    test("PostgreSQL runs as nobody where nobody reaches the directory", async () => {
      const open = await mkdtemp(join(tmpdir(), "rowmill-open-"));
      undo.push(() => rm(open, { recursive: true, force: true }));
      await chmod(open, 0o711);
      const dataDirectory = join(open, "data", "postgres");
      await start(dataDirectory);
      expect(await userOf(await serverPid(dataDirectory))).toBe(await uidOf("nobody"));
      expect((await stat(pgdataOf(dataDirectory))).uid).toBe(await uidOf("nobody"));
      expect((await stat(join(open, "data"))).mode & 0o077).toBe(0o011);
    });

    test("data that belongs to a plain user stays with that user", async (context) => {
      const open = await mkdtemp(join(tmpdir(), "rowmill-open-"));
      undo.push(() => rm(open, { recursive: true, force: true }));
      const dataDirectory = join(open, "postgres");
      const [uid, gid] = [54_321, 54_321];
      await chown(open, uid, gid);
      const child = spawnOwner(dataDirectory, { uid, gid });
      const response = await child.respond();
      // A uid without a passwd entry needs a user namespace, which a container may forbid.
      context.skip(response.error?.includes("user does not exist") === true);
      expect(response.error).toBeUndefined();
      child.process.stdin.end("stop\n");
      await child.ended;

      await start(dataDirectory);
      expect(await userOf(await serverPid(dataDirectory))).toBe(uid);
      expect((await stat(join(dataDirectory, "cluster", "password"))).uid).toBe(uid);
    });

    test("a plain user starts, is killed, adopts and stops below a home of its own, mode 0700", async () => {
      const home = await mkdtemp(join(tmpdir(), "rowmill-home-"));
      undo.push(() => rm(home, { recursive: true, force: true }));
      const nobody = { uid: await uidOf("nobody"), gid: await uidOf("nobody") };
      await chown(home, nobody.uid, nobody.gid);
      const dataDirectory = join(home, "data", "postgres");

      const first = spawnOwner(dataDirectory, nobody);
      expect(await first.respond()).toMatchObject({ wasAdopted: false });
      expect((await stat(join(home, "data"))).mode & 0o777).toBe(0o700);
      first.process.kill("SIGKILL");
      await first.ended;

      const second = spawnOwner(dataDirectory, nobody);
      expect(await second.respond()).toMatchObject({ wasAdopted: true });
      second.process.stdin.end("stop\n");
      await second.ended;
      expect(await readPostmasterFile(pgdataOf(dataDirectory))).toBeUndefined();
    });
  },
);
