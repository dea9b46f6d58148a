import { spawn } from "node:child_process";
import type { Socket } from "node:net";
import { fileURLToPath } from "node:url";

/**
 * When this process ends, however, all processes end that have this folder in their arguments or environment, and the folder goes: see
 * `guardian.mjs`.
 */
export function guardFolder(folder: string): void {
  const path = fileURLToPath(new URL("guardian.mjs", import.meta.url));
  const env = { PATH: process.env["PATH"] };
  const child = spawn(process.execPath, [path, folder], { stdio: ["pipe", "ignore", "inherit"], detached: true, env });
  child.unref();
  // The pipe alone does not keep this process alive.
  (child.stdin as Socket).unref();
}
