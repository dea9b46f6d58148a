import type { ExportCompression, ExportFormat } from "@rowmill/contract/exports";
import { compressions } from "./compression.ts";
import { csv } from "./csv-format.ts";
import type { Format } from "./format.ts";
import { jsonl } from "./jsonl-format.ts";
import { parquet } from "./parquet-format.ts";

export const formats = { jsonl, csv, parquet } satisfies Record<ExportFormat, Format>;

/** What is compressed around a file: nothing where the format does that inside. */
export const compressionAround = (file: {
  format: ExportFormat;
  compression: ExportCompression;
}): (typeof compressions)[ExportCompression] =>
  formats[file.format].compressesItself ? undefined : compressions[file.compression];
