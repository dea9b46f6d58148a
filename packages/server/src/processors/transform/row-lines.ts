/** Rows as JSON texts, one on a line, in bytes. */
import type { Buffer } from "node:buffer";

const [NEWLINE, COMMA, OPEN_BRACKET, CLOSE_BRACKET] = [0x0a, 0x2c, 0x5b, 0x5d];

export class RowLines {
  readonly #bytes: Buffer;
  /** Of each line, where it begins; and behind the last one, where another one would. */
  readonly #starts: number[];
  readonly #from: number;
  readonly #to: number;

  private constructor(bytes: Buffer, starts: number[], from: number, to: number) {
    this.#bytes = bytes;
    this.#starts = starts;
    this.#from = from;
    this.#to = to;
  }

  static split(bytes: Buffer): RowLines {
    const starts = [0];
    for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) starts.push(at + 1);
    starts.push(bytes.length + 1);
    return new RowLines(bytes, starts, 0, starts.length - 1);
  }

  get count(): number {
    return this.#to - this.#from;
  }

  bytesOf(row: number): number {
    return this.#startOf(row + 1) - this.#startOf(row) - 1;
  }

  slice(from: number, count: number): RowLines {
    return new RowLines(this.#bytes, this.#starts, this.#from + from, Math.min(this.#from + from + count, this.#to));
  }

  /** Of the array of these rows. */
  get jsonBytes(): number {
    return this.#startOf(this.count) - this.#startOf(0) + 1;
  }

  /** Writes the array. Returns how many bytes these are. */
  writeJson(target: Buffer): number {
    const start = this.#startOf(0);
    const end = this.#startOf(this.count) - 1;
    target[0] = OPEN_BRACKET;
    this.#bytes.copy(target, 1, start, end);
    for (let row = 1; row < this.count; row++) target[this.#startOf(row) - start] = COMMA;
    target[end - start + 1] = CLOSE_BRACKET;
    return end - start + 2;
  }

  get json(): string {
    const text = this.#bytes.toString("utf8", this.#startOf(0), this.#startOf(this.count) - 1);
    return `[${text.replaceAll("\n", ",")}]`;
  }

  #startOf(row: number): number {
    return this.#starts[this.#from + row] ?? 0;
  }
}

/** Of rows that may be an array already. */
export const jsonOf = (rows: RowLines | string): string => (typeof rows === "string" ? rows : rows.json);
