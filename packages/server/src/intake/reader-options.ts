/** How the content of an upload is to be read. */
import { join } from "node:path";
import type { Config } from "../config.ts";
import type { UploadRow } from "../resources/dataset-uploads/dataset-uploads.ts";
import { codeCacheOf } from "./intake-directories.ts";
import type { ReadDatasetOptions } from "./readers/read-dataset.ts";
import type { SpareReaders } from "./readers/spare-reader.ts";
import { notNull, present } from "../platform/present.ts";

export function readerOptions(
  config: Config,
  upload: UploadRow,
  file: { path: string; filename: string | undefined },
  /** Made by `makeIntakeDirectory`. */
  directory: string,
  spares: SpareReaders | undefined,
): Omit<ReadDatasetOptions, "signal"> {
  return {
    path: file.path,
    ...present({ filename: file.filename, spares }),
    ...notNull({ format: upload.format, csv: upload.csv }),
    onInvalidRow: upload.onInvalidRow,
    workDirectory: join(directory, "work"),
    codeCacheDirectory: codeCacheOf(config.ROWMILL_DATA_DIR),
    limits: {
      maxBytes: config.ROWMILL_MAX_DATASET_BYTES,
      maxRows: config.ROWMILL_MAX_DATASET_ROWS,
      maxRowBytes: config.ROWMILL_MAX_ROW_BYTES,
      chunkRows: config.ROWMILL_CHUNK_ROWS,
    },
  };
}
