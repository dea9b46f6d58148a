/** Finds or starts the PostgreSQL of a data directory, and takes the lock by which one process at a time uses it. */
import { randomBytes } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Client } from "pg";
import type { Log } from "../../log.ts";
import { type ClusterFiles, forgetPort } from "./cluster.ts";
import {
  findRunningPostmaster,
  type Postmaster,
  startPostmaster,
  stopPostmaster,
  stopPostmasterAtOnce,
} from "./postmaster.ts";
import { inspectProcess, removeStalePostmasterFile, servesFrom } from "./postmaster-pid.ts";
import type { RunAs } from "./run-as.ts";

/** After a kill of the server its last children may hold its memory for a moment, and a new one does not start: this long after the first refusal. */
const RETRY_MS = 5_000;
const PASSING_REASONS = /shared memory|lock file/;
const RETRY_PAUSE_MS = 100;
/** On a busy machine one connect may take all of that time. */
const MIN_CONNECTS = 3;

/** Ports are taken by chance; a machine that takes five in a row has another problem. */
const MAX_PORTS_TRIED = 5;

/** A server that is alive responds at once. */
const CONNECT_TIMEOUT_MS = 5_000;

/**
 * One that recovers from the crash of a child refuses connections for as long as it replays up to `max_wal_size` of log. PostgreSQL 18 may
 * also hang there for ever: when the disk is full and room comes back in the middle of the recovery. So one that takes longer than this is
 * ended, and started again: it recovers from the beginning, with all of the time of a start (`postmaster.ts`) for it.
 */
const RECOVERY_TIMEOUT_MS = 60_000;

/** A killed owner's lock is free within milliseconds: this long we wait before we say that the owner lives. */
const LOCK_TIMEOUT_MS = 2_000;

/** "rowmill" on a telephone keypad. One database, one such lock: any constant would do. */
const OWNER_LOCK = 7_696_455;

const LOCK_NOT_AVAILABLE = "55P03";
const CANNOT_CONNECT_NOW = "57P03";
const AUTHENTICATION_CLASS = "28";

export interface RunningServer {
  /** The connection that holds the lock. */
  owner: Client;
  postmaster: Postmaster;
  wasAdopted: boolean;
}

export interface TakeOptions {
  files: ClusterFiles;
  password: string;
  runAs: RunAs;
  /** The server that was ours until just now: one that runs is taken back, and one that is started gets its port, which others know. */
  lost?: Postmaster;
  /** Called with a server that was started, before it is known whether it can be used. */
  onStarted?: (postmaster: Postmaster) => void;
  /** Ends also a connect or a query whose server hangs. */
  signal?: AbortSignal | undefined;
  log?: Pick<Log, "warn"> | undefined;
  /** In place of `RECOVERY_TIMEOUT_MS`, for tests. */
  recoveryMs?: number | undefined;
}

/** No server that can be used: another one, one that recovers for too long, or none that responds. */
type NoServer = "foreign" | "recovering" | "silent";

/** Another process has the directory: its message is for the person who starts the second one. */
export class DirectoryTakenError extends Error {
  constructor({ pgdata }: ClusterFiles, { hint = "", ...options }: ErrorOptions & { hint?: string } = {}) {
    super(
      `Another Rowmill is running on ${pgdata}. Stop it first, or give this one a data directory of its own ` +
        `(ROWMILL_DATA_DIR); to run several processes on one database set ROWMILL_DATABASE_URL.${hint && ` ${hint}`}`,
      options,
    );
  }
}

/** Adopts the server that runs, or starts one. Throws a sentence if neither is possible. */
export async function takeServer(options: TakeOptions): Promise<RunningServer> {
  const { files, runAs, lost, onStarted, signal, log } = options;
  let portsTried = 0;
  let connects = 0;
  let deadline = Date.now() + RETRY_MS;
  /** From the first start that is refused: on a busy machine one start may take all of that time. */
  let startsUntil: number | undefined;
  for (;;) {
    const running = await findRunningPostmaster(files, signal);
    if (running !== undefined) {
      const { pid } = running;
      const isPostgres = (await inspectProcess(pid)) === "postgres";
      const server = isPostgres ? await connectAsOwner(running, options) : "foreign";
      if (typeof server === "object") {
        return { owner: server, postmaster: { ...running, describeEnd: () => undefined }, wasAdopted: true };
      }
      connects += 1;
      if (server === "silent" && (Date.now() < deadline || connects < MIN_CONNECTS)) {
        await pause(RETRY_PAUSE_MS); // It may be about to end.
        continue;
      }
      if (server === "recovering" && (pid === lost?.pid || (await servesFrom(running, files.pgdata)))) {
        log?.warn({ pid }, "the embedded database does not end its recovery: it is stopped, and started again");
        await stopPostmasterAtOnce(pid, files, runAs);
        deadline = Date.now() + RETRY_MS;
        continue;
      }
      // Our own server lives and is slow, or has no connection free: without its file a second one could start beside it.
      if (isPostgres && pid === lost?.pid) throw notResponding(running, files);
      // The pid has gone to another process, and PostgreSQL would refuse to start for as long as that one lives. Should
      // it be a server on these very files after all, the new one still finds out, by the memory that they would share.
      await removeStalePostmasterFile(files.pgdata, pid);
    }

    const start = await startPostmaster(files, runAs, signal);
    if (start.outcome === "ready") {
      onStarted?.(start.postmaster);
      return {
        owner: await connectToStarted(start.postmaster, options),
        postmaster: start.postmaster,
        wasAdopted: false,
      };
    }
    const isPortTaken = start.reason.includes("could not bind") && lost === undefined;
    if (isPortTaken) await forgetPort(files);
    portsTried += 1;
    startsUntil ??= Date.now() + RETRY_MS;
    const mayPass = PASSING_REASONS.test(start.reason) && Date.now() < startsUntil;
    const isLastTry = isPortTaken ? portsTried >= MAX_PORTS_TRIED : !mayPass;
    if (isLastTry) {
      throw new Error(
        `The embedded PostgreSQL does not start on ${files.pgdata}: ${start.reason}\nIts log: ${files.log}`,
      );
    }
    if (!isPortTaken) await pause(RETRY_PAUSE_MS);
  }
}

/** A server that cannot be used is stopped, or it would stay alone. */
async function connectToStarted(postmaster: Postmaster, options: TakeOptions): Promise<Client> {
  const { files, runAs, signal } = options;
  try {
    for (let connects = 1; connects <= MIN_CONNECTS; connects++) {
      const server = await connectAsOwner(postmaster, options);
      if (typeof server === "object") return server;
      if (server !== "silent") break;
      await pause(RETRY_PAUSE_MS);
    }
  } catch (error) {
    // Another process has adopted it meanwhile.
    if (error instanceof DirectoryTakenError) throw error;
    // A process that is about to end has no time for a checkpoint.
    const stop = signal?.aborted === true ? stopPostmasterAtOnce : stopPostmaster;
    await stop(postmaster.pid, files, runAs);
    throw error;
  }
  await stopPostmaster(postmaster.pid, files, runAs);
  throw notResponding(postmaster, files);
}

function notResponding({ pid, port }: Pick<Postmaster, "pid" | "port">, { log }: ClusterFiles): Error {
  return new Error(`The embedded PostgreSQL runs (pid ${pid}) and does not respond at port ${port}. Its log: ${log}`);
}

/** Connects, makes sure that the server is the one on our files, takes the lock. Throws `DirectoryTakenError` if the lock is taken. */
async function connectAsOwner(
  { pid, port }: Pick<Postmaster, "pid" | "port">,
  { files, password, lost, signal, recoveryMs }: TakeOptions,
): Promise<Client | NoServer> {
  const client = await connectPatiently(connectionString(port, password), { signal, recoveryMs });
  if (typeof client === "string") return client;
  try {
    // It was ours until just now, and the disk may be full.
    const isKnown = lost?.pid === pid && lost.port === port;
    const isLocked = await endedBy(signal, client, async () => {
      if (!isKnown && !(await servesDirectory(client, files.pgdata))) return false;
      await client.query(`set lock_timeout = ${LOCK_TIMEOUT_MS}`);
      await client.query("select pg_advisory_lock($1)", [OWNER_LOCK]);
      return true;
    });
    if (isLocked) return client;
    await client.end();
    return "foreign";
  } catch (error) {
    await client.end();
    if (!hasCode(error, LOCK_NOT_AVAILABLE)) throw error;
    throw new DirectoryTakenError(files, { cause: error });
  }
}

/** A server that hangs neither completes what it was asked nor closes the connection: where `signal` aborts, we close it. */
async function endedBy<T>(signal: AbortSignal | undefined, client: Client, work: () => Promise<T>): Promise<T> {
  signal?.throwIfAborted();
  const close = (): void => void client.connection.stream.destroy();
  signal?.addEventListener("abort", close);
  try {
    return await work();
  } finally {
    signal?.removeEventListener("abort", close);
  }
}

/** Waits out a server that recovers, for a time. */
export async function connectPatiently(
  url: string,
  options: Pick<TakeOptions, "signal" | "recoveryMs"> = {},
): Promise<Client | NoServer> {
  const { signal, recoveryMs = RECOVERY_TIMEOUT_MS } = options;
  const deadline = performance.now() + recoveryMs;
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
      await endedBy(signal, client, () => client.connect());
      return client;
    } catch (error) {
      signal?.throwIfAborted();
      if (hasCode(error, AUTHENTICATION_CLASS)) return "foreign";
      if (!hasCode(error, CANNOT_CONNECT_NOW)) return "silent";
      if (performance.now() > deadline) return "recovering";
      await pause(RETRY_PAUSE_MS);
    }
  }
}

/**
 * The password alone is no proof: a copy of the directory has the same, and its `postmaster.pid` names the server of the
 * original. A file that we have just made, seen by the server, is.
 */
export async function servesDirectory(client: Client, pgdata: string): Promise<boolean> {
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

export function connectionString(port: number, password: string): string {
  return `postgres://postgres:${encodeURIComponent(password)}@127.0.0.1:${port}/postgres`;
}

/** Matches a code, or the class that it begins with. */
function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && typeof error.code === "string" && error.code.startsWith(code);
}
