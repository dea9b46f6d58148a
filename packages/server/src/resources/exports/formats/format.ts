/** What a file format is: bytes out of items. One file each, one line in `formats.ts`. */
import type { JsonSlice } from "../../../platform/json-bytes.ts";
import type { Item } from "../../runs/items.ts";
import type { ExportCompression, ExportLayout, ExportType } from "@rowmill/contract/exports";

/** A list item of the export's type, and the dataset row it belongs to where that was asked for. */
export interface ExportItem extends Item {
  input?: JsonSlice;
}

export interface ExportSource {
  type: ExportType;
  /** `flat` only for `resolved_results`. */
  layout: ExportLayout;
  /** What the file's columns are, where that was asked for. */
  columns: readonly string[] | null;
  /** Of CSV, one ASCII character. */
  delimiter: string;
  /** CSV begins with the mark of UTF-8. */
  byteOrderMark: boolean;
  formulaGuard: boolean;
  /** Columns of the dataset when rows carry their input, otherwise null. */
  inputColumns: readonly string[] | null;
  /** The dataset's rows cannot have other columns: they were not too many to be listed. */
  isInputComplete: boolean;
  /** The JSON Schema of outputs, if the job spec has one. */
  outputSchema: unknown;
  /** All outputs were checked against it: no run of the family had another one. */
  hasOneOutputSchema: boolean;
  /** Where columns are looked for that are not known: `all` also where they seem to be, since an earlier attempt has met others. */
  looksAt: "first_page" | "all_unless_known" | "all";
  /** There are no more items than that. */
  mostRows: number;
  /** All items in row order, page by page; may be read more than once. */
  readPages(): AsyncIterable<readonly ExportItem[]>;
}

export interface Encoded {
  bytes: Buffer;
  rowCount: number;
  /** Cells in these bytes that the formula guard changed. */
  guardedCells?: number;
}

/** What a format takes beside the items. */
export interface EncodeOptions {
  /** Only for a format that compresses itself. */
  compression: ExportCompression;
}

export interface Format {
  /** Without a dot. */
  extension: string;
  contentType: string;
  /** The compression is within the file, which stays one of its format: nothing is compressed around it. */
  compressesItself: boolean;
  /** Where nobody asks for another one. */
  defaultCompression: ExportCompression;
  /** In pieces of `PIECE_BYTES` or a page more, or in groups of rows: what is in memory does not grow with the file. */
  encode(source: ExportSource, options: EncodeOptions): AsyncGenerator<Encoded>;
}

/** Every piece passes through streams, a digest and a file: fewer pieces are less work than bytes. */
export const PIECE_BYTES = 512 * 1024;

/** A column that was not there when the columns were looked for, or was of another type. */
export class ColumnAppearedError extends Error {}

/** An export that cannot be written, whatever is tried: reported to the customer by a code and a sentence. */
export class ExportError extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}
