/**
 * The PostgreSQL that Rowmill brings along. It is a process of its own, which outlives a kill of ours:
 *
 *   no server runs            → start one (made first, if there is none; recovered by itself after a crash)
 *   one runs on our directory → adopt it: the Rowmill that started it was killed — or is still alive
 *
 * Only one Rowmill may use the directory. To the adoption a living owner looks like an orphan, so a process that connects takes
 * an advisory lock on a connection that it holds for life; the server gives it back the moment its holder dies.
 */
import { randomBytes } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Client } from "pg";
import { findBinaries, linkLibraries } from "./binaries.ts";
import {
  type ClusterFiles,
  clusterFiles,
  createDataDirectory,
  ensureCluster,
  forgetPort,
  readDataOwner,
  readPassword,
} from "./cluster.ts";
import { findRunningPostmaster, isGoneWithin, type Postmaster, startPostmaster, stopPostmaster } from "./postmaster.ts";
import { inspectProcess, removeStalePostmasterFile } from "./postmaster-pid.ts";
import { chooseRunAs, type RunAs } from "./run-as.ts";

/** After a kill of the server its last children may hold its memory for a moment, and a new one does not start. */
const RETRY_MS = 5_000;
const PASSING_REASONS = /shared memory|lock file/;
const RETRY_PAUSE_MS = 100;

/** Ports are taken by chance; a machine that takes five in a row has another problem. */
const MAX_PORTS_TRIED = 5;

/** A server that is alive responds at once; one that recovers from the crash of a child reports that for a while. */
const CONNECT_TIMEOUT_MS = 5_000;

/** A killed owner's lock is free within milliseconds: this long we wait before we say that the owner lives. */
const LOCK_TIMEOUT_MS = 2_000;

/** When the connection drops because the server dies, the process is gone shortly after: the better message. */
const DEATH_WAIT_MS = 1_000;

/** "rowmill" on a telephone keypad. One database, one such lock: any constant would do. */
const OWNER_LOCK = 7_696_455;

/** Where root puts programs that are out of reach for others; only root can write there. */
const SHARED_DIRECTORY = "/var/lib/rowmill";

export interface EmbeddedDatabaseOptions {
  /** Such as `./data/postgres`; made if it is missing. */
  dataDirectory: string;
  /** Called once if the server ends, or the hold on the directory is lost, without a `stop()`. Then end the process. */
  onExit?: (error: Error) => void;
}

export interface EmbeddedDatabase {
  connectionString: string;
  /** The server was running already. */
  wasAdopted: boolean;
  /** Ends all connections and the server; the data is complete on disk afterwards. Close pools first. */
  stop(): Promise<void>;
}

/** Every failure is an Error whose message is for the person who starts Rowmill. */
export async function startEmbeddedDatabase(options: EmbeddedDatabaseOptions): Promise<EmbeddedDatabase> {
  const dataDirectory = resolve(options.dataDirectory);
  const files = clusterFiles(dataDirectory);
  createDataDirectory(dataDirectory);
  const runAs = await chooseRunAs({
    binaries: await linkLibraries(findBinaries(), dataDirectory),
    dataDirectory,
    dataOwner: await readDataOwner(files),
    sharedDirectory: SHARED_DIRECTORY,
  });
  await ensureCluster(dataDirectory, runAs);
  const password = await readPassword(files);
  const { owner, postmaster, wasAdopted } = await adoptOrStart(files, password, runAs);

  let stopping: Promise<void> | undefined;
  let isLocked = true;
  owner.once("end", () => {
    isLocked = false;
    if (stopping === undefined) void describeLoss(postmaster, files).then(options.onExit);
  });
  const stop = async () => {
    // Without the lock the server may be another Rowmill's by now.
    if (!isLocked) return;
    // The lock goes with the server, not before it: in between another process could adopt what is about to end.
    await stopPostmaster(postmaster.pid, files, runAs);
    await owner.end();
  };
  return {
    connectionString: connectionString(postmaster.port, password),
    wasAdopted,
    stop: () => (stopping ??= stop()),
  };
}

/** How to connect to the server that runs on this directory, for a program beside the service; undefined if none runs. */
export async function findRunningDatabase(dataDirectory: string): Promise<string | undefined> {
  const files = clusterFiles(resolve(dataDirectory));
  const running = await findRunningPostmaster(files);
  if (running === undefined || (await inspectProcess(running.pid)) !== "postgres") return undefined;
  const url = connectionString(running.port, await readPassword(files));
  const client = await connectPatiently(url);
  if (typeof client === "string") return undefined;
  try {
    return (await servesDirectory(client, files.pgdata)) ? url : undefined;
  } finally {
    await client.end();
  }
}

/** Whether there is a database in this directory, running or not. */
export async function hasDatabase(dataDirectory: string): Promise<boolean> {
  return (await readDataOwner(clusterFiles(resolve(dataDirectory)))) !== undefined;
}

interface RunningServer {
  /** The connection that holds the lock. */
  owner: Client;
  postmaster: Postmaster;
  wasAdopted: boolean;
}

async function adoptOrStart(files: ClusterFiles, password: string, runAs: RunAs): Promise<RunningServer> {
  let portsTried = 0;
  const giveUpAt = Date.now() + RETRY_MS;
  for (;;) {
    const running = await findRunningPostmaster(files);
    if (running !== undefined) {
      const { pid, port } = running;
      const isPostgres = (await inspectProcess(pid)) === "postgres";
      const server = isPostgres ? await connectAsOwner(port, files, password) : "foreign";
      if (typeof server === "object") {
        return { owner: server, postmaster: { pid, port, describeEnd: () => undefined }, wasAdopted: true };
      }
      if (server === "silent" && Date.now() < giveUpAt) {
        await pause(RETRY_PAUSE_MS); // It may be about to end.
        continue;
      }
      // The pid has gone to another process, and PostgreSQL would refuse to start for as long as that one lives. Should
      // it be a server on these very files after all, the new one still finds out, by the memory that they would share.
      await removeStalePostmasterFile(files.pgdata, pid);
    }

    const start = await startPostmaster(files, runAs);
    if (start.outcome === "ready") {
      const { postmaster } = start;
      const server = await connectAsOwner(postmaster.port, files, password);
      if (typeof server === "object") return { owner: server, postmaster, wasAdopted: false };
      throw new Error(
        `The embedded PostgreSQL started and does not respond at port ${postmaster.port}. Its log: ${files.log}`,
      );
    }
    const isPortTaken = start.reason.includes("could not bind");
    if (isPortTaken) await forgetPort(files);
    portsTried += 1;
    const mayPass = PASSING_REASONS.test(start.reason) && Date.now() < giveUpAt;
    const isLastTry = isPortTaken ? portsTried >= MAX_PORTS_TRIED : !mayPass;
    if (isLastTry) {
      throw new Error(
        `The embedded PostgreSQL does not start on ${files.pgdata}: ${start.reason}\nIts log: ${files.log}`,
      );
    }
    if (!isPortTaken) await pause(RETRY_PAUSE_MS);
  }
}

/**
 * Connects, makes sure that the server is the one on our files, takes the lock. `foreign`: it is another server; `silent`:
 * no server responds. Throws the sentence for the second process if the lock is taken.
 */
async function connectAsOwner(
  port: number,
  files: ClusterFiles,
  password: string,
): Promise<Client | "foreign" | "silent"> {
  const client = await connectPatiently(connectionString(port, password));
  if (typeof client === "string") return client;
  try {
    if (!(await servesDirectory(client, files.pgdata))) {
      await client.end();
      return "foreign";
    }
    await client.query(`set lock_timeout = ${LOCK_TIMEOUT_MS}`);
    await client.query("select pg_advisory_lock($1)", [OWNER_LOCK]);
    return client;
  } catch (error) {
    await client.end();
    if (!hasCode(error, LOCK_NOT_AVAILABLE)) throw error;
    throw new Error(
      `Another Rowmill is running on ${files.pgdata}. Stop it first, or give this one a data directory of its own ` +
        "(ROWMILL_DATA_DIR); to run several processes on one database set ROWMILL_DATABASE_URL.",
      { cause: error },
    );
  }
}

const LOCK_NOT_AVAILABLE = "55P03";
const CANNOT_CONNECT_NOW = "57P03";
const AUTHENTICATION_CLASS = "28";

/** Waits out a server that recovers. */
async function connectPatiently(url: string): Promise<Client | "foreign" | "silent"> {
  const giveUpAt = Date.now() + CONNECT_TIMEOUT_MS;
  for (;;) {
    const client = new Client({
      connectionString: url,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      application_name: "rowmill owner",
      keepAlive: true,
    });
    // A connection that breaks later emits "error" and then "end"; the second is what is acted upon.
    client.on("error", () => undefined);
    try {
      await client.connect();
      return client;
    } catch (error) {
      if (hasCode(error, AUTHENTICATION_CLASS)) return "foreign";
      if (!hasCode(error, CANNOT_CONNECT_NOW) || Date.now() > giveUpAt) return "silent";
      await pause(RETRY_PAUSE_MS);
    }
  }
}

/**
 * The password alone is no proof: a copy of the directory has the same, and its `postmaster.pid` names the server of the
 * original. A file that we have just made, seen by the server, is.
 */
async function servesDirectory(client: Client, pgdata: string): Promise<boolean> {
  const mark = join(pgdata, `rowmill-mark-${randomBytes(8).toString("hex")}`);
  await writeFile(mark, "", { mode: 0o600 });
  try {
    const { rows } = await client.query<{ seen: boolean }>("select (pg_stat_file($1, true)).size is not null as seen", [
      basename(mark),
    ]);
    return rows[0]?.seen === true;
  } finally {
    await rm(mark, { force: true });
  }
}

async function describeLoss(postmaster: Postmaster, files: ClusterFiles): Promise<Error> {
  if (!(await isGoneWithin(postmaster.pid, DEATH_WAIT_MS))) {
    return new Error(
      `The connection that holds ${files.pgdata} for this process was lost; another one may have it now.`,
    );
  }
  const how = postmaster.describeEnd();
  return new Error(`The embedded PostgreSQL ended${how === undefined ? "" : ` (${how})`}. Its log: ${files.log}`);
}

function connectionString(port: number, password: string): string {
  return `postgres://postgres:${encodeURIComponent(password)}@127.0.0.1:${port}/postgres`;
}

/** Matches a code, or the class that it begins with. */
function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && typeof error.code === "string" && error.code.startsWith(code);
}
