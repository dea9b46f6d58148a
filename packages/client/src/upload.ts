/** Sending content: what fetch is given for each attempt, and how far it has come. */
import { mayBeRepeated } from "./content.ts";
import type { ContentSource } from "./content.ts";
import { firstOf } from "./pauses.ts";
import { streamOf } from "./streams.ts";
import type { SendInput } from "./transport.ts";
import type { Watch } from "./watch.ts";

export interface SendProgress {
  bytesSent: number;
  /** Null when the size is not known beforehand. */
  bytesTotal: number | null;
}

/** No oftener than the eye can follow; the last is always reported. */
const PROGRESS_INTERVAL_MS = 100;

export function sendable(
  source: ContentSource,
  onProgress?: (progress: SendProgress) => void,
): NonNullable<SendInput["content"]> {
  let sourceFailure: Error | undefined;
  return {
    isReplayable: () => mayBeRepeated(source),
    failure: () => sourceFailure,
    close: () => source.close?.(),
    async open(watch) {
      sourceFailure = undefined;
      if (source.whole !== undefined && !sendsStreams()) {
        // How far it has come is not to be seen, so no time can be too long.
        watch.pause();
        return source.whole as NonNullable<RequestInit["body"]>; // the types want to know that the buffer is not shared
      }
      const chunks = sentChunks(source, watch, onProgress, (error) => (sourceFailure = error));
      // A connection whose first bytes are late is closed by the service, and a query may think for minutes before its first row.
      return streamOf(chunks, await firstOf(chunks, watch.signal));
    },
  };
}

/** Browsers send streams only over HTTP/2, or not at all. */
export function sendsStreams(): boolean {
  return "process" in globalThis;
}

async function* sentChunks(
  source: ContentSource,
  watch: Watch,
  onProgress: ((progress: SendProgress) => void) | undefined,
  onFailure: (error: Error) => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  const bytesTotal = source.sizeBytes;
  let bytesSent = 0;
  let reportedAt = -Infinity;
  try {
    // Time counts only while the network takes a chunk, not while the source makes one.
    watch.pause();
    for await (const chunk of source.open()) {
      if (onProgress !== undefined && performance.now() - reportedAt >= PROGRESS_INTERVAL_MS) {
        reportedAt = performance.now();
        onProgress({ bytesSent, bytesTotal });
      }
      // fetch reads a stream to its end even when nobody wants it any more. An error ends it, and is never taken for its end.
      watch.signal.throwIfAborted();
      watch.restart();
      yield chunk;
      watch.pause();
      bytesSent += chunk.length;
    }
    onProgress?.({ bytesSent, bytesTotal });
    watch.restart();
  } catch (error) {
    if (!watch.signal.aborted)
      onFailure(error instanceof Error ? error : new Error("the content could not be read", { cause: error }));
    throw error;
  }
}
