/**
 * Files on their way to the service. They go on while somebody looks at other screens, and after the network was away; after a
 * reload the browser no longer has the file, and the upload goes on when the same one is chosen again.
 */
import { useSyncExternalStore } from "react";
import type { Body, DatasetUpload } from "@rowmill/client";
import { queries, rowmill } from "./client.ts";

export interface Transfer {
  file: File;
  bytesSent: number;
  error: unknown;
  isSending: boolean;
}
let transfers: ReadonlyMap<string, Transfer> = new Map();
const listeners = new Set<() => void>();
type Creation = Body<"createDatasetUpload">;
/** A day of a network that comes and goes. */
const MAX_RETRIES = 10_000;

function set(id: string, change: Partial<Transfer> & { file: File }): void {
  transfers = new Map([
    ...transfers,
    [id, { bytesSent: 0, error: null, isSending: false, ...transfers.get(id), ...change }],
  ]);
  for (const listener of listeners) listener();
}

/** Opens an upload and begins to send; the id is known at once. */
export async function startUpload(file: File, reading: Pick<Creation, "onInvalidRow" | "csv"> = {}): Promise<string> {
  const upload = await rowmill.datasetUploads.create({
    name: file.name.replace(/\.(gz|zst)$/i, "").replace(/\.[a-z]{2,8}$/i, "") || file.name,
    source: { type: "upload", filename: file.name, sizeBytes: file.size },
    ...reading,
  });
  void sendFile(upload.id, file);
  return upload.id;
}

export async function sendFile(id: string, file: File): Promise<void> {
  set(id, { file, error: null, isSending: true });
  try {
    const upload = await rowmill.datasetUploads.uploadContent(id, file, {
      resumable: true,
      maxRetries: MAX_RETRIES,
      onProgress: ({ bytesSent }) => set(id, { file, bytesSent }),
    });
    queries.setQueryData<DatasetUpload>(["dataset-uploads", id], upload);
    set(id, { file, bytesSent: file.size, isSending: false });
  } catch (error) {
    set(id, { file, error, isSending: false });
  }
}

export const useTransfer = (id: string): Transfer | undefined =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => transfers.get(id),
  );

export const isSendingFile = (): boolean => [...transfers.values()].some(({ isSending }) => isSending);

/** Leaving the page would lose what is not sent yet. */
window.addEventListener("beforeunload", (event) => {
  if (isSendingFile()) event.preventDefault();
});
