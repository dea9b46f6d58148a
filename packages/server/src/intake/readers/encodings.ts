/**
 * Text tables in other encodings than UTF-8, as blocks of UTF-8. An encoding that is given holds; without one, a byte order
 * mark of UTF-16 is read as such, and everything else is taken for UTF-8 and checked. JSON is UTF-8 always (RFC 8259).
 */
import type { csvEncodings } from "@rowmill/contract/dataset-uploads";
import { rejectFile } from "./intake-rejected.ts";
import type { SourceFile } from "./source-file.ts";

export type CsvEncoding = (typeof csvEncodings)[number];

/** What is gone over block by block. */
export type TextSource = Pick<SourceFile, "blocks" | "consumedBytes" | "sizeBytes">;

/** By the byte order mark: `utf-16` or `utf-32`. */
export function findWideEncoding(head: Buffer): "utf-16" | "utf-32" | undefined {
  if (head.length >= 4 && (head.readUInt32BE(0) === 0x0000feff || head.readUInt32BE(0) === 0xfffe0000)) return "utf-32";
  const mark = head.length >= 2 ? head.readUInt16BE(0) : 0;
  return mark === 0xfeff || mark === 0xfffe ? "utf-16" : undefined;
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
      return head[0] === 0xfe && head[1] === 0xff ? "utf-16be" : "utf-16le";
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
