/**
 * A reader process that is started before its file is there: its start takes longer than the reading of a small file.
 *
 *   none ──prepare──▶ idle ──take──▶ has one file, ends with it
 *     ▲                │
 *     └──a minute──────┘
 *
 * Each is given one file and ends with it, as one that is started for its file: nothing of one upload is there for the next. It may read
 * its own directory and nothing else beside the program, and write in `work` below it, where it makes no links: Node refuses that. This
 * process makes the file readable by a symbolic link in that directory, which keeps no file from being deleted.
 * The link has the name of the claim that reads it, so that a sweep finds out whether anybody still does (`intake-directories.ts`).
 */
import { randomUUID } from "node:crypto";
import { mkdir, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { codeOf } from "../../platform/error-code.ts";
import type { Log } from "../../platform/log.ts";
import { startIdleProcess } from "../../platform/watched-process.ts";
import type { IdleProcess } from "../../platform/watched-process.ts";
import { readerProcessOptions } from "./reader-process-options.ts";

/** Who sends one file after the other sends the next by then. A process takes 50 MB. */
const IDLE_MS = 60_000;
/** It waits no longer, however many files are announced: a directory without a claim is swept after an hour (`work-directories.ts`). */
const MAX_AGE_MS = 30 * 60_000;
/** A link is refused to this user or by this file system, and will be for the next file. Anything else may pass. */
const LINKS_REFUSED = new Set(["EACCES", "ENOSYS", "ENOTSUP", "EPERM", "EROFS"]);
/** Of a growing file under the name that it has at the end. */
const WHOLE = "whole";

export interface SpareReaders {
  /** A file is about to come. */
  prepare(): void;
  /** The caller's, who ends it. Undefined: there is none, or it cannot be given the file. */
  take(path: string, name: string): Promise<SpareReader | undefined>;
  stop(): Promise<void>;
}

export interface SpareReader {
  process: IdleProcess;
  /** Of the file, for the process. */
  path: string;
  workDirectory: string;
  /** Of the file, once it has grown: it has another name then. */
  linkWhole(path: string): Promise<string>;
  /** Once the process has ended. */
  remove(): Promise<void>;
}

interface Spare {
  directory: string;
  started: Promise<IdleProcess | undefined>;
  /** `performance.now()` after which it is not kept for another announced file. */
  keptUntil: number;
  timer: NodeJS.Timeout;
}

export interface SpareReaderOptions {
  /** Of all spare readers. */
  directory: string;
  codeCacheDirectory: string;
  log: Log;
  idleMs?: number;
  maxAgeMs?: number;
}

export function createSpareReaders(options: SpareReaderOptions): SpareReaders {
  const { directory: root, log, idleMs = IDLE_MS, maxAgeMs = MAX_AGE_MS } = options;
  let spare: Spare | undefined;
  let takenAt = Number.NEGATIVE_INFINITY;
  let isUsable = true;
  const ending = new Set<Promise<void>>();

  function prepare(): void {
    if (!isUsable || (spare !== undefined && performance.now() >= spare.keptUntil)) return;
    if (spare !== undefined) return void spare.timer.refresh();
    const directory = join(root, randomUUID());
    const timer = setTimeout(() => end(), idleMs).unref();
    spare = { directory, started: start(directory, options), keptUntil: performance.now() + maxAgeMs, timer };
  }

  function end(): void {
    const ended = spare;
    spare = undefined;
    if (ended === undefined) return;
    clearTimeout(ended.timer);
    const ends = endSpare(ended, log).finally(() => ending.delete(ends));
    ending.add(ends);
  }

  async function take(path: string, name: string): Promise<SpareReader | undefined> {
    const taken = spare;
    if (taken === undefined) return undefined;
    spare = undefined;
    clearTimeout(taken.timer);
    // Where one file follows the other, the next one has a spare reader, too; a single file would pay for one in vain.
    const hasFollowed = performance.now() - takenAt < idleMs;
    takenAt = performance.now();
    const process = await taken.started;
    if (process?.isAlive() === true)
      try {
        const reader = await giveFile(process, taken.directory, log, path, name);
        return hasFollowed ? followedBy(reader, prepare) : reader;
      } catch (error) {
        if (LINKS_REFUSED.has(codeOf(error) ?? "")) {
          isUsable = false;
          log.info({ err: error }, "files cannot be linked: each has a reader that is started for it");
          end();
        } else log.info({ err: error }, "a file could not be linked: it has a reader that is started for it");
      }
    await endSpare(taken, log);
    return undefined;
  }

  return {
    prepare,
    take,
    async stop() {
      isUsable = false;
      end();
      await Promise.all(ending);
    },
  };
}

async function start(
  directory: string,
  { codeCacheDirectory, log }: SpareReaderOptions,
): Promise<IdleProcess | undefined> {
  try {
    await mkdir(join(directory, "work"), { recursive: true, mode: 0o700 });
    await mkdir(codeCacheDirectory, { recursive: true, mode: 0o700 });
    return await startIdleProcess(
      readerProcessOptions({ directory: join(directory, "work"), reads: directory, codeCacheDirectory }),
    );
  } catch (error) {
    log.info({ err: error }, "no reader could be started before its file");
    return undefined;
  }
}

/** The next one is begun when this one has read its file: earlier, its start would take the processor from the reading. */
const followedBy = (reader: SpareReader, begin: () => void): SpareReader => ({
  ...reader,
  remove() {
    begin();
    return reader.remove();
  },
});

/** Throws where the link cannot be made. */
async function giveFile(
  process: IdleProcess,
  directory: string,
  log: Log,
  path: string,
  name: string,
): Promise<SpareReader> {
  const linkAs = async (as: string, target: string): Promise<string> => {
    const linked = join(directory, as);
    await symlink(target, linked);
    return linked;
  };
  return {
    process,
    path: await linkAs(name, path),
    workDirectory: join(directory, "work"),
    linkWhole: (whole) => linkAs(WHOLE, whole),
    remove: () => removeDirectory(directory, log),
  };
}

async function endSpare({ directory, started }: Spare, log: Log): Promise<void> {
  await (await started)?.stop();
  await removeDirectory(directory, log);
}

/** Never rejects: what is left is swept later (`intake-directories.ts`), and neither an upload that was read nor the service is to fail. */
async function removeDirectory(directory: string, log: Log): Promise<void> {
  try {
    await rm(directory, { recursive: true, force: true });
  } catch (error) {
    log.warn({ err: error }, "the directory of a reader could not be removed; it is swept later");
  }
}
