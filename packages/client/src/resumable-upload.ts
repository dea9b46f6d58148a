/**
 * Content in pieces, by the tus protocol: whatever has arrived is kept by the service, and after trouble only the rest is
 * sent. How long to go on trying counts from the last byte that got through.
 */
import type { ContentSource } from "./content.ts";
import { RowmillApiError } from "./errors.ts";
import { isWorthRepeating, parseRetryAfterMs, retryDelayMs } from "./retry.ts";
import { readJson } from "./transport.ts";
import type { Transport } from "./transport.ts";
import type { DatasetUpload, RequestOptions } from "./types.ts";
import { sendable, sendsStreams } from "./upload.ts";
import type { SendProgress } from "./upload.ts";

/**
 * A browser shows no progress within a request, so that it sends pieces: small enough for a bar that moves on a slow line, large
 * enough that the round trips between them cost little on a fast one.
 */
const PIECE_BYTES = 4 * 1024 * 1024;

const PATH = "/v1/dataset-uploads/{datasetUploadId}/content/resumable";

/** `source` knows its size, and can be read from any byte on. */
export async function sendResumably(
  transport: Transport,
  datasetUploadId: string,
  source: ContentSource & { sizeBytes: number },
  { onProgress, ...request }: RequestOptions & { onProgress?: ((progress: SendProgress) => void) | undefined } = {},
): Promise<DatasetUpload> {
  const path = { datasetUploadId };
  const maxRetries = request.maxRetries ?? transport.maxRetries;
  const pieceBytes = sendsStreams() || source.whole === undefined ? Infinity : PIECE_BYTES;
  let reached = 0;
  for (let failures = 0; ; failures++) {
    try {
      const { offsetBytes } = await transport.json("GET", PATH, { ...request, path });
      if (offsetBytes > reached) failures = 0;
      reached = offsetBytes;
      for (let offset = offsetBytes; offset < source.sizeBytes;) {
        const end = Math.min(source.sizeBytes, offset + pieceBytes);
        await sendPiece(transport, path, source, { offset, end }, { ...request, onProgress });
        offset = end;
        reached = end;
        failures = 0;
        onProgress?.({ bytesSent: end, bytesTotal: source.sizeBytes });
      }
      break;
    } catch (error) {
      if (failures >= maxRetries || !canGoOn(error)) throw error;
      const retryAfter = error instanceof RowmillApiError ? error.headers.get("retry-after") : null;
      const delayMs = retryDelayMs(failures, parseRetryAfterMs(retryAfter, Date.now()), Math.random());
      if (delayMs === undefined) throw error;
      await transport.sleep(delayMs, request.signal);
    }
  }
  return transport.json("GET", "/v1/dataset-uploads/{datasetUploadId}", { ...request, path });
}

async function sendPiece(
  transport: Transport,
  path: { datasetUploadId: string },
  source: ContentSource & { sizeBytes: number },
  { offset, end }: { offset: number; end: number },
  { onProgress, ...request }: RequestOptions & { onProgress?: ((progress: SendProgress) => void) | undefined },
): Promise<void> {
  const headers = {
    ...request.headers,
    "content-type": "application/offset+octet-stream",
    "content-length": String(end - offset),
    "tus-resumable": "1.0.0",
    "upload-offset": String(offset),
    "upload-length": String(source.sizeBytes),
  };
  const { whole, ...rest } = source;
  const content = sendable(
    {
      ...rest,
      // What is left of it; never repeated by the transport, which does not know how much of it has arrived.
      open: () => source.open(offset),
      ...(whole === undefined
        ? {}
        : { whole: whole instanceof Blob ? whole.slice(offset, end) : whole.subarray(offset, end) }),
    },
    onProgress && (({ bytesSent }) => onProgress({ bytesSent: offset + bytesSent, bytesTotal: source.sizeBytes })),
  );
  await transport.send("PATCH", PATH, { ...request, path, headers, content, maxRetries: 0 }, readJson);
}

/** Somebody else may be sending: an attempt of ours that the service believes alive. */
const canGoOn = (error: unknown): boolean =>
  isWorthRepeating(error, "yes") ||
  (error instanceof RowmillApiError && ["upload_in_progress", "upload_offset_mismatch"].includes(error.code));
