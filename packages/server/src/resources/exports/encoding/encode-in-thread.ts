/**
 * The file of an export, encoded in a thread: the service's thread reads the items and stores the pieces, and has time for
 * requests meanwhile.
 */
import { on } from "node:events";
import type { Worker } from "node:worker_threads";
import { ColumnAppearedError, ExportError } from "../formats/format.ts";
import type { Encoded, ExportItem, ExportSource } from "../formats/format.ts";
import type { EncodeFailure, EncodeJob, EncodedFile, FromEncoder, ToEncoder } from "./encode-messages.ts";
import type { EncodeThreads } from "./encode-threads.ts";
import { buffersOf, packPage } from "./packed-pages.ts";

const NOTHING = Buffer.alloc(0);

/** As `encode` of the format. A thread whose file is not written to its end, or that the signal stops, is ended. */
export async function* encodeInThread(
  source: ExportSource,
  file: EncodedFile,
  signal: AbortSignal,
  threads: EncodeThreads,
): AsyncGenerator<Encoded> {
  signal.throwIfAborted();
  const worker = threads.take();
  let hasEnded = false;
  const end = (): void => void worker.terminate();
  const pages = new PagesForThread(source, worker, end);
  signal.addEventListener("abort", end, { once: true });
  const messages = on(worker, "message", { close: ["exit"] }) as AsyncIterable<[FromEncoder]>; // what the thread posts
  try {
    worker.postMessage({ type: "job", job: jobOf(source, file) } satisfies ToEncoder);
    for await (const [message] of messages) {
      hasEnded = message.type === "ended" || message.type === "failed";
      if (message.type === "read") pages.begin(message.reading);
      else if (message.type === "next") pages.send(message.reading);
      else if (message.type === "failed") throw errorOf(message.failure);
      else {
        const { rowCount, guardedCells } = message;
        yield { bytes: message.type === "piece" ? bufferOf(message.bytes) : NOTHING, rowCount, guardedCells };
        if (message.type === "ended") return;
        worker.postMessage({ type: "taken" } satisfies ToEncoder);
      }
    }
    signal.throwIfAborted();
    throw pages.failure ?? new Error("the thread that encodes an export has ended");
  } finally {
    signal.removeEventListener("abort", end);
    await pages.close();
    if (hasEnded && !signal.aborted) threads.release(worker);
    else await worker.terminate();
  }
}

function jobOf(from: ExportSource, file: EncodedFile): EncodeJob {
  // A function does not pass to another thread.
  const source: EncodeJob["source"] = { ...from };
  Reflect.deleteProperty(source, "readPages");
  return { source, file };
}

/** Pages on their way to the thread; each reading begins with the first one. */
class PagesForThread {
  readonly #source: ExportSource;
  readonly #worker: Worker;
  readonly #onFailure: () => void;
  #reading = 0;
  #pages: AsyncIterator<readonly ExportItem[]> | undefined;
  #isClosed = false;
  /** Why there are no more pages. */
  failure: Error | undefined;

  constructor(source: ExportSource, worker: Worker, onFailure: () => void) {
    this.#source = source;
    this.#worker = worker;
    this.#onFailure = onFailure;
  }

  begin(reading: number): void {
    void this.#abandon();
    this.#reading = reading;
    this.#pages = this.#source.readPages()[Symbol.asyncIterator]();
  }

  /** The next page, when it has been read. */
  send(reading: number): void {
    const pages = this.#pages;
    if (pages !== undefined && reading === this.#reading)
      pages
        .next()
        .then(({ value, done }) => this.#post(reading, done === true ? undefined : value))
        .catch((error: unknown) => this.#fail(error));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#abandon();
  }

  #post(reading: number, items: readonly ExportItem[] | undefined): void {
    if (this.#isClosed) return;
    const page = items === undefined ? undefined : packPage(items);
    this.#worker.postMessage(
      { type: "page", reading, page } satisfies ToEncoder,
      page === undefined ? [] : buffersOf(page),
    );
  }

  /** Pages that nobody waits for any more may fail. */
  #fail(error: unknown): void {
    if (this.#isClosed) return;
    this.failure = asError(error);
    this.#onFailure();
  }

  async #abandon(): Promise<void> {
    await this.#pages?.return?.();
  }
}

const bufferOf = (bytes: Uint8Array<ArrayBuffer>): Buffer =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

function errorOf(failure: EncodeFailure): Error {
  if (failure.kind === "column_appeared") return new ColumnAppearedError(failure.message);
  if (failure.kind === "export") return new ExportError(failure.code, failure.message);
  return asError(failure.error);
}
