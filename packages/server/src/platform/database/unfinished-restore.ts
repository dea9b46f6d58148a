/**
 * That a restore began in this place and has not ended: a file in the data directory, there from before the first object until the database
 * is complete. A repeated restore of the same backup goes over what the killed one has written, and a service does not start on half of it.
 */
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { nothingIfMissing, syncDirectory } from "./embedded/build-beside.ts";

const FILE = "restore-in-progress.json";

export interface UnfinishedRestore {
  /** SHA-256 of the backup's manifest. */
  backup: string;
  /** What it reads. */
  source: string;
  /** Server and name of the database, without a password; null for the embedded one. */
  database: string | null;
}

export async function readUnfinishedRestore(dataDirectory: string): Promise<UnfinishedRestore | undefined> {
  const text = await readFile(join(dataDirectory, FILE), "utf8").catch(nothingIfMissing);
  return text === undefined ? undefined : (JSON.parse(text) as UnfinishedRestore); // written below
}

export async function noteUnfinishedRestore(dataDirectory: string, restore: UnfinishedRestore): Promise<void> {
  await writeFile(join(dataDirectory, FILE), JSON.stringify(restore), { mode: 0o600, flush: true });
  await syncDirectory(dataDirectory);
}

export async function forgetUnfinishedRestore(dataDirectory: string): Promise<void> {
  await rm(join(dataDirectory, FILE), { force: true });
}

/** Throws a sentence where a service would start on half a restore. */
export async function refuseUnfinishedRestore(dataDirectory: string): Promise<void> {
  const unfinished = await readUnfinishedRestore(dataDirectory);
  if (unfinished === undefined) return;
  throw new Error(
    `a restore of ${unfinished.source} did not end here: repeat \`rowmill restore ${unfinished.source}\`, which goes on, ` +
      `or empty ${dataDirectory} and the database and begin from nothing`,
  );
}
