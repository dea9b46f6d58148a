/**
 * `postmaster.pid`: a running PostgreSQL writes there who it is. After a crash the file stays, and its pid may by then
 * be another process's; PostgreSQL itself would refuse to start for as long as that process lives.
 */
import { execFile } from "node:child_process";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { errorCode, nothingIfMissing } from "./build-beside.ts";

export interface PostmasterFile {
  pid: number;
  port: number;
  /** `undefined` while the file is half written. */
  status: "starting" | "stopping" | "ready" | "standby" | undefined;
}

/** Undefined if there is no file. */
export async function readPostmasterFile(dataDirectory: string): Promise<PostmasterFile | undefined> {
  const text = await readFile(join(dataDirectory, "postmaster.pid"), "utf8").catch(nothingIfMissing);
  return text === undefined ? undefined : parsePostmasterFile(text);
}

/** Lines: pid, data directory, start time, port, socket directory, listen address, shared memory key, status. */
export function parsePostmasterFile(text: string): PostmasterFile | undefined {
  const lines = text.split("\n").map((line) => line.trim());
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  const status = (["starting", "stopping", "ready", "standby"] as const).find((word) => word === lines[7]);
  return { pid, port: Number(lines[3]) || 0, status };
}

/** Removes the file if it still names this pid. */
export async function removeStalePostmasterFile(dataDirectory: string, pid: number): Promise<void> {
  const file = await readPostmasterFile(dataDirectory);
  if (file?.pid === pid) await rm(join(dataDirectory, "postmaster.pid"), { force: true });
}

/** `other`: the pid has gone to another program, or its process is dead and not yet reaped. */
export async function inspectProcess(pid: number): Promise<"postgres" | "other" | "gone"> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // Not permitted to signal it: it lives, as another user's.
    if (errorCode(error) !== "EPERM") return "gone";
  }
  switch (process.platform) {
    case "linux":
      return await inspectOnLinux(pid);
    case "win32":
      return "postgres"; // No cheap way to ask; PostgreSQL's own checks have to do.
    default:
      return await inspectByPs(pid);
  }
}

async function inspectOnLinux(pid: number): Promise<"postgres" | "other" | "gone"> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch((error: unknown) => {
    if (errorCode(error) !== "ENOENT" && errorCode(error) !== "ESRCH") throw error;
  });
  if (stat === undefined) return "gone";
  // `pid (command) state …`; a command may hold spaces and parentheses, hence the last one.
  const command = stat.slice(stat.indexOf("(") + 1, stat.lastIndexOf(")"));
  const state = stat.slice(stat.lastIndexOf(")") + 2, stat.lastIndexOf(")") + 3);
  return command === "postgres" && state !== "Z" && state !== "X" ? "postgres" : "other";
}

async function inspectByPs(pid: number): Promise<"postgres" | "other" | "gone"> {
  try {
    const { stdout } = await promisify(execFile)("ps", ["-o", "stat=,comm=", "-p", String(pid)]);
    return !stdout.startsWith("Z") && /(^|\/)postgres$/.test(stdout.trim().split(/\s+/).at(-1) ?? "")
      ? "postgres"
      : "other";
  } catch (error) {
    // ps ends with 1 and says nothing when the process is gone.
    if (error instanceof Error && "code" in error && error.code === 1) return "gone";
    throw error;
  }
}
