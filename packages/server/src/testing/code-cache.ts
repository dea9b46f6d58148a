/** One place for what the code of reader processes compiles to, for all tests of a run: with it they start in a third of the time. */
import { mkdir, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { codeCacheOf } from "../intake/intake-directories.ts";

/** Made by the first reader that writes to it; it goes with the run's folder. */
export const readerCodeCache = (): string => join(tmpdir(), "reader-code");

/** Gives a new data directory the code that earlier readers have compiled. */
export async function shareCodeCache(dataDirectory: string): Promise<void> {
  await mkdir(readerCodeCache(), { recursive: true, mode: 0o700 });
  await symlink(readerCodeCache(), codeCacheOf(dataDirectory));
}
