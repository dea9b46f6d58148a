/** What a content is: by what its first bytes say, by its name, and by its first characters, in this order. */
import { parseJsonRow } from "./json-row.ts";
import { rejectFile } from "./intake-rejected.ts";
import type { DatasetFormat } from "./reading.ts";
import { findCompression } from "./source-file.ts";

/** Formats that people send and that are not read, with what to do instead. */
const unsupported: { magic: string; message: string }[] = [
  {
    magic: "504b0304",
    message: "This is a ZIP archive or an Excel workbook. Save the sheet as CSV, or send the packed file itself.",
  },
  { magic: "d0cf11e0a1b11ae1", message: "This is an old Excel or Office file. Save the sheet as CSV." },
  { magic: "425a68", message: "This is a bzip2 file. Unpack it, or pack it with gzip or zstd." },
  { magic: "fd377a585a00", message: "This is an xz file. Unpack it, or pack it with gzip or zstd." },
  { magic: "4152524f5731", message: "This is an Arrow file. Write it as Parquet." },
  { magic: "4f626a01", message: "This is an Avro file. Write it as Parquet or JSON Lines." },
  { magic: "25504446", message: "This is a PDF document, not a table." },
];

const byExtension: Record<string, DatasetFormat> = {
  jsonl: "jsonl",
  ndjson: "jsonl",
  json: "json",
  csv: "csv",
  tsv: "tsv",
  tab: "tsv",
  parquet: "parquet",
  pq: "parquet",
};

const UTF_16 = "The file is UTF-16 (or UTF-32) text. Save it as UTF-8; Excel calls that “CSV UTF-8”.";

/** Throws IntakeRejected for contents that no reader takes. `head` is the start of the unpacked content. */
export function findFormat(
  head: Buffer,
  filename: string | undefined,
  format: DatasetFormat | undefined,
): DatasetFormat {
  refuseForeign(head);
  const found = format ?? guessFormat(head, filename);
  const isUtf16 = (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff);
  const isUtf32 = head.length >= 4 && head.readUInt32BE(0) === 0x0000feff;
  if (found !== "parquet" && (isUtf16 || isUtf32)) rejectFile("encoding_error", UTF_16);
  return found;
}

function refuseForeign(head: Buffer): void {
  if (findCompression(head) !== "none") {
    rejectFile("unsupported_format", "The content is packed twice. Only one layer of gzip or zstd is unpacked.");
  }
  const start = head.subarray(0, 16).toString("hex");
  const foreign = unsupported.find(({ magic }) => start.startsWith(magic));
  if (foreign !== undefined) rejectFile("unsupported_format", foreign.message);
}

function guessFormat(head: Buffer, filename: string | undefined): DatasetFormat {
  if (head.toString("latin1", 0, 4) === "PAR1") return "parquet";
  const named = byExtension[extensionOf(filename ?? "")];
  if (named === "csv" || named === "tsv" || named === "parquet") return named;
  const text = head
    .toString("utf8")
    .replace(/^\uFEFF/, "")
    .trimStart();
  // A name ending in .json is given to both kinds of JSON file, and so, at times, is .jsonl.
  if (text.startsWith("[") && (named !== undefined || /^\[\s*(?:[{\]]|$)/.test(text))) return "json";
  if (text.startsWith("{")) return named === "jsonl" || holdsJsonLines(text, named === "json") ? "jsonl" : "json";
  return named ?? "csv";
}

/**
 * `{…}` in one line and more behind it, or a line too long to see its end. An object over several lines is a document and
 * not rows; one alone in a single line is taken for a document only if the file is called .json.
 */
function holdsJsonLines(text: string, isNamedJson: boolean): boolean {
  const lineEnd = text.indexOf("\n");
  const firstLine = lineEnd === -1 ? text : text.slice(0, lineEnd);
  const isWhole = typeof parseJsonRow(firstLine) !== "string";
  if (lineEnd === -1) return !isWhole || !isNamedJson;
  return isWhole && (!isNamedJson || text.slice(lineEnd).trim() !== "");
}

function extensionOf(filename: string): string {
  const plain = filename.toLowerCase().replace(/\.(?:gz|gzip|zst|zstd)$/, "");
  return plain.slice(plain.lastIndexOf(".") + 1);
}
