/**
 * JSON as bytes: texts within larger buffers, and the members of objects as places in them. Nothing is parsed that is only
 * passed on, so numerals keep every digit, members their order, and nested values their spelling; and nothing becomes a string
 * that is only written out again. The bytes must be valid JSON in UTF-8: they were checked before they were stored.
 */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const NULL_START = 0x6e;
const SPACE = 0x20;
const NEWLINE = 0x0a;

/** One JSON text. It keeps all bytes in memory of which it is a part. */
export class JsonSlice {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;

  constructor(bytes: Buffer, start: number, end: number) {
    this.bytes = bytes;
    this.start = start;
    this.end = end;
  }

  static of(text: string): JsonSlice {
    const bytes = Buffer.from(text);
    return new JsonSlice(bytes, 0, bytes.length);
  }

  get text(): string {
    return this.bytes.toString("utf8", this.start, this.end);
  }
}

/** JSON texts, one a line, "\n" between them. */
export class JsonLines {
  readonly #bytes: Buffer;
  /** Where each line begins, and where one behind the last would. */
  readonly #starts: number[];

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#starts = [0];
    for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) this.#starts.push(at + 1);
    this.#starts.push(bytes.length + 1);
  }

  get count(): number {
    return this.#starts.length - 1;
  }

  at(line: number): JsonSlice | undefined {
    const [start, next] = [this.#starts[line], this.#starts[line + 1]];
    return start === undefined || next === undefined ? undefined : new JsonSlice(this.#bytes, start, next - 1);
  }
}

/** Calls `visit` for each member of the object that begins at `start`, in order, with where its value stands. */
export type EachMember = (
  bytes: Buffer,
  start: number,
  visit: (name: string, valueStart: number, valueEnd: number) => void,
) => void;

/** Longer objects are hardly alike. */
const MAX_EXPECTED_NAMES = 500;

/**
 * For objects in one place of many items: most have the same members in the same order. So at each member the name that the
 * last object had there is compared first, which is faster than reading it.
 */
export function createMemberReader(): EachMember {
  const expected: { name: string; json: Buffer }[] = [];
  return (bytes, start, visit) => {
    let at = skipSpace(bytes, start + 1);
    for (let n = 0; bytes[at] === QUOTE; n++) {
      let known = expected[n];
      if (known === undefined || !standsAt(bytes, at, known.json)) {
        const json = Buffer.from(bytes.subarray(at, endOfString(bytes, at)));
        known = { name: JSON.parse(json.toString()) as string, json }; // a JSON string
        if (n < MAX_EXPECTED_NAMES) expected[n] = known;
      }
      const valueStart = skipSpace(bytes, skipSpace(bytes, at + known.json.length) + 1);
      const valueEnd = endOfValue(bytes, valueStart);
      visit(known.name, valueStart, valueEnd);
      at = skipSpace(bytes, valueEnd);
      if (bytes[at] === COMMA) at = skipSpace(bytes, at + 1);
    }
  };
}

export const beginsObject = (bytes: Buffer, at: number): boolean => bytes[at] === OPEN_BRACE;
export const beginsNull = (bytes: Buffer, at: number): boolean => bytes[at] === NULL_START;

function standsAt(bytes: Buffer, start: number, expected: Buffer): boolean {
  for (let at = 0; at < expected.length; at++) if (bytes[start + at] !== expected[at]) return false;
  return true;
}

/** Space, tab, LF and CR are all the white space of JSON, and all of JSON up to U+0020. */
function skipSpace(bytes: Buffer, start: number): number {
  let at = start;
  while ((bytes[at] ?? QUOTE) <= SPACE) at++;
  return at;
}

/** Each position is after the last byte. */
function endOfValue(bytes: Buffer, start: number): number {
  const first = bytes[start];
  if (first === QUOTE) return endOfString(bytes, start);
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return endOfNested(bytes, start);
  let at = start;
  for (;;) {
    const byte = bytes[at];
    if (byte === undefined || byte === COMMA || byte === CLOSE_BRACE || byte === CLOSE_BRACKET || byte <= SPACE)
      return at;
    at++;
  }
}

function endOfNested(bytes: Buffer, start: number): number {
  let depth = 0;
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) at = endOfString(bytes, at) - 1;
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
    else if ((byte === CLOSE_BRACE || byte === CLOSE_BRACKET) && --depth === 0) return at + 1;
  }
  throw new Error(BROKEN_OFF);
}

const BROKEN_OFF = "JSON text that does not end";

/** Up to here a loop finds the end of a text before a call into the engine would. */
const LOOP_BYTES = 40;

function endOfString(bytes: Buffer, start: number): number {
  let at = start + 1;
  for (const loopEnd = at + LOOP_BYTES; at < loopEnd; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) return at + 1;
    if (byte === BACKSLASH) at++;
  }
  const quote = bytes.indexOf(QUOTE, at);
  if (quote === -1) throw new Error(BROKEN_OFF);
  let before = quote;
  while (before > at && bytes[before - 1] === BACKSLASH) before--;
  // Two backslashes are one that is meant as such. A text with one escaped quote often has many.
  return (quote - before) % 2 === 0 ? quote + 1 : endBehindEscapes(bytes, quote + 1);
}

function endBehindEscapes(bytes: Buffer, start: number): number {
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) return at + 1;
    if (byte === BACKSLASH) at++;
  }
  throw new Error(BROKEN_OFF);
}

/** Searched at once: some dozens of texts, of which few have any. */
const SEARCHED_BYTES = 4_096;

/**
 * Finds out whether there is a backslash between two places of bytes that do not change. For one place after the other, in most cases
 * without a search.
 */
export function createBackslashFinder(): (bytes: Buffer, start: number, end: number) => boolean {
  let searched: Buffer | undefined;
  let [from, to, isFound] = [0, 0, false];
  return (bytes, start, end) => {
    if (bytes !== searched || start < from || start > to) {
      searched = bytes;
      [from, to, isFound] = [start, start, false];
    }
    // No backslash lies before `to`.
    while (!isFound && to < Math.min(end, bytes.length)) {
      const stop = Math.min(Math.max(to + SEARCHED_BYTES, end), bytes.length);
      const at = bytes.subarray(to, stop).indexOf(BACKSLASH);
      isFound = at !== -1;
      to = isFound ? to + at : stop;
    }
    return isFound && to < end;
  };
}
