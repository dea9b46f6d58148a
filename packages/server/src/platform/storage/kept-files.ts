/**
 * Files of a store that stay readable while somebody deletes them: each gets a second name in a folder of its own, which `list` does not
 * show. Objects are never changed, so a second name is as good as a copy and costs nothing.
 */
import { randomUUID } from "node:crypto";
import { mkdir, open, readdir, rm, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { linkOrCopy } from "./partial-files.ts";
import { LEFTOVER_AGE_MS, ObjectNotFoundError } from "./storage.ts";
import type { KeptObjects } from "./storage.ts";
import { earlierMs, laterNow } from "../shared-time.ts";

/** `pathOf` is where the object of a key lies. */
export async function holdFiles(
  folder: string,
  keys: readonly string[],
  pathOf: (key: string) => string,
): Promise<KeptObjects> {
  const own = join(folder, randomUUID());
  await mkdir(own, { recursive: true, mode: 0o700 });
  const release = (): Promise<void> => rm(own, { recursive: true, force: true });
  const kept = new Map<string, { path: string; sizeBytes: number }>();
  const missing: string[] = [];
  try {
    for (const [index, key] of keys.entries()) {
      const path = join(own, String(index));
      if (await isLinked(pathOf(key), path)) kept.set(key, { path, sizeBytes: (await stat(path)).size });
      else missing.push(key);
    }
  } catch (error) {
    await release();
    throw error;
  }
  return {
    objects: [...kept].map(([key, { sizeBytes }]) => ({ key, sizeBytes })),
    missing,
    async open(key) {
      const object = kept.get(key);
      if (object === undefined) throw new ObjectNotFoundError(key);
      // Shows the sweep that somebody still reads here.
      const now = laterNow();
      await utimes(own, now, now);
      return (await open(object.path, "r")).createReadStream();
    },
    release,
  };
}

/** Folders of processes that died. */
export async function sweepKeptFiles(folder: string): Promise<void> {
  const names = await readdir(folder).catch(nothingIfMissing);
  for (const name of names ?? []) {
    const path = join(folder, name);
    const stats = await stat(path).catch(nothingIfMissing);
    if (stats && earlierMs() - stats.mtimeMs > LEFTOVER_AGE_MS) await rm(path, { recursive: true, force: true });
  }
}

async function isLinked(path: string, to: string): Promise<boolean> {
  try {
    await linkOrCopy(path, to);
    return true;
  } catch (error) {
    nothingIfMissing(error);
    return false;
  }
}

function nothingIfMissing(error: unknown): undefined {
  const isMissing = error instanceof Error && "code" in error && ["ENOENT", "ENOTDIR"].includes(String(error.code));
  if (!isMissing) throw error;
}
