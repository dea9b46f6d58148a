/**
 * Content that can be read only once. Its beginning is kept while it is sent, so that an attempt that the service refuses early, or whose
 * connection breaks early, can be repeated: all of a small upload, and a large one that was refused before much of it was taken.
 */
import { RowmillError } from "./errors.ts";
import { closeLater } from "./pauses.ts";

/** What fills the buffers of the network before a refusal can be read, on a usual line. */
const MAX_KEPT_BYTES = 4 * 1024 * 1024;
/** Each chunk takes memory beside its bytes. */
const MAX_KEPT_CHUNKS = 1_000;

export class KeptSource {
  readonly #read: () => AsyncIterable<Uint8Array>;
  #iterator: AsyncIterator<Uint8Array> | undefined;
  /** The chunks from the number `first` on. */
  #chunks: Uint8Array[] = [];
  #first = 0;
  #bytes = 0;
  #isKept = true;
  #isOver = false;
  #isClosed = false;
  /** Of the source, which may come between two attempts. */
  #error: { reason: unknown } | undefined;
  #reading: Promise<void> | undefined;
  #attempts = 0;

  constructor(read: () => AsyncIterable<Uint8Array>) {
    this.#read = read;
  }

  /** Whether all that was taken of the source is kept, or was when it was closed: `open` may be called again. */
  get isKept(): boolean {
    return this.#isKept;
  }

  /** From the first byte on; ends the attempt before. */
  async *open(): AsyncGenerator<Uint8Array, void, undefined> {
    if (this.#error !== undefined) throw this.#error.reason;
    if (this.#isClosed || (this.#attempts > 0 && !this.#isKept))
      throw new RowmillError("this content can be read only once");
    const own = ++this.#attempts;
    for (let at = 0; ; at++) {
      // An attempt that was ended may still wait for a chunk: the next one waits for the same.
      if (at - this.#first >= this.#chunks.length && !this.#isOver)
        await (this.#reading ??= this.#takeChunk().finally(() => (this.#reading = undefined)));
      if (own !== this.#attempts) return;
      const chunk = this.#chunks[at - this.#first];
      if (chunk === undefined) return;
      if (!this.#isKept) {
        this.#chunks = this.#chunks.slice(at + 1 - this.#first);
        this.#first = at + 1;
      }
      yield chunk;
    }
  }

  /** Nobody opens it again. */
  close(): void {
    if (this.#iterator !== undefined && !this.#isOver) closeLater(this.#iterator);
    this.#isClosed = true;
    this.#isOver = true;
    this.#chunks = [];
  }

  async #takeChunk(): Promise<void> {
    this.#iterator ??= this.#read()[Symbol.asyncIterator]();
    try {
      const result = await this.#iterator.next();
      if (result.done === true) {
        this.#isOver = true;
        return;
      }
      const { value } = result;
      this.#bytes += value.length;
      this.#isKept &&= this.#bytes <= MAX_KEPT_BYTES && this.#first + this.#chunks.length < MAX_KEPT_CHUNKS;
      // A copy: a program may fill the same buffer again for its next chunk.
      this.#chunks.push(this.#isKept ? new Uint8Array(value) : value);
    } catch (error) {
      this.#error = { reason: error };
      this.#isKept = false;
      this.#isOver = true;
      throw error;
    }
  }
}
