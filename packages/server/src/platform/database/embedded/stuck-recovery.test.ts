import { cp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Client } from "pg";
import { expect, test } from "vitest";
import type { EmbeddedDatabase } from "./embedded-database.ts";
import {
  eventually,
  fileExists,
  pgdataOf,
  query,
  serverPid,
  spawnOwner,
  start,
  useTemplate,
} from "./embedded-testing.ts";
import { inspectProcess } from "./postmaster-pid.ts";

/** Long enough for the recovery of an empty database on a busy machine, which is then in time. */
const RECOVERY_MS = 5_000;

const template = useTemplate("stuck");

test("a server that does not end its recovery is ended and started again, and nothing is lost", async () => {
  const dataDirectory = await template.copy();
  const exits: Error[] = [];
  const warnings: unknown[] = [];
  const log = { info: () => undefined, warn: (fields: unknown) => void warnings.push(fields) };
  const onExit = (error: Error) => exits.push(error);
  const database = await start(dataDirectory, onExit, { takesBack: true, log, recoveryMs: RECOVERY_MS });
  const stuck = await serverPid(dataDirectory);
  await insertAndStick(database, dataDirectory);
  await ended(stuck);
  const rows = await eventually("another responds", () =>
    query(database, "select id from notes").catch(() => undefined),
  );
  expect(rows).toEqual([{ id: 1 }]);
  expect([warnings, exits]).toEqual([expect.arrayContaining([{ pid: stuck }]), []]);
});

test("so is one that was left alone, at the next start", async () => {
  const dataDirectory = await template.copy();
  const owner = spawnOwner(dataDirectory);
  const { connectionString = "" } = await owner.respond();
  const stuck = await serverPid(dataDirectory);
  await insertAndStick({ connectionString }, dataDirectory);
  owner.process.kill("SIGKILL");
  await owner.ended;
  const next = await start(dataDirectory, undefined, { recoveryMs: RECOVERY_MS });
  expect(next.wasAdopted).toBe(false);
  expect(await query(next, "select id from notes")).toEqual([{ id: 1 }]);
  expect(await inspectProcess(stuck)).not.toBe("postgres");
});

test("that of another directory is left alone by a copy of its files, which name it", async () => {
  const original = await template.copy();
  const owner = spawnOwner(original);
  const { connectionString = "" } = await owner.respond();
  const stuck = await serverPid(original);
  await insertAndStick({ connectionString }, original);
  owner.process.kill("SIGKILL");
  await owner.ended;
  const copied = template.pathTo("copy");
  await cp(original, copied, { recursive: true });
  await rm(join(copied, "cluster", "port"));
  const database = await start(copied, undefined, { recoveryMs: RECOVERY_MS });
  expect(await query(database, "select id from notes")).toEqual([{ id: 1 }]);
  expect(await serverPid(copied)).not.toBe(stuck);
  expect([await inspectProcess(stuck), await serverPid(original)]).toEqual(["postgres", stuck]);
  process.kill(stuck, "SIGQUIT");
  // What is undone after the test would else find it between its last file and its end.
  await ended(stuck);
});

const ended = (server: number): Promise<true> =>
  eventually("it has ended", async () => (await inspectProcess(server)) !== "postgres" || undefined);

/** Its recovery asks an archive for a file, and has to wait for the response; the one after it asks for none. */
async function insertAndStick(database: Pick<EmbeddedDatabase, "connectionString">, dataDirectory: string) {
  await query(database, "insert into notes values (1)");
  await query(database, "alter system set restore_command = 'rm recovery.signal; exec sleep 1200'");
  // The server takes clients a moment before all its own processes are there.
  const checkpointer = await eventually("it has a checkpointer", async () => {
    const [row] = await query(
      database,
      "select pid from pg_stat_activity, pg_reload_conf() where backend_type = 'checkpointer'",
    );
    return row;
  });
  const signal = join(pgdataOf(dataDirectory), "recovery.signal");
  await writeFile(signal, "");
  process.kill(Number(checkpointer["pid"]), "SIGKILL");
  await eventually("it recovers", () => refusal(database));
  await eventually("it waits", async () => ((await fileExists(signal)) ? undefined : true));
}

async function refusal({ connectionString }: Pick<EmbeddedDatabase, "connectionString">): Promise<true | undefined> {
  const client = new Client({ connectionString });
  client.on("error", () => undefined);
  try {
    await client.connect();
    await client.end();
    return undefined;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "57P03" ? true : undefined;
  }
}
