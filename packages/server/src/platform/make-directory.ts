/**
 * Makes a directory that a setting names, with those above it. Node's own `recursive` never returns where the file system reports a new
 * directory as missing, as `/proc` does: it would block the thread for ever.
 */
import { mkdirSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

export function makeDirectory(path: string, mode = 0o777): void {
  const missing: string[] = [];
  for (let each = resolve(path); !exists(each); each = dirname(each)) missing.unshift(each);
  for (const each of missing) makeOne(each, mode);
  // A file is refused where it is, and not by what is made in it later.
  if (missing.length === 0 && !isDirectory(path))
    throw Object.assign(new Error(`${path} is not a directory`), { code: "ENOTDIR", path });
}

const stateOf = (path: string) => statSync(path, { throwIfNoEntry: false });
const exists = (path: string): boolean => stateOf(path) !== undefined;
const isDirectory = (path: string): boolean => stateOf(path)?.isDirectory() === true;

function makeOne(path: string, mode: number): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    // Another process has made it in the meantime.
    if (code === "EEXIST" && isDirectory(path)) return;
    // The one above it exists.
    if (code !== "ENOENT") throw error;
    throw Object.assign(new Error(`no directory can be made in ${dirname(path)}`, { cause: error }), {
      code: "EPERM",
      path,
    });
  }
}
