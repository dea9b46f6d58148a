/**
 * Texts between the main thread and a sandbox's thread, in memory that both share: a text that is posted becomes garbage on the heaps of both.
 * A thread has one work item at a time, so that neither side writes what the other one reads. What does not fit is posted.
 */
import { Buffer } from "node:buffer";
import type { OutputLines } from "./output-reading.ts";

/** Each way. The texts of 500 rows of 600 bytes fit for certain; pages that nothing is written into take no memory. */
export const PASSED_BYTES = 1024 * 1024;
const MOST_BYTES_OF_CHARACTER = 3;
const NEWLINE = 0x0a;

export type PassedText = string | { bytes: number; isAscii: boolean };

export function passText(place: Buffer, text: string): PassedText {
  if (text.length * MOST_BYTES_OF_CHARACTER > place.length) return text;
  const bytes = place.write(text);
  return { bytes, isAscii: bytes === text.length };
}

export function takeText(place: Buffer, passed: PassedText): string {
  if (typeof passed === "string") return passed;
  return place.toString(passed.isAscii ? "latin1" : "utf8", 0, passed.bytes);
}

/** As long as the work item lasts. */
export const takeBytes = (place: Buffer, passed: PassedText): Buffer =>
  typeof passed === "string" ? Buffer.from(passed) : place.subarray(0, passed.bytes);

/** Gathers the outputs of a work item, one on a line. */
export class OutputsToPass {
  readonly #place: Buffer;
  #end = 0;
  #isAscii = true;
  /** From the first one on that does not fit, all of them. */
  #posted: string[] | undefined;

  constructor(place: Buffer) {
    this.#place = place;
  }

  add(output: string): void {
    if (!this.#hasRoom(output.length * MOST_BYTES_OF_CHARACTER)) return void this.#posted?.push(output);
    const written = this.#place.write(output, this.#end);
    this.#endLine(written, written === output.length);
  }

  addLines({ bytes, isAscii }: OutputLines): void {
    if (!this.#hasRoom(bytes.length)) return void this.#posted?.push(bytes.toString());
    this.#endLine(bytes.copy(this.#place, this.#end), isAscii);
  }

  passed(): PassedText {
    return this.#posted?.join("\n") ?? { bytes: Math.max(0, this.#end - 1), isAscii: this.#isAscii };
  }

  #endLine(bytes: number, isAscii: boolean): void {
    this.#place[this.#end + bytes] = NEWLINE;
    this.#end += bytes + 1;
    this.#isAscii &&= isAscii;
  }

  #hasRoom(bytes: number): boolean {
    if (this.#posted === undefined && this.#end + bytes >= this.#place.length)
      this.#posted = this.#end === 0 ? [] : [this.#place.toString("utf8", 0, this.#end - 1)];
    return this.#posted === undefined;
  }
}
