/** Why the local service does not run, as one sentence and what to do. */
import { existsSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { Problem } from "../frame/problem.ts";
import { asSentence } from "../frame/sentence.ts";
import type { LocalDirectory } from "./directories.ts";

/** What programs of the service print where nothing more can be written. */
const DISK_FULL = /ENOSPC|EDQUOT|No space left on device|Disk quota exceeded|disk is full|Check free disk space/;

/** What the service and its pool of connections say at a start. */
const OTHER_KEY = /written with another encryption key/;
const TOO_SLOW = /timeout exceeded when trying to connect/;

/** PostgreSQL ends where it cannot write its log, a file of this size; what it printed last may be about something else. */
const LEAST_FREE_BYTES = 16 * 1024 * 1024;

export const isDiskFull = (text: string): boolean => DISK_FULL.test(text);

/** The first line says what is wrong; what follows it, such as the output of another program, is in the log. */
export function serviceFailed(message: string, directory: Pick<LocalDirectory, "root" | "log">): Problem {
  if (isDiskFull(message) || hasNoSpace(directory.root)) return diskFull(directory.root);
  if (OTHER_KEY.test(message)) return otherKey(directory.root);
  if (TOO_SLOW.test(message)) return tooSlow(directory.log);
  const [first = ""] = message.split("\n");
  return new Problem(asSentence(first), `Its log is ${directory.log}.`, { code: "local_service_failed" });
}

/** Settings of the service, which its message names, are not those of the command. */
const otherKey = (root: string): Problem =>
  new Problem(
    "The local service has another encryption key than the one that its database was written with.",
    `Put ${join(root, "data", "encryption-key")} back from a copy, or remove ${root}, with all that it contains, to start again.`,
    { code: "other_encryption_key" },
  );

const tooSlow = (log: string): Problem =>
  new Problem(
    "The database of the local service did not respond in time.",
    `Repeat the command when this machine has less to do. The log of the service is ${log}.`,
    { code: "local_service_failed" },
  );

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
