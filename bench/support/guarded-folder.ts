import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { guardFolder } from "../../packages/server/src/testing/guarded-folder.ts";

/**
 * For what a benchmark needs: processes that have the folder in their arguments end with the benchmark, however it ends, and the folder
 * goes.
 */
export function makeGuardedFolder(prefix: string): string {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  guardFolder(folder);
  return folder;
}
