/** Makes a directory of this user's own, for what the command keeps, with those above it. */
import { existsSync, mkdirSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { Problem } from "../frame/problem.ts";

/** `setting`: the variable that chooses another place. */
export function makeOwnDirectory(path: string, setting: "XDG_DATA_HOME" | "XDG_CONFIG_HOME" | "--data"): void {
  // One by one: where a file system reports a new directory as missing, as /proc does, Node's `recursive` never returns.
  const missing: string[] = [];
  for (let each = resolve(path); !existsSync(each); each = dirname(each)) missing.unshift(each);
  for (const each of missing)
    try {
      mkdirSync(each, { mode: 0o700 });
    } catch (error) {
      const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
      // Another command has made it in the meantime.
      if (code === "EEXIST" && existsSync(each)) continue;
      throw new Problem(
        code === "ENOSPC" || code === "EDQUOT"
          ? `The disk is full: the directory ${each} cannot be made.`
          : `The directory ${each} cannot be made (${code}).`,
        `Correct that, or name another place with ${setting}, and repeat the command.`,
        { code: "no_directory", cause: error },
      );
    }
}
