/** From the setting ROWMILL_STORAGE_URL to a store. */
import { fileURLToPath } from "node:url";
import { openFileStore } from "./file-store.ts";
import type { ObjectStore } from "./storage.ts";

/** `file:///var/lib/rowmill/objects`, or relative to the working directory: `file:./data/objects`. */
export async function openObjectStore(storageUrl: string): Promise<ObjectStore> {
  if (storageUrl.startsWith("file:")) return await openFileStore(folderOf(storageUrl));
  throw new Error(
    storageUrl.startsWith("s3:")
      ? "ROWMILL_STORAGE_URL: s3 is not supported yet. Use a folder that all processes share: file:///path/to/folder."
      : "ROWMILL_STORAGE_URL is no URL that Rowmill knows. Use file:///path/to/folder.",
  );
}

function folderOf(fileUrl: string): string {
  const path = fileUrl.slice("file:".length);
  if (path === "") throw new Error("ROWMILL_STORAGE_URL names no folder. Use file:///path/to/folder.");
  // `new URL` would make a relative path absolute.
  if (!path.startsWith("/")) return decodeURIComponent(path);
  try {
    return fileURLToPath(fileUrl);
  } catch (cause) {
    throw new Error("ROWMILL_STORAGE_URL is no valid file URL. Use file:///path/to/folder, with three slashes.", {
      cause,
    });
  }
}
