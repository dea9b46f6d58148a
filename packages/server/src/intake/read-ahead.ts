/**
 * Contents that are read while they still arrive: a reader process follows the growing file, and the intake takes over what
 * it has read.
 *
 *   first byte ─▶ reading ──last byte, commit──▶ read on ──intake──▶ taken over
 *                    └─ the transfer breaks, or is refused: the process ends, what it has read is gone
 *
 * Nothing of this is in the database or in a file: until the intake takes it over a reading is a process and some memory of
 * this one, and it may be lost at any time. An intake that finds none (another process has the job, this one was started
 * again, enough others were being read) reads the content from its beginning, as ever.
 */
import { rm } from "node:fs/promises";
import type { Config } from "../config.ts";
import type { Log } from "../platform/log.ts";
import type { UploadRow } from "../resources/dataset-uploads/dataset-uploads.ts";
import type { Claim } from "./upload-claim.ts";
import { makeIntakeDirectory } from "./intake-directories.ts";
import { readerOptions } from "./reader-options.ts";
import type { WholeFile } from "./readers/growing-file.ts";
import { IntakeRejected, readDataset } from "./readers/read-dataset.ts";
import type { RowGroups, ReadSummary, RowGroup } from "./readers/read-dataset.ts";
import type { SpareReaders } from "./readers/spare-reader.ts";

/** Beside those of the intakes: each is a process of about 100 MB. */
const MAX_AHEAD = 2;
/** Of compressed rows per content. What a fast connection brings while a reader reads them is less. */
const MAX_AHEAD_BYTES = 8 << 20;
/** An intake that has not begun by then has another process, or stands in a long line. */
const UNTAKEN_MS = 10_000;

export interface ReadAhead {
  /** Bytes of this content have come, and more will, to the file at `path`. */
  begin(upload: UploadRow, storageKey: string, path: string): void;
  /** All have come. */
  end(storageKey: string, whole: WholeFile): void;
  /** The content is not to become a dataset. */
  drop(storageKey: string): void;
  /** The caller's from then on, who has to end it. Undefined if there is none. */
  take(storageKey: string, claim: Claim, signal: AbortSignal): RowGroups | undefined;
  stop(): Promise<void>;
}

interface Ahead {
  claimNo: number;
  whole: PromiseWithResolvers<WholeFile>;
  reading: EagerReading;
  timer: NodeJS.Timeout | undefined;
}

export function createReadAhead(config: Config, log: Log, spares: SpareReaders | undefined): ReadAhead {
  const aheads = new Map<string, Ahead>();

  function remove(storageKey: string): Ahead | undefined {
    const ahead = aheads.get(storageKey);
    clearTimeout(ahead?.timer);
    aheads.delete(storageKey);
    return ahead;
  }

  async function drop(storageKey: string): Promise<void> {
    await remove(storageKey)?.reading.stop(new Error("the content is not read ahead any more"));
  }

  return {
    begin(upload, storageKey, path) {
      if (aheads.size >= MAX_AHEAD) return;
      const whole = Promise.withResolvers<WholeFile>();
      // That of the intake to come.
      const claimNo = upload.claimNo + 1;
      const reading = new EagerReading(
        (signal) => readGrowing(config, upload, claimNo, path, whole.promise, signal, spares),
        (error) => {
          // The intake reports a refusal. For anything else it sees itself whether it happens again; mostly the
          // content arrives so slowly that its reader was ended.
          if (error instanceof IntakeRejected || remove(storageKey) === undefined) return;
          log.info({ err: error, storageKey }, "a content could not be read ahead");
        },
      );
      aheads.set(storageKey, { claimNo, whole, reading, timer: undefined });
    },
    end(storageKey, whole) {
      const ahead = aheads.get(storageKey);
      if (ahead === undefined) return;
      ahead.whole.resolve(whole);
      ahead.timer = setTimeout(() => void drop(storageKey), UNTAKEN_MS);
    },
    drop: (storageKey) => void drop(storageKey),
    take(storageKey, claim, signal) {
      if (aheads.get(storageKey)?.claimNo !== claim.claimNo) return undefined;
      return remove(storageKey)?.reading.takeOver(signal);
    },
    async stop() {
      await Promise.all([...aheads.keys()].map(drop));
    },
  };
}

async function* readGrowing(
  config: Config,
  upload: UploadRow,
  claimNo: number,
  path: string,
  growth: Promise<WholeFile>,
  signal: AbortSignal,
  spares: SpareReaders | undefined,
): RowGroups {
  const owner = { organizationId: upload.organizationId, uploadId: upload.id, claimNo };
  const directory = await makeIntakeDirectory(config.ROWMILL_DATA_DIR, owner);
  try {
    const file = { path, filename: upload.source.filename };
    return yield* readDataset({ ...readerOptions(config, upload, file, directory, spares), growth, signal });
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Asks for groups before anybody wants them, as long as there is room. */
class EagerReading {
  readonly #abort = new AbortController();
  readonly #steps: IteratorResult<RowGroup, ReadSummary>[] = [];
  readonly #ended: Promise<void>;
  #bytes = 0;
  #failure: { error: unknown } | undefined;
  #change = Promise.withResolvers<void>();

  constructor(read: (signal: AbortSignal) => RowGroups, onFailure: (error: unknown) => void) {
    this.#ended = this.#readOn(read(this.#abort.signal)).catch((error: unknown) => {
      this.#failure = { error };
      this.#noteChange();
      onFailure(error);
    });
  }

  /** What has been read, and then what is still to be read. Ending it early ends the reading. */
  async *takeOver(signal: AbortSignal): RowGroups {
    const onAbort = () => void this.stop(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    try {
      for (;;) {
        const step = this.#steps.shift();
        if (step?.done === true) return step.value;
        if (step !== undefined) {
          this.#bytes -= step.value.body.length;
          this.#noteChange();
          yield step.value;
        } else if (this.#failure === undefined) {
          await this.#change.promise;
        } else {
          throw this.#failure.error;
        }
      }
    } finally {
      signal.removeEventListener("abort", onAbort);
      await this.stop(new Error("the rest of the content is not wanted"));
    }
  }

  /** Resolves when nothing is being read any more. */
  async stop(reason: unknown): Promise<void> {
    this.#abort.abort(reason);
    this.#noteChange();
    await this.#ended;
  }

  async #readOn(groups: RowGroups): Promise<void> {
    for (;;) {
      while (this.#bytes >= MAX_AHEAD_BYTES && !this.#abort.signal.aborted) await this.#change.promise;
      const step = await groups.next();
      this.#steps.push(step);
      if (step.done !== true) this.#bytes += step.value.body.length;
      this.#noteChange();
      if (step.done === true) return;
    }
  }

  #noteChange(): void {
    this.#change.resolve();
    this.#change = Promise.withResolvers();
  }
}
