import { chmodSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { guardFolder } from "../../packages/server/src/testing/guarded-folder.ts";

/**
 * For what a benchmark needs: processes that have the folder in their arguments end with the benchmark, however it ends, and the folder
 * goes.
 */
export function makeGuardedFolder(prefix: string): string {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  // As root, PostgreSQL runs as another user and has its folder below this one: others may pass, and not list it.
  chmodSync(folder, 0o711);
  guardFolder(folder);
  return folder;
}
