/**
 * Files on their way to the service. They go on while somebody looks at other screens, and after the network was away; after a
 * reload the browser no longer has the file, and the upload goes on when the same one is chosen again.
 */
import { useSyncExternalStore } from "react";
import { Rowmill } from "@rowmill/client";
import type { Body, DatasetUpload } from "@rowmill/client";
import { baseUrl, fetchAsHere, isSignedOut, queries, rowmill } from "./client.ts";
import { newKey } from "./once.ts";
import { isUnreachable } from "./reachable.ts";
import { currentSession, endSession, onSessionResume, whenResumed } from "./session-end.ts";

/** How the content is read, where it is not as the service finds. */
export type Reading = Pick<Creation, "onInvalidRow" | "csv">;

export interface Transfer {
  file: File;
  reading: Reading;
  bytesSent: number;
  error: unknown;
  isSending: boolean;
  /** The service could not be reached at the last attempt; the next one follows by itself. */
  isCut: boolean;
}
let transfers: ReadonlyMap<string, Transfer> = new Map();
/** Files of which the service does not know yet. */
let beginning = 0;
const listeners = new Set<() => void>();
type Creation = Body<"createDatasetUpload">;
/** A day of a network that comes and goes. */
const MAX_RETRIES = 10_000;
/** A connection that is lost without a word ends nothing in the browser for a quarter of an hour: the service is asked beside it. */
const PROBE_EVERY_MS = 5_000;
/** On a slow line the piece has most of it. */
const PROBE_TIMEOUT_MS = 30_000;

function set(id: string, change: Partial<Transfer> & { file: File }): void {
  transfers = new Map([
    ...transfers,
    [id, { reading: {}, bytesSent: 0, error: null, isSending: false, isCut: false, ...transfers.get(id), ...change }],
  ]);
  report();
}
function report(): void {
  for (const listener of listeners) listener();
}

/** Opens an upload and begins to send; the id is known at once. */
export async function startUpload(file: File, reading: Reading = {}): Promise<string> {
  beginning++;
  report();
  try {
    const upload = await createUpload({
      name: file.name.replace(/\.(gz|zst)$/i, "").replace(/\.[a-z]{2,8}$/i, "") || file.name,
      source: { type: "upload", filename: file.name, sizeBytes: file.size },
      ...givenIn(reading),
    });
    set(upload.id, { file, reading });
    void sendFile(upload.id, file);
    return upload.id;
  } finally {
    beginning--;
    report();
  }
}

/** Options of tables are refused with other formats: none is sent that says nothing. */
function givenIn({ csv = {}, ...reading }: Reading): Reading {
  return Object.values(csv).some((option) => option !== undefined) ? { ...reading, csv } : reading;
}

/** A file that was chosen when the session was over waits for the next one. */
async function createUpload(body: Creation): Promise<DatasetUpload> {
  // One for all sessions: the organization stays the same, and a response may have been lost before the session was over.
  const idempotencyKey = newKey();
  for (;;) {
    await whenResumed();
    const session = currentSession();
    try {
      return await rowmill.datasetUploads.create(body, { maxRetries: MAX_RETRIES, idempotencyKey });
    } catch (error) {
      if (!isSignedOut(error)) throw error;
      if (session !== currentSession()) continue;
      endSession();
      // No session was here that could go on.
      if (whenResumed() === undefined) throw error;
    }
  }
}

export async function sendFile(id: string, file: File): Promise<void> {
  set(id, { file, error: null, isSending: true });
  const line = openLine(id, (isCut) => set(id, { file, isCut }));
  try {
    const upload = await line.rowmill.datasetUploads.uploadContent(id, file, {
      resumable: true,
      onProgress: ({ bytesSent }) => set(id, { file, bytesSent }),
    });
    queries.setQueryData<DatasetUpload>(["dataset-uploads", id], upload);
    set(id, { file, bytesSent: file.size, isSending: false, isCut: false });
  } catch (error) {
    if (isSignedOut(error) && line.session() < currentSession()) return void sendFile(id, file);
    set(id, { file, error, isSending: false, isCut: false });
    if (isSignedOut(error)) endSession();
  } finally {
    line.close();
  }
}

// What a session that was over has kept back.
onSessionResume(() => {
  for (const [id, { file, error }] of transfers) if (isSignedOut(error)) void sendFile(id, file);
});

interface Line {
  rowmill: Rowmill;
  /** Of the last request. */
  session(): number;
  close(): void;
}

/** A client for one file: it reports when the network is lost, ends what is under way then, and goes on as soon as it is back. */
function openLine(id: string, onChange: (isCut: boolean) => void): Line {
  let session = currentSession();
  const closed = new AbortController();
  let lost = new AbortController();
  function abandon(): void {
    lost.abort(new Error("the network was lost"));
    lost = new AbortController();
  }
  window.addEventListener("offline", abandon, { signal: closed.signal });
  async function probe(): Promise<void> {
    try {
      await rowmill.datasetUploads.get(id, { maxRetries: 0, timeoutMs: PROBE_TIMEOUT_MS });
    } catch (error) {
      // Whatever else is wrong is reported by the request that sends.
      if (isUnreachable(error)) abandon();
    }
    plan();
  }
  let timer = 0;
  function plan(): void {
    if (!closed.signal.aborted) timer = window.setTimeout(() => void probe(), PROBE_EVERY_MS);
  }
  plan();
  return {
    rowmill: new Rowmill({
      baseUrl,
      usesCookie: true,
      maxRetries: MAX_RETRIES,
      sleep: waitOrOnline,
      async fetch(url, init) {
        // A piece that is sent now would be sent by the session of somebody else in this browser.
        await whenResumed();
        session = currentSession();
        init.signal?.throwIfAborted();
        try {
          const signals = [lost.signal, ...(init.signal == null ? [] : [init.signal])];
          const response = await fetchAsHere(url, { ...init, signal: AbortSignal.any(signals) });
          onChange(false);
          return response;
        } catch (error) {
          onChange(true);
          throw error;
        }
      },
    }),
    session: () => session,
    close() {
      closed.abort();
      clearTimeout(timer);
    },
  };
}

/** Not longer than until the browser has a network again. */
async function waitOrOnline(ms: number): Promise<void> {
  const over = new AbortController();
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    window.addEventListener("online", () => resolve(clearTimeout(timer)), { signal: over.signal });
  });
  over.abort();
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useTransfer = (id: string): Transfer | undefined => useSyncExternalStore(listen, () => transfers.get(id));

/** All of this tab, by their uploads. */
export const useTransfers = (): ReadonlyMap<string, Transfer> => useSyncExternalStore(listen, () => transfers);

/** Files that are sent, or are as soon as somebody has signed in again. */
const countUnsent = (): number =>
  beginning + [...transfers.values()].filter(({ isSending, error }) => isSending || isSignedOut(error)).length;
export const useUnsentFiles = (): number => useSyncExternalStore(listen, countUnsent);
export const isSendingFile = (): boolean => countUnsent() > 0;

let isLeftUnsent = false;
/** A person has decided to leave without them: the browser does not ask again. */
export function discardFiles(): void {
  isLeftUnsent = true;
}
onSessionResume(() => (isLeftUnsent = false));

/** Leaving the page would lose what is not sent yet. */
window.addEventListener("beforeunload", (event) => {
  if (isSendingFile() && !isLeftUnsent) event.preventDefault();
});
