/** What a content is: by what its first bytes say, by its name, and by its first characters, in this order. */
import { parseJsonRow } from "./json-row.ts";
import { rejectFile } from "./intake-rejected.ts";
import type { DatasetFormat } from "./reader-types.ts";
import { decodeHead, findWideEncoding } from "./encodings.ts";
import { withoutByteOrderMark } from "./row-bytes.ts";
import { findCompression } from "./source-file.ts";

/** Formats that people send and that are not read, with what to do instead. */
const unsupported: { magic: string; message: string }[] = [
  { magic: "d0cf11e0a1b11ae1", message: "This is an old Excel workbook (.xls) or Office file. Save the sheet as CSV." },
  { magic: "425a68", message: "This is a bzip2 file. Unpack it, or pack it with gzip or zstd." },
  { magic: "fd377a585a00", message: "This is an xz file. Unpack it, or pack it with gzip or zstd." },
  { magic: "4152524f5731", message: "This is an Arrow file. Write it as Parquet." },
  { magic: "4f626a01", message: "This is an Avro file. Write it as Parquet or JSON Lines." },
  { magic: "25504446", message: "This is a PDF document, not a table. Send the data it was made from." },
  { magic: "89504e470d0a1a0a", message: imageOf("PNG") },
  { magic: "ffd8ff", message: imageOf("JPEG") },
  { magic: "474946383761", message: imageOf("GIF") },
  { magic: "474946383961", message: imageOf("GIF") },
  { magic: "49492a00", message: imageOf("TIFF") },
  { magic: "4d4d002a", message: imageOf("TIFF") },
  { magic: "53514c69746520666f726d6174203300", message: "This is an SQLite database. Export its table as CSV." },
  {
    magic: "377abcaf271c",
    message: "This is a 7-Zip archive. Send the file in it, as it is or packed with gzip or zstd.",
  },
  {
    magic: "526172211a07",
    message: "This is a RAR archive. Send the file in it, as it is or packed with gzip or zstd.",
  },
  { magic: "504b0506", message: "This is a ZIP archive with nothing in it." },
];

function imageOf(kind: string): string {
  return `This is a ${kind} image, not a table. Send rows that have the address of each image, which a prompt then shows to the model.`;
}

/** Files that say what they hold behind their size. */
const containers: { begins: RegExp; message: string }[] = [
  { begins: /^RIFF[^]{4}WEBP/, message: imageOf("WebP") },
  { begins: /^\0[^]{3}ftyp(?:avif|heic|heix|mif1)/, message: imageOf("HEIF or AVIF") },
];

/** A ZIP archive holds the names of its files: those at its beginning show what made it. */
const archives: { holds: string; message: string }[] = [
  { holds: "xl/", message: "This is an Excel workbook (.xlsx). Save the sheet as “CSV UTF-8”." },
  {
    holds: "[Content_Types].xml",
    message: "This is an Excel workbook or another Office file. Save the sheet as “CSV UTF-8”.",
  },
  {
    holds: "application/vnd.oasis.opendocument.spreadsheet",
    message: "This is an OpenDocument spreadsheet (.ods). Save the sheet as CSV.",
  },
];
const ZIP = "This is a ZIP archive. Send the file in it, as it is or packed with gzip or zstd.";
/** Comments and blank lines before the first tag are short. */
const SEEN_OF_MARKUP_BYTES = 4_096;
const ZIP_MAGIC = "504b0304";

/** At the very beginning of the text. */
const HTML = /^\s*(?:<!--[^]*?-->\s*)?<(?:!doctype\s+html|html|head|body)[\s>]/i;
const HTML_PAGE =
  "This is an HTML page, not a table: often a login, error or preview page in place of the file. Send the file itself; for a URL, use the one of the download.";
/** As `curl -F` writes it, whatever type the request has declared. */
const FORM = /^--[^\r\n]{1,200}\r?\n(?:[a-z-]{1,40}:[^\r\n]{0,500}\r?\n){0,8}?content-disposition:\s*form-data/i;
const FORM_BODY =
  "This is a form (`multipart/form-data`, as by `curl -F`) with a file in it, and not the file alone. Send its bytes as the whole body: `curl -T rows.csv …`.";
const XML = /^\s*<\?xml\s/i;
const XML_DOCUMENT = "This is an XML document. Write its records as JSON Lines or CSV.";

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

const UTF_16 = "The file is UTF-16 text, which is read of CSV and TSV only. Save it as UTF-8.";
const UTF_32 = "The file is UTF-32 text. Save it as UTF-8; Excel calls that “CSV UTF-8”.";

/** Throws IntakeRejected for contents that no reader takes. `head` is the start of the unpacked content. */
export function findFormat(
  head: Buffer,
  filename: string | undefined,
  format: DatasetFormat | undefined,
): DatasetFormat {
  const wide = findWideEncoding(head);
  const text = wide === "utf-16" ? decodeHead(head, wide) : head;
  refuseForeign(head, text);
  const found = format ?? guessFormat(text, filename);
  if (found === "parquet") return found;
  if (wide === "utf-32") rejectFile("encoding_error", UTF_32);
  if (wide === "utf-16" && found !== "csv" && found !== "tsv") rejectFile("encoding_error", UTF_16);
  return found;
}

function refuseForeign(head: Buffer, text: Buffer): void {
  if (findCompression(head) !== "none") {
    rejectFile("unsupported_format", "The content is packed twice. Only one layer of gzip or zstd is unpacked.");
  }
  const start = head.subarray(0, 16).toString("hex");
  const foreign = unsupported.find(({ magic }) => start.startsWith(magic));
  if (foreign !== undefined) rejectFile("unsupported_format", foreign.message);
  const contained = containers.find(({ begins }) => begins.test(head.toString("latin1", 0, 16)));
  if (contained !== undefined) rejectFile("unsupported_format", contained.message);
  if (start.startsWith(ZIP_MAGIC)) {
    const archive = archives.find(({ holds }) => head.includes(holds));
    rejectFile("unsupported_format", archive?.message ?? ZIP);
  }
  const beginning = withoutByteOrderMark(text).toString("utf8", 0, SEEN_OF_MARKUP_BYTES);
  if (HTML.test(beginning)) rejectFile("unsupported_format", HTML_PAGE);
  if (FORM.test(beginning)) rejectFile("unsupported_format", FORM_BODY);
  if (XML.test(beginning)) rejectFile("unsupported_format", XML_DOCUMENT);
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
  if (text.startsWith("{")) return named === "jsonl" || hasJsonLines(text, named === "json") ? "jsonl" : "json";
  return named ?? "csv";
}

/**
 * `{…}` in one line and more behind it, or a line too long to see its end. An object over several lines is a document and
 * not rows; one alone in a single line is taken for a document only if the file is called .json.
 */
function hasJsonLines(text: string, isNamedJson: boolean): boolean {
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
