/** Bytes in and out as async iterables: not every browser iterates a ReadableStream itself. */
import { RowmillConnectionError } from "./errors.ts";
import type { Watch } from "./watch.ts";

/** The chunks of a stream; leaving the loop cancels it. */
export async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = stream.getReader();
  let isOver = false;
  try {
    for (;;) {
      isOver = true; // unless there is a chunk: a stream that ended or failed is not canceled
      const { done, value } = await reader.read();
      if (done) return;
      isOver = false;
      yield value;
    }
  } finally {
    if (!isOver) await reader.cancel();
  }
}

/**
 * The body of a response. Time counts only while the service is waited for. A connection that breaks off is an error, never
 * the end: fetch distinguishes the two by the framing of HTTP.
 */
export async function* chunksOfResponse(response: Response, watch: Watch): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    if (response.body === null) return;
    watch.restart();
    for await (const chunk of chunksOf(response.body)) {
      watch.pause();
      yield chunk;
      watch.restart();
    }
  } catch (error) {
    throw watch.signal.aborted
      ? watch.signal.reason
      : new RowmillConnectionError("the connection broke off within the response", { cause: error });
  } finally {
    watch.close();
  }
}

/** `first` is what was taken of a generator before. */
export function streamOf(
  chunks: AsyncIterable<Uint8Array>,
  first?: IteratorResult<Uint8Array>,
): ReadableStream<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  let taken = first;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const result = taken ?? (await iterator.next());
      taken = undefined;
      if (result.done === true) controller.close();
      else controller.enqueue(result.value);
    },
    async cancel() {
      await iterator.return?.();
    },
  });
}
