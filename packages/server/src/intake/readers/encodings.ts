/**
 * Text tables in other encodings than UTF-8, as blocks of UTF-8. An encoding that is given holds; without one, a byte order
 * mark of UTF-16 is read as such, and so is text that can only be UTF-16 without a mark, as SQL Server's `bcp -w` writes it. Everything
 * else is taken for UTF-8 and checked. JSON is UTF-8 always (RFC 8259).
 */
import type { csvEncodings } from "@rowmill/contract/dataset-uploads";
import { rejectFile } from "./intake-rejected.ts";
import type { SourceFile } from "./source-file.ts";

export type CsvEncoding = (typeof csvEncodings)[number];

/** What is gone over block by block. */
export type TextSource = Pick<SourceFile, "blocks" | "consumedBytes" | "sizeBytes">;

/** By the byte order mark, or by where the bytes that are 0 stand: `utf-16` or `utf-32`. */
export function findWideEncoding(head: Buffer): "utf-16" | "utf-32" | undefined {
  if (head.length >= 4 && (head.readUInt32BE(0) === 0x0000feff || head.readUInt32BE(0) === 0xfffe0000)) return "utf-32";
  return hasUtf16Mark(head) || isUnmarkedUtf16(head) ? "utf-16" : undefined;
}

function hasUtf16Mark(head: Buffer): boolean {
  const mark = head.length >= 2 ? head.readUInt16BE(0) : 0;
  return mark === 0xfeff || mark === 0xfffe;
}

/** Enough to know the text by. A shorter one may be anything with a byte that is 0. */
const MAX_UNITS_LOOKED_AT = 32_768;
const MIN_UNITS_LOOKED_AT = 4;
/** In texts of Asian scripts, cells and lines still end with code units of ASCII: more than one in so many. */
const MOST_UNITS_FOR_AN_ASCII_ONE = 20;
/** Below it are the alphabets, from Latin to Thai: one half of such a code unit is 0 or would be a control character of ASCII. */
const END_OF_LOW_UNITS = 0x2000;
/** Other than those that a table may have, and NUL, which is reported where it stands. */
const CONTROL_CHARACTER = /[\u0001-\u0008\u000b\u000c\u000e-\u001f]/;

type Utf16 = "utf-16le" | "utf-16be";

/**
 * Whether bytes without a byte order mark can only be UTF-16. No other text that is read has a byte 0. UTF-16 is recognized by a 0 in most
 * pairs of bytes, or by whole line ends in two bytes each together with one of these: the bytes are not valid UTF-8, or they have control
 * bytes, which other text does not have.
 */
function isUnmarkedUtf16(head: Buffer): boolean {
  return head.includes(0) && (isUtf16(head, "utf-16le") || isUtf16(head, "utf-16be"));
}

function isUtf16(head: Buffer, label: Utf16): boolean {
  const { units, asciiUnits, lowUnits, lineEnds, controls } = countUnits(head, label);
  if (units < MIN_UNITS_LOOKED_AT || controls > 0) return false;
  if (asciiUnits * 2 > units) return true;
  if (lineEnds === 0 || asciiUnits * MOST_UNITS_FOR_AN_ASCII_ONE <= units) return false;
  const text = decodeUtf8(head.subarray(0, units * 2));
  return text === undefined || (lowUnits * 2 > units && CONTROL_CHARACTER.test(text));
}

function countUnits(head: Buffer, label: Utf16) {
  const units = Math.min(head.length >> 1, MAX_UNITS_LOOKED_AT);
  const counts = { units, asciiUnits: 0, lowUnits: 0, lineEnds: 0, controls: 0 };
  for (let at = 0; at < units; at++) {
    const unit = label === "utf-16le" ? head.readUInt16LE(at * 2) : head.readUInt16BE(at * 2);
    if (unit === 0x0a || unit === 0x0d) counts.lineEnds++;
    else if (unit < 0x20 && unit !== 0x09) counts.controls++;
    if (unit < 0x7f) counts.asciiUnits++;
    if (unit < END_OF_LOW_UNITS) counts.lowUnits++;
  }
  return counts;
}

/** The order of bytes of UTF-16 text without a byte order mark: the one in which it has more line ends, or else more of ASCII. */
function findByteOrder(head: Buffer): Utf16 {
  const low = countUnits(head, "utf-16le");
  const high = countUnits(head, "utf-16be");
  return (high.lineEnds - low.lineEnds || high.asciiUnits - low.asciiUnits) > 0 ? "utf-16be" : "utf-16le";
}

/** Undefined where it is not UTF-8. Its end may be in the middle of a character. */
function decodeUtf8(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
  } catch {
    return undefined;
  }
}

/** The source as UTF-8. `head` is its beginning. */
export function decodedSource(source: SourceFile, head: Buffer, encoding: CsvEncoding | undefined): TextSource {
  const label = labelOf(head, encoding);
  if (label === undefined) return source;
  return {
    get consumedBytes() {
      return source.consumedBytes;
    },
    get sizeBytes() {
      return source.sizeBytes;
    },
    async *blocks() {
      const decoder = new TextDecoder(label, { fatal: true });
      for await (const block of source.blocks()) yield decodePart(() => decoder.decode(block, { stream: true }));
      yield decodePart(() => decoder.decode());
    },
  };
}

/** The beginning of a text, which may end in the middle of a character. */
export function decodeHead(head: Buffer, encoding: CsvEncoding | undefined): Buffer {
  const label = labelOf(head, encoding);
  return label === undefined ? head : Buffer.from(new TextDecoder(label).decode(head, { stream: true }));
}

/** A label of the WHATWG's encodings; undefined: UTF-8, which needs no decoding. */
function labelOf(head: Buffer, encoding: CsvEncoding | undefined): string | undefined {
  switch (encoding ?? findWideEncoding(head)) {
    case "windows-1252":
    // The same but for control characters, which no table has: browsers read it so, too.
    case "iso-8859-1":
      return "windows-1252";
    case "utf-16":
      if (hasUtf16Mark(head)) return head[0] === 0xfe ? "utf-16be" : "utf-16le";
      return findByteOrder(head);
    default:
      return undefined;
  }
}

function decodePart(decode: () => string): Buffer {
  try {
    return Buffer.from(decode());
  } catch {
    rejectFile("encoding_error", "The text is not UTF-16: it has half of a surrogate pair, or an odd number of bytes.");
  }
}
