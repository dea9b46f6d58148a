/** The content of an upload as a plain local file, which is what the readers read. */
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { DownloadOutcome } from "../platform/egress/egress.ts";
import { openUrl } from "../platform/secrets/bearer-urls.ts";
import type { UploadRow } from "../resources/dataset-uploads/dataset-uploads.ts";
import type { IntakeAttemptParts } from "./intake-parts.ts";

/** A dataset of the largest size in this time needs 15 MB/s; a slower source is better downloaded by its owner. */
const DOWNLOAD_TIMEOUT_MS = 3_600_000;
/** A source that is silent for this long has gone. */
const DOWNLOAD_IDLE_MS = 30_000;
/** Pauses before the second and third try, where the first failed in a way that may pass. */
const DOWNLOAD_PAUSES_MS = [1_000, 5_000];
/** How often is looked whether there is room for more. */
const FREE_SPACE_CHECK_MS = 1_000;
/** Longer than a stop of the process takes. */
const STOP_WAIT_MS = 60_000;

/** The message is for the customer. */
export class DownloadFailedError extends Error {
  override name = "DownloadFailedError";
}

/** The message is for the customer. */
export class ContentLostError extends Error {
  override name = "ContentLostError";
  constructor() {
    super("The stored content is gone. Send it again with a new upload.");
  }
}

export interface StagedFile {
  path: string;
  filename: string | undefined;
}

/** A file of the store is read where it lies; anything else is brought into the directory first. */
export async function stageContent(
  services: IntakeAttemptParts,
  upload: UploadRow,
  directory: string,
  signal: AbortSignal,
): Promise<StagedFile> {
  if (upload.sourceType === "url") return download(services, urlOf(services, upload), upload, directory, signal);
  const { filename } = upload.source;
  if (upload.storageKey === null) throw new Error("an upload is in intake without content");
  // Somebody else has deleted it: no later attempt would find it.
  if ((await services.store.head(upload.storageKey)) === undefined) throw new ContentLostError();
  const localPath = services.store.localPath?.(upload.storageKey);
  if (localPath !== undefined) return { path: localPath, filename };
  const path = join(directory, "content");
  await services.freeSpace.wait(signal);
  // Once it fills the disk, waiting would not help.
  await services.freeSpace.checkWork(upload.bytesReceived);
  const content = await services.store.get(upload.storageKey);
  await pipeline(content, createWriteStream(path, { flags: "wx", mode: 0o600 }), { signal });
  return { path, filename };
}

/** Its query may be what lets its bearer read the file. */
function urlOf({ sealer }: IntakeAttemptParts, upload: UploadRow): string {
  const { sealedUrl } = upload.source;
  if (sealedUrl === undefined) throw new Error("an upload by URL has none");
  return openUrl(sealer, "dataset_uploads", upload, sealedUrl);
}

async function download(
  services: IntakeAttemptParts,
  url: string,
  { reservedBytes }: Pick<UploadRow, "reservedBytes">,
  directory: string,
  signal: AbortSignal,
): Promise<StagedFile> {
  const path = join(directory, "content");
  for (let attempt = 0; ; attempt++) {
    await services.freeSpace.wait(signal);
    const to = createWriteStream(path, { flags: "w", mode: 0o600 });
    // What has come so far may be what fills the disk: waiting would not help.
    const low = new AbortController();
    const looking = setInterval(() => {
      services.freeSpace.isLow().then(
        (isLow) => isLow && low.abort(),
        (error: unknown) => services.log.warn({ err: error }, "free space cannot be read"),
      );
    }, FREE_SPACE_CHECK_MS);
    const outcome = await services.egress.download({
      url,
      to,
      maxBytes: Math.min(services.config.ROWMILL_MAX_DATASET_BYTES, reservedBytes),
      timeoutMs: DOWNLOAD_TIMEOUT_MS,
      idleTimeoutMs: DOWNLOAD_IDLE_MS,
      signal: AbortSignal.any([signal, low.signal]),
    });
    clearInterval(looking);
    if (low.signal.aborted) {
      to.destroy();
      throw new DownloadFailedError("The service has too little free space for the content. Try again later.");
    }
    // Nobody has touched it if the status was another than 200.
    to.destroy();
    signal.throwIfAborted();
    if (outcome.outcome === "response" && outcome.status === 200)
      return { path, filename: new URL(url).pathname.split("/").at(-1) };
    if (outcome.outcome === "failed" && outcome.reason === "canceled") {
      // Outgoing calls are ended a moment before the jobs are when the process stops.
      await sleep(STOP_WAIT_MS, undefined, { signal });
      throw new Error("a download was canceled, and the process does not stop");
    }
    const pauseMs = DOWNLOAD_PAUSES_MS[attempt];
    if (pauseMs === undefined || !mayPass(outcome)) throw new DownloadFailedError(describeFailure(outcome));
    await sleep(pauseMs, undefined, { signal });
  }
}

function mayPass(outcome: DownloadOutcome): boolean {
  if (outcome.outcome === "response") return outcome.status === 429 || outcome.status >= 500;
  return ["timeout", "dns", "connect"].includes(outcome.reason);
}

/** An address that is not allowed and one where nobody responds give the same error: the difference would map our network. */
function describeFailure(outcome: DownloadOutcome): string {
  if (outcome.outcome === "response") {
    const hint =
      outcome.status >= 300 && outcome.status < 400
        ? " Redirects are not followed: send the address to which it leads, as `curl -sI URL` shows it."
        : "";
    return `The server responded with status ${outcome.status} instead of 200.${hint}`;
  }
  switch (outcome.reason) {
    case "response_too_large":
      return "The content is larger than a dataset may be, or than what the organization may still store.";
    case "tls":
      return "The server's certificate is not to be trusted, or the encrypted connection broke.";
    case "protocol":
      return "The server's response is not valid HTTP/1.1.";
    case "timeout":
    case "dns":
    case "connect":
    case "blocked_address":
    case "canceled":
      return "The server could not be reached, or it broke off.";
  }
}
