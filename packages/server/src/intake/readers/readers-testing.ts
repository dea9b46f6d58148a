/** For the readers' tests: a file with given content goes in, everything that comes out is collected. */
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decodeChunk } from "../../resources/datasets/chunk-store.ts";
import { readerCodeCache } from "../../testing/code-cache.ts";
import { IntakeRejected, readDataset, type ReadDatasetOptions, type ReadSummary } from "./read-dataset.ts";

export interface Collected {
  lines: string[];
  /** Of all groups, also of those whose lines are left out. */
  rowCount: number;
  rows: unknown[];
  summary: ReadSummary;
  /** Of all groups, in order. */
  /** Of groups, and of reports of progress between them, which depend on the clock. */
  bytesRead: number[];
  groups: number;
  /** How often the rows so far were void. */
  voids: number;
}

export const roomyLimits = { maxBytes: 1 << 30, maxRows: 10_000_000 };

/** Calls `use` with a new private directory, which is gone afterwards. */
export async function withDirectory<T>(use: (directory: string) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), "rowmill-readers-"));
  try {
    return await use(directory);
  } finally {
    await rm(directory, { recursive: true });
  }
}

export async function readContent(
  content: string | Buffer,
  options: Partial<ReadDatasetOptions> = {},
): Promise<Collected> {
  return withDirectory(async (directory) => {
    const path = join(directory, "staged");
    await writeFile(path, content);
    return readPath(path, options);
  });
}

/** The lines are those of every group, or of each `every`th one: millions of them cost seconds. */
export async function readPath(path: string, options: Partial<ReadDatasetOptions> = {}, every = 1): Promise<Collected> {
  return withDirectory(async (workDirectory) => {
    const signal = new AbortController().signal;
    const codeCacheDirectory = readerCodeCache();
    const defaults = {
      path,
      onInvalidRow: "reject",
      workDirectory,
      codeCacheDirectory,
      limits: roomyLimits,
      signal,
    } as const;
    const groups = readDataset({ ...defaults, ...options });
    const lines: string[] = [];
    const bytesRead: number[] = [];
    let groupCount = 0;
    let rowCount = 0;
    let voids = 0;
    for (;;) {
      const step = await groups.next();
      if (step.done === true) {
        return {
          lines,
          rowCount,
          // Not parsed where nobody looks at them: some tests read millions.
          get rows() {
            return lines.map((line): unknown => JSON.parse(line));
          },
          summary: step.value,
          bytesRead,
          groups: groupCount,
          voids,
        };
      }
      bytesRead.push(step.value.bytesRead);
      if (step.value.isVoid) {
        lines.length = 0;
        groupCount = 0;
        rowCount = 0;
        voids++;
      }
      if (step.value.rowCount === 0) continue;
      if (groupCount % every === 0) lines.push(...(await decodeChunk(step.value.body)));
      rowCount += step.value.rowCount;
      groupCount++;
    }
  });
}

/** The refusal of a content; fails if it is read after all. */
export async function rejectionOf(
  content: string | Buffer,
  options: Partial<ReadDatasetOptions> = {},
): Promise<IntakeRejected> {
  try {
    await readContent(content, options);
  } catch (error) {
    if (error instanceof IntakeRejected) return error;
    throw error;
  }
  throw new Error("the content was not refused");
}

/** `code@line` of each error. */
export function placesOf(errors: { code: string; line: number }[]): string[] {
  return errors.map(({ code, line }) => `${code}@${line}`);
}

/** The row of each error, as far as it is listed. */
export const textsOf = (errors: { text?: string }[]): (string | undefined)[] => errors.map(({ text }) => text);

/** The reader processes that this process has started and that still live, without those that wait for a file (Linux). */
export const findReaders = async (parent = process.pid): Promise<number[]> =>
  (await findReaderProcesses(parent)).flatMap(({ pid, isSpare }) => (isSpare ? [] : pid));

/** Those that wait for a file. */
export const findSpareReaders = async (parent = process.pid): Promise<number[]> =>
  (await findReaderProcesses(parent)).flatMap(({ pid, isSpare }) => (isSpare ? pid : []));

async function findReaderProcesses(parent: number): Promise<{ pid: number; isSpare: boolean }[]> {
  const found: { pid: number; isSpare: boolean }[] = [];
  for (const entry of await readdir("/proc")) {
    const commandLine = /^\d+$/.test(entry) ? await readFile(`/proc/${entry}/cmdline`, "utf8").catch(() => "") : "";
    const status = commandLine.includes("reader-child")
      ? await readFile(`/proc/${entry}/status`, "utf8").catch(() => "")
      : "";
    if (status.includes(`PPid:\t${parent}\n`))
      found.push({ pid: Number(entry), isSpare: await isSpare(commandLine.split("\0")) });
  }
  return found;
}

/** One that has no file yet: its directory has nothing but the one that it may write in. */
async function isSpare(commandLine: readonly string[]): Promise<boolean> {
  const directory = commandLine.flatMap(
    (word) => /^--allow-fs-write=(.*\/readers\/[0-9a-f-]{36})\/work$/.exec(word)?.[1] ?? [],
  )[0];
  if (directory === undefined) return false;
  const entries = await readdir(directory).catch(() => []);
  return entries.every((entry) => entry === "work");
}
