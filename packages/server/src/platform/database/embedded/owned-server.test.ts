import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, statfs, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client } from "pg";
import { describe, expect, test } from "vitest";
import { undo } from "../../../testing/cleanup.ts";
import type { EmbeddedDatabase } from "./embedded-database.ts";
import {
  eventually,
  fileExists,
  pgdataOf,
  preventStarts,
  query,
  serverPid,
  spawnOwner,
  start,
  stopWait,
  useTemplate,
  waitingPid,
} from "./embedded-testing.ts";
import { findFreePort } from "../../free-port.ts";
import { MANY_LOSSES, STEADY_MS, TAKE_BACK_MS } from "./losses.ts";
import { inspectProcess, readPostmasterFile } from "./postmaster-pid.ts";

const isRoot = process.getuid?.() === 0;
const isLinux = process.platform === "linux";
/** Of `take-server.ts`. */
const OWNER_LOCK = 7_696_455;
const OWNER = "select pid from pg_stat_activity where application_name = 'rowmill owner'";
const OTHER = "select pid from pg_stat_activity where backend_type = 'checkpointer'";

const template = useTemplate("owned");

describe("a server that is taken back", () => {
  test.each([
    ["the backend that holds the lock", OWNER],
    ["another process of the server", OTHER],
  ])("after kill -9 of %s, twice: the directory is never free, and nothing is lost", async (_whose, victim) => {
    const dataDirectory = await template.copy();
    const ended: Error[] = [];
    const database = await start(dataDirectory, (error) => ended.push(error), { takesBack: true });
    const postmaster = await serverPid(dataDirectory);
    for (const id of [1, 2]) {
      await query(database, `insert into notes values (${id})`);
      const before = await ownerPid(database);
      const [found] = (await query(database, victim)) as { pid: number }[];
      if (found === undefined) throw new Error("there is none to kill");
      process.kill(found.pid, "SIGKILL");
      // Whenever it comes: while the lock is lost, and when it is taken back.
      expect((await spawnOwner(dataDirectory).respond()).error).toMatch(/Another Rowmill is running on/);
      await isOwnedAgain(database, before);
    }
    expect(await query(database, "select id from notes order by id")).toEqual([{ id: 1 }, { id: 2 }]);
    expect([await serverPid(dataDirectory), ended]).toEqual([postmaster, []]);
    await database.stop();
    expect(await inspectProcess(postmaster)).not.toBe("postgres");
  });

  test("after kill -9 of the postmaster, twice: it is started again on its port, and nothing is lost", async () => {
    const dataDirectory = await template.copy();
    const ended: Error[] = [];
    const database = await start(dataDirectory, (error) => ended.push(error), { takesBack: true });
    for (const id of [1, 2]) {
      await query(database, `insert into notes values (${id})`);
      const before = await ownerPid(database);
      process.kill(await serverPid(dataDirectory), "SIGKILL");
      await isOwnedAgain(database, before);
    }
    expect(await query(database, "select id from notes order by id")).toEqual([{ id: 1 }, { id: 2 }]);
    expect(ended).toEqual([]);
    const last = await serverPid(dataDirectory);
    await database.stop();
    expect(await inspectProcess(last)).not.toBe("postgres");
    expect(await fileExists(join(pgdataOf(dataDirectory), "postmaster.pid"))).toBe(false);
  });

  test.runIf(isLinux)("is no other process's while no server runs, and is taken back once one starts", async () => {
    const dataDirectory = await template.copy();
    const database = await start(dataDirectory, undefined, { takesBack: true });
    const before = await ownerPid(database);
    const allowStarts = await preventStarts(dataDirectory);
    process.kill(await serverPid(dataDirectory), "SIGKILL");
    expect((await spawnOwner(dataDirectory).respond()).error).toMatch(/Another Rowmill is running on .*`sudo ss -xlp/s);
    await allowStarts();
    await isOwnedAgain(database, before);
  });

  test("may be stopped while it is lost: no server is left, and the next start has the directory", async () => {
    const dataDirectory = await template.copy();
    const database = await start(dataDirectory, undefined, { takesBack: true });
    await query(database, "insert into notes values (1)");
    const allowStarts = await preventStarts(dataDirectory);
    const postmaster = await serverPid(dataDirectory);
    process.kill(postmaster, "SIGKILL");
    await eventually("it has ended", async () => (await inspectProcess(postmaster)) !== "postgres" || undefined);
    await database.stop();
    await allowStarts();
    const next = await start(dataDirectory);
    expect(next.wasAdopted).toBe(false);
    expect(await query(next, "select id from notes")).toEqual([{ id: 1 }]);
  });

  test("is lost with its process: killed while no server runs, the next start recovers what was committed", async () => {
    const dataDirectory = await template.copy();
    const child = spawnOwner(dataDirectory);
    const { connectionString = "" } = await child.respond();
    await query({ connectionString }, "insert into notes values (1)");
    const allowStarts = await preventStarts(dataDirectory);
    process.kill(await serverPid(dataDirectory), "SIGKILL");
    child.process.kill("SIGKILL");
    await child.ended;
    await allowStarts();
    expect(await query(await start(dataDirectory), "select id from notes")).toEqual([{ id: 1 }]);
  });

  test("is given up where it is lost again and again, although each start succeeds, and no server is left", async () => {
    const dataDirectory = await template.copy();
    const { promise: ended, resolve } = Promise.withResolvers<Error>();
    const clock = { ms: 0 };
    const database = await start(dataDirectory, resolve, { takesBack: true, now: () => clock.ms });
    const lose = () => query(database, `select pg_terminate_backend(pid) from (${OWNER}) owner`);
    for (let n = 1; n <= MANY_LOSSES; n++) {
      const before = await ownerPid(database);
      await lose();
      await isOwnedAgain(database, before);
      clock.ms += STEADY_MS / 2;
    }
    expect(clock.ms).toBeGreaterThan(TAKE_BACK_MS);
    const postmaster = await serverPid(dataDirectory);
    await lose();
    expect((await ended).message).toMatch(new RegExp(`lost ${MANY_LOSSES + 1} times within 150 s.*log: /`, "s"));
    await database.stop();
    expect(await inspectProcess(postmaster)).not.toBe("postgres");
  });

  test("keeps its file while it lives and does not respond, and is taken back once it does", async () => {
    const dataDirectory = await template.copy();
    const { promise: failed, resolve } = Promise.withResolvers<unknown>();
    const log = { info: () => undefined, warn: (fields: unknown) => typeof fields === "object" && resolve(fields) };
    const database = await start(dataDirectory, undefined, { takesBack: true, log });
    const before = await ownerPid(database);
    const postmaster = await serverPid(dataDirectory);
    // To a reader of the file it is a server that does not respond: nothing listens on this port.
    const file = join(pgdataOf(dataDirectory), "postmaster.pid");
    const content = await readFile(file, "utf8");
    const port = await findFreePort();
    await writeFile(file, content.split("\n").with(3, String(port)).join("\n"));
    await query(database, `select pg_terminate_backend(pid) from (${OWNER}) owner`);
    expect(await failed).toEqual({
      reason: expect.stringContaining(`(pid ${postmaster}) and does not respond at port ${port}`) as string,
    });
    expect(await serverPid(dataDirectory)).toBe(postmaster);
    await writeFile(file, content);
    await isOwnedAgain(database, before);
    expect(await serverPid(dataDirectory)).toBe(postmaster);
  });

  test.runIf(isLinux)("waits for a lock that is taken, for as long as it has the guard", async () => {
    const dataDirectory = await template.copy();
    const ended: Error[] = [];
    const database = await start(dataDirectory, (error) => ended.push(error), { takesBack: true, now: () => 0 });
    const before = await ownerPid(database);
    const other = await takeLock(database);
    const first = await waitingPid(database, before);
    // By another connection: the first one has ended its wait.
    await waitingPid(database, first);
    await other.end();
    await isOwnedAgain(database, before);
    expect(ended).toEqual([]);
  });

  test("is given up where another process keeps the lock, and a stop leaves the server to that one", async () => {
    const dataDirectory = await template.copy();
    const { promise: ended, resolve } = Promise.withResolvers<Error>();
    const clock = { ms: 0 };
    const database = await start(dataDirectory, resolve, { takesBack: true, now: () => clock.ms });
    const before = await ownerPid(database);
    const other = await takeLock(database);
    // The loss has been noticed, at the old time.
    if (isLinux) await waitingPid(database, before);
    clock.ms += TAKE_BACK_MS + 1;
    expect((await ended).message).toMatch(/Another Rowmill is running on/);
    await database.stop();
    expect((await other.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
    process.kill(await serverPid(dataDirectory), "SIGINT");
  });

  test.runIf(isLinux)("is not left behind by a process that must end at once while it is lost", async () => {
    const dataDirectory = await template.copy();
    const database = await start(dataDirectory, undefined, { takesBack: true, now: () => 0 });
    const before = await ownerPid(database);
    const postmaster = await serverPid(dataDirectory);
    await takeLock(database);
    await waitingPid(database, before);
    database.stopAtOnce();
    await eventually("it has ended", async () => (await inspectProcess(postmaster)) !== "postgres" || undefined);
    expect((await start(dataDirectory)).wasAdopted).toBe(false);
  });

  test.runIf(isLinux)("a stop ends a take-back whose server hangs", async () => {
    const dataDirectory = await template.copy();
    const database = await start(dataDirectory, undefined, { takesBack: true, now: () => 0 });
    const before = await ownerPid(database);
    const postmaster = await serverPid(dataDirectory);
    await takeLock(database);
    const hanging = await stopWait(database, before);
    const stopped = database.stop();
    await eventually("the server is asked to stop", async () => {
      const file = await readPostmasterFile(pgdataOf(dataDirectory));
      return file?.status === "stopping" || undefined;
    });
    process.kill(hanging, "SIGCONT");
    await stopped;
    expect(await inspectProcess(postmaster)).not.toBe("postgres");
  });
});

test("a process that must end at once leaves no server behind, and what was committed", async () => {
  const dataDirectory = await template.copy();
  const database = await start(dataDirectory, undefined, { takesBack: true });
  await query(database, "insert into notes values (1)");
  const postmaster = await serverPid(dataDirectory);
  database.stopAtOnce();
  await eventually("it has ended", async () => (await inspectProcess(postmaster)) !== "postgres" || undefined);
  const next = await start(dataDirectory);
  expect(next.wasAdopted).toBe(false);
  expect(await query(next, "select id from notes")).toEqual([{ id: 1 }]);
});

/** As root on Linux, where a small disk can be made. */
describe.runIf(isRoot && isLinux)("on a disk that is full", () => {
  test("the server that ends for it is started again when there is room, and nothing is lost", async (context) => {
    const { dataDirectory, fill } = await smallDisk(() => context.skip());
    const ended: Error[] = [];
    const database = await start(dataDirectory, (error) => ended.push(error), { takesBack: true });
    await query(database, "insert into notes values (1)");
    const before = await ownerPid(database);
    const postmaster = await serverPid(dataDirectory);
    const makeRoom = await fill();
    await endByFullDisk(database, postmaster);
    await makeRoom();
    await isOwnedAgain(database, before);
    expect(await query(database, "select id from notes")).toEqual([{ id: 1 }]);
    expect(ended).toEqual([]);
  });

  test("a stop leaves no server behind", async (context) => {
    const { dataDirectory, fill } = await smallDisk(() => context.skip());
    const database = await start(dataDirectory, undefined, { takesBack: true });
    const postmaster = await serverPid(dataDirectory);
    const makeRoom = await fill();
    await endByFullDisk(database, postmaster);
    await database.stop();
    expect(await inspectProcess(postmaster)).not.toBe("postgres");
    await expect(query(database, "select 1")).rejects.toThrow(/ECONNREFUSED/);
    await makeRoom();
    expect((await start(dataDirectory)).wasAdopted).toBe(false);
  });
});

/** By another client, which has it from the moment at which the server is lost. */
async function takeLock(database: EmbeddedDatabase): Promise<Client> {
  const other = new Client({ connectionString: database.connectionString, application_name: "other" });
  // It ends with the server.
  other.on("error", () => undefined);
  await other.connect();
  undo.push(() => other.end());
  const locked = other.query("select pg_advisory_lock($1)", [OWNER_LOCK]);
  await eventually("it waits for the lock", async () => {
    const waiting = await query(database, "select 1 from pg_locks where locktype = 'advisory' and not granted");
    return waiting.length > 0 || undefined;
  });
  await query(database, `select pg_terminate_backend(pid) from (${OWNER}) owner`);
  await locked;
  return other;
}

async function ownerPid(database: EmbeddedDatabase): Promise<number> {
  const [row] = (await query(database, OWNER)) as { pid: number }[];
  return row?.pid ?? 0;
}

/** By another connection than before. */
async function isOwnedAgain(database: EmbeddedDatabase, before: number): Promise<void> {
  const owned = `select a.pid from pg_stat_activity a join pg_locks l on l.pid = a.pid and l.locktype = 'advisory' and l.granted
    where a.application_name = 'rowmill owner' and a.pid <> ${before}`;
  await eventually("the lock is ours again", async () => {
    const rows = await query(database, owned).catch(() => []);
    return rows.length === 1 || undefined;
  });
}

/** PostgreSQL panics when it needs a file of its log and has no room for it. */
async function endByFullDisk(database: EmbeddedDatabase, postmaster: number): Promise<void> {
  // A table that cannot grow is an error of its statement, before the log is switched: then the log alone is written.
  const statements = [
    "create table t (n int); drop table t; select pg_switch_wal()",
    "select pg_logical_emit_message(false, 'full', 'disk'); select pg_switch_wal()",
  ];
  await eventually("the server has panicked", async () => {
    // An error of a statement may be its own, or the end of the server, which first recovers in vain: so its process counts.
    for (const statement of statements) await query(database, statement).catch(() => undefined);
    return (await inspectProcess(postmaster)) === "postgres" ? undefined : true;
  });
}

const SMALL_DISK_MEGABYTES = 160;

async function smallDisk(skip: () => void) {
  const folder = await mkdtemp(join(tmpdir(), "rowmill-small-"));
  undo.push(() => rm(folder, { recursive: true, force: true }));
  const disk = join(folder, "disk");
  await mkdir(disk);
  const run = promisify(execFile);
  const options = `size=${SMALL_DISK_MEGABYTES}m,mode=0711`;
  // A container may forbid it even to root.
  await run("mount", ["-t", "tmpfs", "-o", options, "tmpfs", disk]).catch(skip);
  undo.push(async () => void (await run("umount", ["--lazy", disk])));
  const dataDirectory = join(disk, "postgres");
  await run("cp", ["-a", template.path(), dataDirectory]);
  await rm(join(dataDirectory, "cluster", "port"));
  return {
    dataDirectory,
    fill: async () => {
      const ballast = join(disk, "ballast");
      const { bavail, bsize } = await statfs(disk);
      await writeFile(ballast, Buffer.alloc(bavail * bsize));
      return () => rm(ballast);
    },
  };
}
