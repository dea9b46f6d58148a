/** The files of a deployment's store, and the tasks that delete those of which nothing is left. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Deployment } from "./deployment.ts";
import { until } from "./findings.ts";

const LIST_BOUND_MS = 120_000;

export const folderOfFiles = ({ folder }: Deployment): string => join(folder, "data", "files");

/** Paths within the store. */
export async function filesIn(deployment: Deployment): Promise<string[]> {
  const folder = folderOfFiles(deployment);
  // The store removes a folder with the last file in it, also between the look that found it and the one into it.
  const entries = await until("a list of the files", LIST_BOUND_MS, () =>
    readdir(folder, { recursive: true, withFileTypes: true }).catch((error: unknown) => {
      if ([undefined, folder].includes(missingPathOf(error))) throw error;
      return undefined;
    }),
  );
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}

/** Its periodic tasks run when it starts, and some of them hardly ever again. */
export async function restartWorker(deployment: Deployment): Promise<void> {
  const worker = deployment.members.at(-1)?.process;
  worker?.signal("SIGTERM");
  await worker?.exited();
  await deployment.recover();
}

/** Undefined: the error is another one than that a path is not there. */
export const missingPathOf = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error && error.code === "ENOENT" && "path" in error
    ? String(error.path)
    : undefined;
