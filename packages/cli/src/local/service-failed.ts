/** Why the local service does not run, as one sentence and what to do. */
import { existsSync, statfsSync } from "node:fs";
import { Problem } from "../frame/problem.ts";
import type { LocalDirectory } from "./directories.ts";

/** What programs of the service print where nothing more can be written. */
const DISK_FULL = /ENOSPC|EDQUOT|No space left on device|Disk quota exceeded|disk is full|Check free disk space/;

/** PostgreSQL ends where it cannot write its log, a file of this size; what it printed last may be about something else. */
const LEAST_FREE_BYTES = 16 * 1024 * 1024;

export const isDiskFull = (text: string): boolean => DISK_FULL.test(text);

/** The first line says what is wrong; what follows it, such as the output of another program, is in the log. */
export function serviceFailed(message: string, directory: Pick<LocalDirectory, "root" | "log">): Problem {
  if (isDiskFull(message) || hasNoSpace(directory.root)) return diskFull(directory.root);
  const [first = ""] = message.split("\n");
  return new Problem(first.replace(/:$/, "."), `Its log is ${directory.log}.`, { code: "local_service_failed" });
}

/** A database that cannot write ends much later, if at all. */
export function requireSpace({ root }: Pick<LocalDirectory, "root">): void {
  if (hasNoSpace(root)) throw diskFull(root);
}

/** It started and has ended, or was killed at its start: what it has done is kept. */
export const ENDED_CODE = "local_service_ended";

export function serviceEnded(message: string, directory: Pick<LocalDirectory, "root" | "log">): Problem {
  if (isDiskFull(message) || hasNoSpace(directory.root)) return diskFull(directory.root);
  return new Problem(
    message,
    `Repeat the command: it goes on where it was. The log of the service is ${directory.log}.`,
    { code: ENDED_CODE },
  );
}

const diskFull = (root: string): Problem =>
  new Problem(
    `The disk is full: the local service cannot write to ${root}.`,
    "Free some space and repeat the command: it goes on where it was.",
    { code: "enospc" },
  );

function hasNoSpace(root: string): boolean {
  if (!existsSync(root)) return false;
  const { bavail, bsize } = statfsSync(root);
  return bavail * bsize < LEAST_FREE_BYTES;
}
