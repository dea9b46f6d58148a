/** From the setting ROWMILL_STORAGE_URL to a store. The only place that knows which one it is. */
import type { Log } from "../log.ts";
import { openFileStore } from "./file-store.ts";
import type { ObjectStore } from "./storage.ts";
import type { StorageLocation } from "./storage-url.ts";

export async function openObjectStore(location: StorageLocation, log: Log): Promise<ObjectStore> {
  if (location.kind === "folder") return openFileStore(location.folder);
  // The SDK takes 100 ms and 30 MB: only where it is of use.
  const { openS3Store } = await import("./s3/s3-store.ts");
  return openS3Store(location, log);
}
