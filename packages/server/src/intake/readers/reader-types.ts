/** What is asked of the reading of a file and what comes of it, on both sides of the process boundary. */
import type { Column } from "../../resources/datasets/dataset-columns.ts";
import type { CsvEncoding } from "./encodings.ts";
import type { WholeFile } from "./growing-file.ts";
import type { IntakeError, RowErrors } from "./intake-rejected.ts";
import type { RowWriter } from "./row-writer.ts";
import type { SourceFile } from "./source-file.ts";
import type { SpareReaders } from "./spare-reader.ts";

/** A row is parsed, sent and stored as one value; no language model or HTTP service takes more in one call. */
export const DEFAULT_MAX_ROW_BYTES = 8 << 20;

/** One chunk of a dataset at its default size: larger groups gain nothing. */
export const DEFAULT_CHUNK_ROWS = 500;

export const datasetFormats = ["jsonl", "json", "csv", "tsv", "parquet"] as const;
export type DatasetFormat = (typeof datasetFormats)[number];

export interface ReadDatasetOptions {
  /** A plain local file with the content as the customer sent it. It must not change while it is read, unless it is said to grow. */
  path: string;
  /** Its bytes are still being written, at its end and nowhere else, until this resolves; it never rejects. */
  growth?: Promise<WholeFile>;
  /** The customer's name for it; only looked at to find the format. */
  filename?: string;
  /** Found from name and content when absent. */
  format?: DatasetFormat;
  /**
   * `delimiter`: one ASCII character, found from the first lines when absent. `header`: true when absent. `encoding`: UTF-8 when
   * absent, or UTF-16 where a byte order mark is there.
   */
  csv?: { delimiter?: string; header?: boolean; encoding?: CsvEncoding };
  /** `reject`: a row that cannot be stored refuses the file. `skip`: it is left out, counted and listed. */
  onInvalidRow: "reject" | "skip";
  /**
   * An existing, private, empty directory for unpacked content and spilled pages, in one that is named by the claim. The caller removes
   * both.
   */
  workDirectory: string;
  /** One of them may read the file, in a directory of its own. */
  spares?: SpareReaders;
  /** Private, too, and kept: what the reader's code compiles to, so that the next one starts sooner. */
  codeCacheDirectory?: string;
  /**
   * `maxBytes` holds for the unpacked content and for the rows as JSON, `maxRowBytes` for a row in both forms. A group is
   * of `chunkRows` rows, or of fewer that come to `MAX_CHUNK_BYTES`.
   */
  limits: { maxBytes: number; maxRows: number; maxRowBytes?: number; chunkRows?: number };
  signal: AbortSignal;
}

export interface RowGroup {
  /** The rows as a chunk of a dataset is stored; `decodeChunk` gives the lines. */
  body: Buffer;
  /** None at all: only `bytesRead` has moved, and there is no body. */
  rowCount: number;
  /** How far the reading is, in bytes of the file at `path`; never falls. */
  bytesRead: number;
  /** The rows of all groups before are void: they come again, with other types. This one has none. */
  isVoid: boolean;
}

/** The rows in the order of the file; then what there is to say of them all. */
export type RowGroups = AsyncGenerator<RowGroup, ReadSummary>;

export interface ReadSummary {
  format: DatasetFormat;
  rowsAccepted: number;
  rowsRejected: number;
  /** The first 100 rejected rows (`skip` only). */
  errors: IntakeError[];
  columns: Column[];
  /** Of the rows as JSON lines, each ended by LF. */
  sizeBytes: number;
  sha256: string;
}

/** The same, as it goes to the reader process. */
export interface ReaderJob extends Omit<
  ReadDatasetOptions,
  "signal" | "limits" | "codeCacheDirectory" | "growth" | "spares"
> {
  /** The second message to the process says where the file is when it is whole. */
  isGrowing: boolean;
  limits: Required<ReadDatasetOptions["limits"]>;
}

export interface ReaderContext {
  job: ReaderJob;
  source: SourceFile;
  writer: RowWriter;
  errors: RowErrors;
}

/** Writes the accepted rows, adds the rejected ones to the errors, and returns the columns of the accepted ones. */
export type FormatReader = (context: ReaderContext) => Promise<Column[]>;
