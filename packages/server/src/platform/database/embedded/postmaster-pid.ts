/**
 * `postmaster.pid`: a running PostgreSQL writes there who it is. After a crash the file stays, and its pid may by then
 * be another process's; PostgreSQL itself would refuse to start for as long as that process lives.
 */
import { execFile, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { errorCode, nothingIfMissing } from "./build-beside.ts";

export interface PostmasterFile {
  pid: number;
  /** As it was named at the start of the server. */
  directory: string;
  port: number;
  /** `undefined` while the file is half written. */
  status: "starting" | "stopping" | "ready" | "standby" | undefined;
}

/** Undefined if there is no file. */
export async function readPostmasterFile(dataDirectory: string): Promise<PostmasterFile | undefined> {
  const text = await readFile(join(dataDirectory, "postmaster.pid"), "utf8").catch(nothingIfMissing);
  return text === undefined ? undefined : parsePostmasterFile(text);
}

/** For a process that ends at this moment: the pid that the file names where that is a living PostgreSQL. */
export function findPostgresAtOnce(dataDirectory: string): number | undefined {
  const pid = parsePostmasterFile(readIfThere(join(dataDirectory, "postmaster.pid")) ?? "")?.pid;
  if (pid === undefined || !isAlive(pid)) return undefined;
  if (process.platform === "win32") return pid;
  if (process.platform === "linux") return checkStat(readIfThere(`/proc/${pid}/stat`)) === "postgres" ? pid : undefined;
  const { stdout } = spawnSync("ps", psArguments(pid), { encoding: "utf8" });
  return checkPs(stdout) === "postgres" ? pid : undefined;
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    return nothingIfGone(error);
  }
}

/** A process of another user does not show its directory. */
function nothingIfHidden(error: unknown): undefined {
  if (errorCode(error) !== "EACCES") nothingIfGone(error);
}

/** A process that ends while its file is read is ESRCH. */
function nothingIfGone(error: unknown): undefined {
  if (errorCode(error) !== "ENOENT" && errorCode(error) !== "ESRCH") throw error;
}

/** Lines: pid, data directory, start time, port, socket directory, listen address, shared memory key, status. */
export function parsePostmasterFile(text: string): PostmasterFile | undefined {
  const lines = text.split("\n").map((line) => line.trim());
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  const status = (["starting", "stopping", "ready", "standby"] as const).find((word) => word === lines[7]);
  return { pid, directory: lines[1] ?? "", port: Number(lines[3]) || 0, status };
}

/** Whether the server runs on this very directory; the file of a copy names the server of the original. */
export async function servesFrom({ pid, directory }: PostmasterFile, dataDirectory: string): Promise<boolean> {
  const ours = await stat(dataDirectory);
  // Where Linux shows it, by the directory that the server works in: the path in the file may lead elsewhere here, as in a container.
  const current = process.platform === "linux" ? await stat(`/proc/${pid}/cwd`).catch(nothingIfHidden) : undefined;
  const served = current ?? (await stat(directory).catch(nothingIfHidden));
  return served?.dev === ours.dev && served.ino === ours.ino;
}

/** Removes the file if it still names this pid. */
export async function removeStalePostmasterFile(dataDirectory: string, pid: number): Promise<void> {
  const file = await readPostmasterFile(dataDirectory);
  if (file?.pid === pid) await rm(join(dataDirectory, "postmaster.pid"), { force: true });
}

/** `other`: the pid has gone to another program, or its process is dead and not yet reaped. */
export async function inspectProcess(pid: number): Promise<"postgres" | "other" | "gone"> {
  if (!isAlive(pid)) return "gone";
  switch (process.platform) {
    case "linux":
      return checkStat(await readFile(`/proc/${pid}/stat`, "utf8").catch(nothingIfGone));
    case "win32":
      return "postgres"; // No cheap way to ask; PostgreSQL's own checks have to do.
    default:
      return await inspectByPs(pid);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // Not permitted to signal it: it lives, as another user's.
    return errorCode(error) === "EPERM";
  }
  return true;
}

function checkStat(stat: string | undefined): "postgres" | "other" | "gone" {
  if (stat === undefined) return "gone";
  // `pid (command) state …`; a command may hold spaces and parentheses, hence the last one.
  const command = stat.slice(stat.indexOf("(") + 1, stat.lastIndexOf(")"));
  const state = stat.slice(stat.lastIndexOf(")") + 2, stat.lastIndexOf(")") + 3);
  return command === "postgres" && state !== "Z" && state !== "X" ? "postgres" : "other";
}

const psArguments = (pid: number): string[] => ["-o", "stat=,comm=", "-p", String(pid)];

const checkPs = (stdout: string): "postgres" | "other" =>
  !stdout.startsWith("Z") && /(^|\/)postgres$/.test(stdout.trim().split(/\s+/).at(-1) ?? "") ? "postgres" : "other";

async function inspectByPs(pid: number): Promise<"postgres" | "other" | "gone"> {
  try {
    const { stdout } = await promisify(execFile)("ps", psArguments(pid));
    return checkPs(stdout);
  } catch (error) {
    // ps ends with 1 and says nothing when the process is gone.
    if (error instanceof Error && "code" in error && error.code === 1) return "gone";
    throw error;
  }
}
