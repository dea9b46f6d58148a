/** Text as UTF-8 in a buffer that grows: what is written comes mostly as bytes already, in small pieces. */

/** Below this a loop copies faster than a call into the engine. */
const LOOP_BYTES = 48;
const LEAST_BYTES = 64 * 1024;
const MOST_KEPT_BYTES = 1024 * 1024;
/** More bytes than any number has digits. */
const MAX_DIGITS = 24;
/** Bytes that one unit of a string may take. */
const MAX_BYTES_PER_UNIT = 3;

const ZERO = 0x30;
const HEXADECIMAL = Buffer.from("0123456789abcdef");
/** Up to here V8 keeps integers without a box; larger ones are rare. */
const MAX_FAST_INTEGER = 0x3f_ff_ff_ff;

export class ByteWriter {
  #bytes = Buffer.allocUnsafeSlow(LEAST_BYTES);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Forgets everything, and does not keep a buffer that was needed once. */
  clear(): void {
    this.#length = 0;
    if (this.#bytes.length > MOST_KEPT_BYTES) this.#bytes = Buffer.allocUnsafeSlow(LEAST_BYTES);
  }

  /** Forgets what was written behind the first `length` bytes. */
  cut(length: number): void {
    this.#length = length;
  }

  byte(byte: number): void {
    if (this.#length === this.#bytes.length) this.#grow(1);
    this.#bytes[this.#length++] = byte;
  }

  copy(source: Buffer, start = 0, end = source.length): void {
    const size = end - start;
    if (this.#length + size > this.#bytes.length) this.#grow(size);
    const bytes = this.#bytes;
    let to = this.#length;
    if (size < LOOP_BYTES) for (let from = start; from < end; from++) bytes[to++] = source[from] ?? 0;
    else source.copy(bytes, to, start, end);
    this.#length += size;
  }

  /** The bytes, unless one of them is `unwanted`: then nothing is written. */
  copyUnless(source: Buffer, start: number, end: number, unwanted: number): boolean {
    const size = end - start;
    if (this.#length + size > this.#bytes.length) this.#grow(size);
    const bytes = this.#bytes;
    let to = this.#length;
    for (let from = start; from < end; from++) {
      const byte = source[from] ?? 0;
      if (byte === unwanted) return false;
      bytes[to++] = byte;
    }
    this.#length = to;
    return true;
  }

  /** The bytes with a `before` in front of each `marked`. */
  copyMarked(source: Buffer, start: number, end: number, marked: number, before: number): void {
    if (this.#length + 2 * (end - start) > this.#bytes.length) this.#grow(2 * (end - start));
    const bytes = this.#bytes;
    let to = this.#length;
    for (let from = start; from < end; from++) {
      const byte = source[from] ?? 0;
      if (byte === marked) bytes[to++] = before;
      bytes[to++] = byte;
    }
    this.#length = to;
  }

  text(text: string): void {
    const most = text.length * MAX_BYTES_PER_UNIT;
    if (this.#length + most > this.#bytes.length) this.#grow(most);
    this.#length += this.#bytes.write(text, this.#length, "utf8");
  }

  integer(value: number): void {
    if (!(value >= 0 && value <= MAX_FAST_INTEGER && Number.isInteger(value))) return this.text(String(value));
    if (this.#length + MAX_DIGITS > this.#bytes.length) this.#grow(MAX_DIGITS);
    const bytes = this.#bytes;
    let digits = 1;
    for (let rest = value; rest >= 10; rest = Math.trunc(rest / 10)) digits++;
    let rest = value;
    for (let at = this.#length + digits - 1; at >= this.#length; at--) {
      bytes[at] = ZERO + (rest % 10);
      rest = Math.trunc(rest / 10);
    }
    this.#length += digits;
  }

  /** With leading zeros. */
  hexadecimal(value: number, digits: number): void {
    if (this.#length + digits > this.#bytes.length) this.#grow(digits);
    let rest = value;
    for (let at = this.#length + digits - 1; at >= this.#length; at--) {
      this.#bytes[at] = HEXADECIMAL[rest & 15] ?? ZERO;
      rest >>>= 4;
    }
    this.#length += digits;
  }

  /** The bytes so far, valid until the next write. */
  peek(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  /** The bytes so far, which are the caller's; the writer begins with none. */
  take(): Buffer {
    const taken = this.peek();
    // What comes next is mostly as long.
    this.#bytes = Buffer.allocUnsafeSlow(Math.max(LEAST_BYTES, Math.ceil(this.#length * 1.125)));
    this.#length = 0;
    return taken;
  }

  #grow(more: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#bytes.length * 2, this.#length + more));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}
