/**
 * From a staged file to validated rows, each one JSON object on one line of text. The reading happens in a process of
 * its own (`reader-child.ts`): it parses what strangers sent, some of it with native code, and may neither hold up nor
 * bring down the server. This file starts that process, hands its rows on as fast as they are taken, and sees to it that
 * it is gone afterwards.
 *
 * What is refused, and what is kept as it is, stands at the head of each format's file.
 */
import { basename, dirname, resolve } from "node:path";
import type { Frame } from "./frames.ts";
import { type IntakeError, IntakeRejected } from "./intake-rejected.ts";
import {
  DEFAULT_CHUNK_ROWS,
  DEFAULT_MAX_ROW_BYTES,
  type RowGroups,
  type ReadDatasetOptions,
  type ReadSummary,
} from "./reader-types.ts";
import { startReaderProcess } from "./reader-process.ts";
import type { IntakeErrorCode } from "@rowmill/contract/intake-errors";

export { IntakeRejected } from "./intake-rejected.ts";
export type { RowGroups, DatasetFormat, ReadDatasetOptions, ReadSummary, RowGroup } from "./reader-types.ts";

/**
 * Yields the rows in the order of the file and returns the summary. Throws IntakeRejected when the file is refused (rows
 * yielded before are void), the signal's reason when aborted, any other error when the reading itself failed. Ending the
 * iteration early is fine; the process is dead once `next`, `return` or `throw` has settled for the last time.
 */
export async function* readDataset(options: ReadDatasetOptions): RowGroups {
  const { signal, codeCacheDirectory, growth, spares, ...job } = options;
  signal.throwIfAborted();
  const limits = { maxRowBytes: DEFAULT_MAX_ROW_BYTES, chunkRows: DEFAULT_CHUNK_ROWS, ...job.limits };
  // The process works in another directory.
  const paths = { path: resolve(job.path), workDirectory: resolve(job.workDirectory) };
  const spare = await spares?.take(paths.path, basename(dirname(paths.workDirectory)));
  const reader = await startReaderProcess(
    { ...job, ...paths, isGrowing: growth !== undefined, limits },
    codeCacheDirectory,
    spare,
    signal,
  );
  void growth?.then(({ path, sizeBytes }) => reader.endGrowth({ path: resolve(path), sizeBytes }));
  try {
    for await (const frame of reader.frames()) {
      if (frame.type === "rows" || frame.type === "void") {
        const { payload: body, rowCount, bytesRead } = frame;
        yield { body, rowCount, bytesRead, isVoid: frame.type === "void" };
      } else {
        return readLastFrame(frame);
      }
    }
    throw await reader.explainDeath();
  } finally {
    await reader.stop();
  }
}

interface Rejection {
  code: IntakeErrorCode;
  errors: IntakeError[];
  isSkippable: boolean;
}

function readLastFrame(frame: Frame): ReadSummary {
  // The three contents are what reader-child.ts encodes: the same version of the same program.
  const content: unknown = JSON.parse(frame.payload.toString());
  if (frame.type === "summary") return content as ReadSummary;
  if (frame.type === "rejected") {
    const { code, errors, isSkippable } = content as Rejection;
    throw new IntakeRejected(code, errors, isSkippable);
  }
  const { message } = content as { message: string };
  throw new Error(`the reader process failed: ${message}`);
}
