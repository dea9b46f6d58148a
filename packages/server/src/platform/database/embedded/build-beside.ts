/**
 * A folder that is complete or absent: it is built under another name beside its place, then renamed. A kill in the
 * middle leaves only an `unfinished-…` folder, which a later call sweeps.
 */
import { randomBytes } from "node:crypto";
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";

/** Nothing built here takes a minute; what is older than this was left by a process that died. */
const LEFTOVER_AGE_MS = 10 * 60_000;

/** Another process may be removing the same leftover, or an orphaned initdb may still be writing into it. */
export const REMOVE_RETRIES = 5;

export const UNFINISHED = "unfinished-";

/** Does nothing if `target` exists. If another process finishes the same target first, its folder is the one that stays. */
export async function buildBeside(target: string, build: (unfinished: string) => Promise<void>): Promise<void> {
  const parent = dirname(target);
  await sweepLeftovers(parent);
  if (await exists(target)) return;
  const unfinished = join(parent, UNFINISHED + randomBytes(6).toString("hex"));
  await mkdir(unfinished, { mode: 0o700 });
  try {
    await build(unfinished);
    await rename(unfinished, target);
    await syncDirectory(parent);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true, maxRetries: REMOVE_RETRIES });
    if (!(await exists(target))) throw error;
  }
}

export async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(nothingIfMissing)) !== undefined;
}

/** For `.catch()`: a missing file is a result, every other error is thrown. */
export function nothingIfMissing(error: unknown): undefined {
  if (errorCode(error) !== "ENOENT") throw error;
}

export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

/** Makes a rename in this folder survive a power cut. Windows has no such call for folders. */
export async function syncDirectory(directory: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(directory, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function sweepLeftovers(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    if (!name.startsWith(UNFINISHED)) continue;
    const leftover = join(parent, name);
    const stats = await stat(leftover).catch(nothingIfMissing);
    if (stats === undefined || Date.now() - stats.mtimeMs < LEFTOVER_AGE_MS) continue;
    await rm(leftover, { recursive: true, force: true, maxRetries: REMOVE_RETRIES });
  }
}
