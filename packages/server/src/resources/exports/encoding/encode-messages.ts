/** What the service and a thread that encodes an export's file say to each other. */
import type { ExportCompression, ExportFormat } from "@rowmill/contract/exports";
import type { ExportSource } from "../formats/format.ts";
import type { PackedPage } from "./packed-pages.ts";

export interface EncodedFile {
  format: ExportFormat;
  compression: ExportCompression;
}

/** One file. */
export interface EncodeJob {
  file: EncodedFile;
  source: Omit<ExportSource, "readPages">;
}

export type FromEncoder =
  /** All items once more, from the first one; later pages carry this number. */
  | { type: "read"; reading: number }
  /** One page more. */
  | { type: "next"; reading: number }
  | { type: "piece"; bytes: Uint8Array<ArrayBuffer>; rowCount: number; guardedCells: number }
  | { type: "ended"; rowCount: number; guardedCells: number }
  | { type: "failed"; failure: EncodeFailure };

export type ToEncoder =
  /** Only when the last one has ended or failed. */
  | { type: "job"; job: EncodeJob }
  /** Undefined: there are no more. */
  | { type: "page"; reading: number; page: PackedPage | undefined }
  /** A piece has been taken. */
  | { type: "taken" };

/** Errors lose their classes between threads. */
export type EncodeFailure =
  | { kind: "column_appeared"; message: string }
  | { kind: "export"; code: string; message: string }
  | { kind: "other"; error: unknown };
