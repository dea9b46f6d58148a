/** Where a start keeps bytes: the object store, its health, and the free space of the disks. */
import { dirname, join } from "node:path";
import type { Config } from "../config.ts";
import type { Database } from "../platform/database/database.ts";
import type { Log } from "../platform/log.ts";
import { makeDirectory } from "../platform/make-directory.ts";
import { createSelfCheck } from "../platform/self-check.ts";
import { createFreeSpace } from "../platform/storage/free-space.ts";
import type { ReadFreeBytes } from "../platform/storage/free-space.ts";
import { checkStore, claimStore } from "../platform/storage/installation.ts";
import { openObjectStore } from "../platform/storage/open-store.ts";
import type { ObjectStore } from "../platform/storage/storage.ts";
import type { Services } from "../services.ts";
import type { Stops } from "./stops.ts";

type Files = Pick<Services, "store" | "storeCheck" | "freeSpace">;

export async function openFiles(
  { config, log, database }: { config: Config; log: Log; database: Database },
  readFreeBytes: ReadFreeBytes | undefined,
  stops: Stops,
): Promise<Files> {
  makeDirectory(config.ROWMILL_DATA_DIR);
  const store = await openStore(config, log);
  stops.add(() => store.close());
  await claimStore(database, store);
  const storeCheck = createSelfCheck(() => checkStore(database, store), log, {
    failed: "the store cannot be used: uploads and downloads fail",
    worksAgain: "the store can be used again",
  });
  const fileInStore = store.localPath?.("any");
  const freeSpace = createFreeSpace({
    workPath: config.ROWMILL_DATA_DIR,
    storePath: fileInStore === undefined ? undefined : dirname(fileInStore),
    minFreeBytes: config.ROWMILL_MIN_FREE_BYTES,
    log,
    readFreeBytes,
  });
  return { store, storeCheck, freeSpace };
}

async function openStore(config: Config, log: Log): Promise<ObjectStore> {
  const named = config.ROWMILL_STORAGE_URL;
  if (named?.kind !== "folder")
    return await openObjectStore(named ?? { kind: "folder", folder: join(config.ROWMILL_DATA_DIR, "files") }, log);
  try {
    return await openObjectStore(named, log);
  } catch (error) {
    // The advice for errors of the file system names the data directory.
    const message = error instanceof Error ? error.message : String(error);
    throw new Error(`${message}. Check ROWMILL_STORAGE_URL: it must name a folder in which the service may write.`, {
      cause: error,
    });
  }
}
