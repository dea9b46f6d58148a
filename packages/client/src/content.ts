/** What is sent as the content of an upload, in one shape: a size if known, and chunks that can perhaps be read again. */
import { KeptSource } from "./kept-source.ts";
import { PAUSE, withPauses } from "./pauses.ts";
import { jsonLine } from "./rows.ts";
import { chunksOf } from "./streams.ts";

export type Content = Blob | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array> | Uint8Array | string;

export interface ContentSource {
  sizeBytes: number | null;
  filename?: string | undefined;
  /** Whether `open` may be called again after a failed attempt, always; what is read once may be as long as it `isKept`. */
  isReplayable: boolean;
  isKept?: () => boolean;
  /** Nobody opens it again. */
  close?: () => void;
  /** From its first byte on, or from another if it knows its size and can be read again. */
  open(from?: number): AsyncIterable<Uint8Array>;
  /** The same content as a body that every browser can send; not all of them send streams. */
  whole?: Blob | Uint8Array;
}

/** Bytes handed to the network at a time: enough to keep it busy, little enough to see progress. */
const CHUNK_BYTES = 256 * 1024;

export function contentSource(content: Content): ContentSource {
  if (typeof content === "string") return bytesSource(new TextEncoder().encode(content));
  if (content instanceof Uint8Array) return bytesSource(content);
  if (content instanceof Blob) {
    return {
      sizeBytes: content.size,
      filename: "name" in content && typeof content.name === "string" ? content.name : undefined,
      isReplayable: true,
      open: (from = 0) => chunksOf(content.slice(from).stream()),
      whole: content,
    };
  }
  const chunks = content instanceof ReadableStream ? chunksOf(content) : content;
  return readOnce(() => checkedChunks(chunks));
}

function bytesSource(bytes: Uint8Array): ContentSource {
  async function* open(from = 0): AsyncGenerator<Uint8Array, void, undefined> {
    for (let at = from; at < bytes.length; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES);
  }
  return { sizeBytes: bytes.length, isReplayable: true, open, whole: bytes };
}

/** Rows as JSON lines, never all at once, and something at least every 15 seconds. An array can be read again. */
export function rowsSource(rows: Iterable<object> | AsyncIterable<object>): ContentSource {
  const open = (): AsyncIterable<Uint8Array> => jsonLines(rows);
  return Array.isArray(rows) ? { sizeBytes: null, isReplayable: true, open } : readOnce(open);
}

async function* jsonLines(rows: Iterable<object> | AsyncIterable<object>): AsyncGenerator<Uint8Array, void, undefined> {
  const encoder = new TextEncoder();
  let text = "";
  let number = 0;
  for await (const row of Symbol.asyncIterator in rows ? withPauses(rows) : rows) {
    if (row !== PAUSE) text += jsonLine(row, number++);
    // Spaces before a line mean nothing, and keep the connection.
    else if (text === "") text = " ";
    if (row !== PAUSE && text.length < CHUNK_BYTES) continue;
    yield encoder.encode(text);
    text = "";
  }
  if (text !== "") yield encoder.encode(text);
}

async function* checkedChunks(chunks: AsyncIterable<unknown>): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of chunks) {
    if (!(chunk instanceof Uint8Array)) throw new TypeError("content must yield Uint8Array chunks: encode text first");
    yield chunk;
  }
}

function readOnce(read: () => AsyncIterable<Uint8Array>): ContentSource {
  const kept = new KeptSource(read);
  return {
    sizeBytes: null,
    isReplayable: false,
    open: () => kept.open(),
    isKept: () => kept.isKept,
    close: () => kept.close(),
  };
}

/** Whether what was sent of it can be sent again. */
export const mayBeRepeated = ({ isReplayable, isKept }: ContentSource): boolean => isReplayable || isKept?.() === true;
