/**
 * Members of a JSON object as slices of its text. Nothing is parsed that is only passed on, so numerals keep every digit,
 * members their order, and nested values their spelling. The text must be valid JSON: it comes out of a `json` column.
 */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

/** Calls `visit` for each member of the object that begins at `start`, in order, with where its value stands. */
export type EachMember = (
  text: string,
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
  const expected: { name: string; json: string }[] = [];
  return (text, start, visit) => {
    let at = skipSpace(text, start + 1);
    for (let n = 0; text.charCodeAt(at) === QUOTE; n++) {
      let known = expected[n];
      if (known === undefined || !text.startsWith(known.json, at)) {
        const end = endOfString(text, at);
        known = { name: ownText(readName(text, at, end)), json: ownText(text.slice(at, end)) };
        if (n < MAX_EXPECTED_NAMES) expected[n] = known;
      }
      const valueStart = skipSpace(text, skipSpace(text, at + known.json.length) + 1);
      const valueEnd = endOfValue(text, valueStart);
      visit(known.name, valueStart, valueEnd);
      at = skipSpace(text, valueEnd);
      if (text.charCodeAt(at) === COMMA) at = skipSpace(text, at + 1);
    }
  };
}

export const beginsObject = (text: string, at: number): boolean => text.charCodeAt(at) === OPEN_BRACE;

/** A slice keeps the whole text in memory of which it is a part. */
const ownText = (slice: string): string => Buffer.from(slice, "utf16le").toString("utf16le");

function readName(text: string, start: number, end: number): string {
  const name = text.slice(start + 1, end - 1);
  return name.includes("\\") ? (JSON.parse(text.slice(start, end)) as string) : name; // a JSON string
}

/** Space, tab, LF and CR are all the white space of JSON, and all of JSON up to U+0020. */
function skipSpace(text: string, start: number): number {
  let at = start;
  while (text.charCodeAt(at) <= 0x20) at += 1;
  return at;
}

/** Each position is after the last character. */
function endOfValue(text: string, start: number): number {
  const first = text.charCodeAt(start);
  if (first === QUOTE) return endOfString(text, start);
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return endOfNested(text, start);
  let at = start;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code === COMMA || code === CLOSE_BRACE || code === CLOSE_BRACKET || !(code > 0x20)) return at;
    at += 1;
  }
}

function endOfNested(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at) - 1;
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) depth += 1;
    else if ((code === CLOSE_BRACE || code === CLOSE_BRACKET) && --depth === 0) return at + 1;
  }
  throw new Error("JSON text that does not end");
}

function endOfString(text: string, start: number): number {
  let at = text.indexOf('"', start + 1);
  while (at !== -1 && isEscaped(text, at)) at = text.indexOf('"', at + 1);
  if (at === -1) throw new Error("JSON text that does not end");
  return at + 1;
}

/** An odd number of backslashes stands before it. */
function isEscaped(text: string, at: number): boolean {
  let before = at - 1;
  while (text.charCodeAt(before) === BACKSLASH) before -= 1;
  return (at - before) % 2 === 0;
}
