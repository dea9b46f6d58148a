/** The input file: its content's hash, and a copy where it comes from a pipe and can be read only once. */
import { createHash, randomUUID } from "node:crypto";
import { createReadStream, createWriteStream, rmSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import type { Cli } from "../frame/command.ts";
import { checkNamedFile } from "../frame/named-file.ts";
import { isFullId } from "../frame/ids.ts";
import { usageProblem } from "../frame/problem.ts";
import { quoted } from "../frame/shell-words.ts";

export interface InputFile {
  /** Where its bytes are. */
  path: string;
  /** How people call it. */
  name: string;
  /** Absolute; undefined for a pipe. */
  origin: string | undefined;
  sha256: string;
  sizeBytes: number;
  /** Whether it is another file, or has other content, than when it was hashed. */
  hasChanged(): boolean;
  /** Removes a copy. */
  close(): void;
}

/** Programs of offices and what they call their files; no reader is made for them. */
const SPREADSHEET = /\.(xlsx?|xlsm|xlsb|ods|numbers)$/i;

/** What a look at the file shows: nothing is started for a file that cannot be read. Returns its size; undefined for a pipe. */
export function checkInput(named: string): number | undefined {
  if (named === "-") return undefined;
  if (isFullId("ds", named))
    throw usageProblem(
      `${named} is a dataset of the service, not a file.`,
      `\`rowmill run ${named} SPEC\` processes it by a job spec.`,
    );
  if (/^https?:\/\//i.test(named))
    throw usageProblem(
      `${named} is a URL, not a file.`,
      `\`rowmill upload ${quoted(named)}\` makes a dataset of it, which \`rowmill run DATASET SPEC\` processes.`,
    );
  const stats = checkNamedFile(named);
  if (!stats.isFile()) throw usageProblem(`${named} is not a file.`, "Use - to read a pipe.");
  if (stats.size === 0) throw usageProblem(`${named} is empty.`, "Name a file with rows.");
  if (SPREADSHEET.test(named))
    throw usageProblem(
      `${named} is a spreadsheet, which cannot be read.`,
      "Save its sheet as CSV (UTF-8) and use that file.",
    );
  return stats.size;
}

export async function openInput(cli: Pick<Cli, "terminal" | "output" | "signal">, named: string): Promise<InputFile> {
  const before = versionOf(named);
  const sizeBytes = checkInput(named);
  if (sizeBytes === undefined) return copyStdin(cli);
  await notePackedName(cli, named);
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(named, { signal: cli.signal })) hash.update(chunk as Buffer); // no encoding is set
  return {
    path: named,
    name: basename(named),
    origin: resolve(named),
    sha256: hash.digest("hex"),
    sizeBytes,
    hasChanged: () => versionOf(named) !== before,
    close: () => undefined,
  };
}

/** Every write changes it. */
function versionOf(file: string): string | undefined {
  const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
  return stats && `${stats.dev} ${stats.ino} ${stats.size} ${stats.mtimeNs}`;
}

/** How a packed file begins, by the end of its name. */
const PACKED: readonly (readonly [name: RegExp, packing: string, begins: readonly string[]])[] = [
  [/\.gz$/i, "gzip", ["1f8b"]],
  // A frame of data, or one that readers skip.
  [/\.zst$/i, "Zstandard", ["28b52ffd", ...Array.from("0123456789abcdef", (digit) => `5${digit}2a4d18`)]],
];
const LONGEST_BEGIN_BYTES = 4;

/** Programs that fetch a packed file may unpack it and keep its name. The service looks at the content. */
async function notePackedName(cli: Pick<Cli, "output">, named: string): Promise<void> {
  const packed = PACKED.find(([name]) => name.test(named));
  if (packed === undefined) return;
  const [, packing, begins] = packed;
  const begin = await beginOf(named, LONGEST_BEGIN_BYTES);
  if (begins.some((each) => begin.startsWith(each))) return;
  cli.output.note(`${named} is not packed with ${packing}, whatever its name says: it is read as it is.`);
}

/** In hexadecimal digits. */
async function beginOf(file: string, bytes: number): Promise<string> {
  const opened = await open(file);
  try {
    const { buffer, bytesRead } = await opened.read(Buffer.alloc(bytes));
    return buffer.subarray(0, bytesRead).toString("hex");
  } finally {
    await opened.close();
  }
}

async function copyStdin(cli: Pick<Cli, "terminal" | "signal">): Promise<InputFile> {
  if (cli.terminal.stdin.isTTY)
    throw usageProblem("- reads a pipe, and stdin is a terminal.", "Write `… | rowmill map - …`, or name a file.");
  const path = join(tmpdir(), `rowmill-stdin-${randomUUID()}`);
  const close = (): void => rmSync(path, { force: true });
  process.once("exit", close);
  const hash = createHash("sha256");
  let sizeBytes = 0;
  await pipeline(
    cli.terminal.stdin,
    async function* (source: AsyncIterable<Buffer>) {
      for await (const chunk of source) {
        hash.update(chunk);
        sizeBytes += chunk.length;
        yield chunk;
      }
    },
    createWriteStream(path, { mode: 0o600 }),
    { signal: cli.signal },
  );
  if (sizeBytes === 0) throw usageProblem("stdin is empty.", "Pipe rows into the command.");
  return {
    path,
    name: "stdin",
    origin: undefined,
    sha256: hash.digest("hex"),
    sizeBytes,
    hasChanged: () => false,
    close,
  };
}
