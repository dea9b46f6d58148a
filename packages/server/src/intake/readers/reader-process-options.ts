/** What a reader process may do and take, whichever file it is for. */
import { present } from "../../platform/present.ts";
import type { IdleProcessOptions } from "../../platform/watched-process.ts";

/** JSON.parse makes up to about 40 bytes of objects out of a byte, and rows are at most a few megabytes. */
const MAX_HEAP_MEGABYTES = 768;
/** Above either of the two that may grow: the heap, or DuckDB's limit of 1 GB with what it takes beyond. */
const MAX_RESIDENT_BYTES = 2 * 1024 ** 3;

/** `reads`: the file, or a directory that it is in. */
export const readerProcessOptions = ({
  directory,
  reads,
  codeCacheDirectory,
}: {
  directory: string;
  reads: string;
  codeCacheDirectory: string | undefined;
}): IdleProcessOptions => ({
  script: new URL("./reader-child.ts", import.meta.url),
  workDirectory: directory,
  reads: [reads],
  ...present({ codeCacheDirectory }),
  maxHeapMegabytes: MAX_HEAP_MEGABYTES,
  maxResidentBytes: MAX_RESIDENT_BYTES,
});
