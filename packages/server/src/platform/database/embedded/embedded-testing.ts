/** Starts embedded databases, here and in processes that can be killed, and looks at them. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, readdir, readFile, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { Client } from "pg";
import { afterAll, beforeAll } from "vitest";
import { undo } from "../../../testing/cleanup.ts";
import { codeOf } from "../../error-code.ts";
import { type EmbeddedDatabase, type EmbeddedDatabaseOptions, startEmbeddedDatabase } from "./embedded-database.ts";
import { readPostmasterFile } from "./postmaster-pid.ts";

/** How long a condition that must come true may take, on a machine that is busy with other tests. */
export const PATIENCE_MS = 240_000;

/** A folder for the tests of one file, and a cluster that was stopped cleanly: to copy it takes less time than initdb. */
export function useTemplate(name: string) {
  let scratch = "";
  let copies = 0;
  beforeAll(async () => {
    scratch = await mkdtemp(join(tmpdir(), `rowmill-${name}-`));
    const database = await startEmbeddedDatabase({ dataDirectory: join(scratch, "template") });
    await query(database, "create table notes (id int primary key)");
    await database.stop();
  });
  afterAll(async () => {
    await rm(scratch, { recursive: true, force: true });
  });
  return {
    /** A path in the folder. */
    pathTo: (...parts: string[]): string => join(scratch, ...parts),
    /** The data directory of the template, of which nothing runs. */
    path: (): string => join(scratch, "template"),
    /** A data directory with a copy of the cluster. */
    async copy(): Promise<string> {
      copies += 1;
      const dataDirectory = join(scratch, `cluster-${copies}`);
      await cp(join(scratch, "template"), dataDirectory, { recursive: true });
      // As in real life, every cluster has a port of its own: two test files may run at once.
      await rm(join(dataDirectory, "cluster", "port"));
      return dataDirectory;
    },
  };
}

export async function start(
  dataDirectory: string,
  onExit?: (error: Error) => void,
  options: Pick<EmbeddedDatabaseOptions, "takesBack" | "log" | "now" | "recoveryMs"> = {},
): Promise<EmbeddedDatabase> {
  const database = await startEmbeddedDatabase({ dataDirectory, ...(onExit && { onExit }), ...options });
  undo.push(() => database.stop());
  return database;
}

export interface OwnerResponse {
  connectionString?: string;
  wasAdopted?: boolean;
  error?: string;
}

/** Another Rowmill: starts the database, which it takes back where that is lost, reports that in a line of JSON, and stops on request. */
export function spawnOwner(dataDirectory: string, user: { uid?: number; gid?: number } = {}) {
  const source = `
    import { startEmbeddedDatabase } from ${JSON.stringify(new URL("./embedded-database.ts", import.meta.url).href)};
    import { once } from "node:events";
    try {
      const { connectionString, wasAdopted, stop } = await startEmbeddedDatabase({ dataDirectory: process.argv[1], takesBack: true });
      console.log(JSON.stringify({ connectionString, wasAdopted }));
      await once(process.stdin, "data");
      await stop();
    } catch (error) {
      console.log(JSON.stringify({ error: error.message }));
    }
    process.exit();`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", source, dataDirectory], {
    ...user,
    cwd: "/",
    detached: true,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  let isRefused = false;
  undo.push(async () => {
    child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null) await ended;
    // The server is that of another owner, who may take it back: it would be there again before anybody saw that it had ended.
    if (isRefused) return;
    const server = await readPostmasterFile(pgdataOf(dataDirectory));
    if (server === undefined) return;
    process.kill(server.pid, "SIGINT");
    await eventually("the server has ended", async () => ((await fileExists(pidFile)) ? undefined : true));
  });
  const pidFile = join(pgdataOf(dataDirectory), "postmaster.pid");
  const response = async (): Promise<OwnerResponse> => {
    for await (const line of createInterface(child.stdout)) {
      const said = readResponse(line);
      isRefused = said.error !== undefined;
      return said;
    }
    throw new Error("the child said nothing");
  };
  return { process: child, respond: response, ended };
}

export function readResponse(line: string): OwnerResponse {
  // The source above wrote it.
  return JSON.parse(line) as OwnerResponse;
}

export async function query(database: { connectionString: string }, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: database.connectionString });
  client.on("error", () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, unknown>>(sql);
    return rows;
  } finally {
    await client.end();
  }
}

export async function eventually<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await pause(5)) {
    const seen = await look();
    if (seen !== undefined) return seen;
  }
  throw new Error(`waited in vain until ${what}`);
}

export function pgdataOf(dataDirectory: string): string {
  return join(dataDirectory, "cluster", "pgdata");
}

export async function serverPid(dataDirectory: string): Promise<number> {
  const file = await readPostmasterFile(pgdataOf(dataDirectory));
  if (file === undefined) throw new Error("no server runs");
  return file.pid;
}

export async function fileExists(path: string): Promise<boolean> {
  return (await readdir(dirname(path)).catch(() => [])).some((name) => path.endsWith(`/${name}`));
}

export async function userOf(pid: number): Promise<number> {
  return Number(/^Uid:\s+(\d+)/m.exec(await readFile(`/proc/${pid}/status`, "utf8"))?.[1]);
}

export async function uidOf(name: string): Promise<number> {
  return Number(new RegExp(`^${name}:[^:]*:(\\d+):`, "m").exec(await readFile("/etc/passwd", "utf8"))?.[1]);
}

/** No server starts until the returned function is called. */
export async function preventStarts(dataDirectory: string): Promise<() => Promise<void>> {
  const settings = join(pgdataOf(dataDirectory), "postgresql.conf");
  await rename(settings, `${settings}.away`);
  return () => rename(`${settings}.away`, settings);
}

/** Of a connection that tries to take the server back, other than `before`. */
export function waitingPid(database: EmbeddedDatabase, before: number): Promise<number> {
  return eventually("the lock is asked for", async () => {
    const [row] = (await query(
      database,
      `select a.pid from pg_stat_activity a join pg_locks l on l.pid = a.pid and l.locktype = 'advisory' and not l.granted
       where a.application_name = 'rowmill owner' and a.pid <> ${before}`,
    )) as { pid: number }[];
    return row?.pid;
  });
}

/** Stops the process of such a connection: it neither ends its wait for the lock nor notices that its client is gone. */
export function stopWait(database: EmbeddedDatabase, before: number): Promise<number> {
  return eventually("a process that waits for the lock is stopped", async () => {
    const pid = await waitingPid(database, before);
    // A wait ends by itself after seconds, and another connection begins the next one.
    if (sendSignal(pid, "SIGSTOP") && (await waitingPid(database, before)) === pid) return pid;
    sendSignal(pid, "SIGCONT");
    return undefined;
  });
}

/** Whether there was a process to get it. */
function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if (codeOf(error) !== "ESRCH") throw error;
    return false;
  }
}
