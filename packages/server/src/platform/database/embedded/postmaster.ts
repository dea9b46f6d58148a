/** The running server process: start it, wait for it, stop it. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { choosePort, type ClusterFiles, giveClusterTo, lastLines, openLog, pgdataArgument } from "./cluster.ts";
import { type PostmasterFile, inspectProcess, readPostmasterFile } from "./postmaster-pid.ts";
import { commandAs, type RunAs, runToEnd } from "./run-as.ts";

/** A start after a crash replays up to `max_wal_size` of log, on a slow disk for minutes. */
const READY_TIMEOUT_MS = 10 * 60_000;

/** A fast shutdown writes at most `shared_buffers` to disk. Rowmill itself has 30 s for all of its stop. */
const FAST_STOP_TIMEOUT_MS = 20_000;

/** An immediate shutdown writes nothing; the next start replays the log. PostgreSQL kills children that do not end after 5 s. */
const IMMEDIATE_STOP_TIMEOUT_MS = 8_000;

/** The status stands in a file, and an adopted process is nobody's child: both can only be looked at. */
const LOOK_INTERVAL_MS = 10;

/** What a failed start has logged is a handful of lines. */
const MAX_REASON_BYTES = 64 * 1024;

/** For transactions and bulk loads side by side on a small machine. `fsync` and `synchronous_commit` stay on. */
const settings: Record<string, string> = {
  // Its libraries are out of support, so nothing but this machine may reach it, and by TCP alone: socket paths have a length limit.
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  // One process of ours takes about thirty; what is not used costs next to nothing.
  max_connections: "300",
  shared_buffers: "256MB",
  effective_cache_size: "1GB",
  work_mem: "16MB",
  maintenance_work_mem: "128MB",
  // Loads write much log: fewer checkpoints, and less of it (page images compress well).
  max_wal_size: "4GB",
  checkpoint_timeout: "15min",
  wal_compression: "pglz",
  // Disks are flash nowadays.
  random_page_cost: "1.1",
  // Statements are short; compiling them costs more than it gains.
  jit: "off",
  timezone: "UTC",
  log_timezone: "UTC",
  // Failed statements are the program's to report; here they would put users' data into a file.
  log_min_messages: "log",
  log_min_error_statement: "panic",
  // `posix` lives in /dev/shm, which a container limits to 64 MB; System V memory has no such limit on Linux, and a tiny one elsewhere.
  ...(process.platform === "linux" ? { dynamic_shared_memory_type: "sysv" } : {}),
};

export interface Postmaster {
  pid: number;
  port: number;
  /** How it ended, if it was our child and has ended. */
  describeEnd: () => string | undefined;
}

export type StartOutcome = { outcome: "ready"; postmaster: Postmaster } | { outcome: "failed"; reason: string };

/**
 * A failed start is data, because the caller tries again: with another port, or once a dying server has released it. One that `signal`
 * cancels leaves no server behind.
 */
export async function startPostmaster(files: ClusterFiles, runAs: RunAs, signal?: AbortSignal): Promise<StartOutcome> {
  const port = await choosePort(files);
  const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const data = pgdataArgument(files.pgdata, runAs);
  const command = commandAs(runAs, "postgres", ["-D", data, "-p", String(port), ...flags]);

  const log = await openLog(files);
  try {
    if (runAs.fileOwner) await giveClusterTo(files, runAs.fileOwner);
    const { size: logStart } = await log.stat();
    const child = spawn(command.file, command.arguments, {
      ...command.options,
      cwd: files.pgdata,
      // In a process group of its own: Ctrl-C in the terminal reaches us alone, and we stop it when our work is done.
      detached: true,
      stdio: ["ignore", log.fd, log.fd],
    });
    let ending: string | undefined;
    child.once("exit", (code, signal) => {
      ending = signal === null ? `exit code ${code ?? "unknown"}` : `signal ${signal}`;
    });
    child.once("error", (error) => {
      ending = error.message;
    });
    child.unref();

    const deadline = Date.now() + READY_TIMEOUT_MS;
    for (;;) {
      if (ending !== undefined) break;
      const file = await readPostmasterFile(files.pgdata);
      if (file !== undefined && file.pid === child.pid && file.status === "ready") {
        return { outcome: "ready", postmaster: { pid: file.pid, port: file.port, describeEnd: () => ending } };
      }
      const isLate = Date.now() > deadline;
      if (isLate || signal?.aborted === true) {
        await endChild(child);
        if (!isLate) return { outcome: "failed", reason: "it was asked to stop while it started" };
        return { outcome: "failed", reason: `it was not ready after ${READY_TIMEOUT_MS / 60_000} minutes` };
      }
      await pause(LOOK_INTERVAL_MS);
    }

    const { buffer, bytesRead } = await log.read({ position: logStart, buffer: Buffer.alloc(MAX_REASON_BYTES) });
    return { outcome: "failed", reason: `${ending}\n${lastLines(buffer.toString("utf8", 0, bytesRead))}` };
  } finally {
    await log.close();
  }
}

/** A PostgreSQL that runs on this data directory already, once it is ready; undefined: none (any more). */
export async function findRunningPostmaster(
  files: ClusterFiles,
  signal?: AbortSignal,
): Promise<PostmasterFile | undefined> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  for (;;) {
    signal?.throwIfAborted();
    const file = await readPostmasterFile(files.pgdata);
    if (file === undefined || (await inspectProcess(file.pid)) === "gone") return undefined;
    if ((await inspectProcess(file.pid)) === "other" || file.status === "ready") return file;
    if (Date.now() > deadline) {
      throw new Error(`The PostgreSQL with pid ${file.pid} on ${files.pgdata} does not get ready, nor end.`);
    }
    await pause(LOOK_INTERVAL_MS);
  }
}

/** SIGINT is PostgreSQL's fast shutdown: it ends all connections, writes a checkpoint, exits. */
export async function stopPostmaster(pid: number, files: ClusterFiles, runAs: RunAs): Promise<void> {
  await signalPostmaster(pid, "INT", runAs);
  if (!(await isGoneWithin(pid, FAST_STOP_TIMEOUT_MS))) await stopPostmasterAtOnce(pid, files, runAs);
}

/** SIGQUIT is the immediate shutdown, for a server that has crashed: it has nothing to write, and may be unable to, as on a full disk. */
export async function stopPostmasterAtOnce(pid: number, files: ClusterFiles, runAs: RunAs): Promise<void> {
  await signalPostmaster(pid, "QUIT", runAs);
  if (await isGoneWithin(pid, IMMEDIATE_STOP_TIMEOUT_MS)) return;
  throw new Error(`The embedded PostgreSQL (pid ${pid} on ${files.pgdata}) does not end. Nothing committed is lost.`);
}

export async function isGoneWithin(pid: number, timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  while ((await inspectProcess(pid)) === "postgres") {
    if (Date.now() > deadline) return false;
    await pause(LOOK_INTERVAL_MS);
  }
  return true;
}

/** It may not be PostgreSQL yet: the program changes to it after it has changed its user. */
async function endChild(child: ChildProcess): Promise<void> {
  const hasEnded = (): boolean => child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
  // Nothing else may be left that keeps this process until then.
  child.ref();
  for (const signal of ["SIGQUIT", "SIGKILL"] as const) {
    if (hasEnded()) return;
    child.kill(signal);
    await once(child, "exit", { signal: AbortSignal.timeout(IMMEDIATE_STOP_TIMEOUT_MS) }).catch(() => undefined);
  }
}

async function signalPostmaster(pid: number, signal: "INT" | "QUIT", runAs: RunAs): Promise<void> {
  if ((await inspectProcess(pid)) !== "postgres") return;
  if (process.platform === "win32") {
    // Windows has no signals; pg_ctl speaks to PostgreSQL through a pipe of its own.
    const command = commandAs(runAs, "pg_ctl", ["kill", signal, String(pid)]);
    await runToEnd(command.file, command.arguments, { ...command.options, cwd: "." });
    return;
  }
  process.kill(pid, `SIG${signal}`);
}
