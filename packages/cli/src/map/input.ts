/** The input file: its content's hash, and a copy where it comes from a pipe and can be read only once. */
import { createHash, randomUUID } from "node:crypto";
import { createReadStream, createWriteStream, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import type { Cli } from "../frame/command.ts";
import { checkNamedFile } from "../frame/named-file.ts";
import { usageProblem } from "../frame/problem.ts";

export interface InputFile {
  /** Where its bytes are. */
  path: string;
  /** How people call it. */
  name: string;
  /** Absolute; undefined for a pipe. */
  origin: string | undefined;
  sha256: string;
  sizeBytes: number;
  /** Removes a copy. */
  close(): void;
}

/** Programs of offices and what they call their files; no reader is made for them. */
const SPREADSHEET = /\.(xlsx?|xlsm|xlsb|ods|numbers)$/i;

/** What a look at the file shows: nothing is started for a file that cannot be read. Returns its size; undefined for a pipe. */
export function checkInput(named: string): number | undefined {
  if (named === "-") return undefined;
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

export async function openInput(cli: Cli, named: string): Promise<InputFile> {
  const sizeBytes = checkInput(named);
  if (sizeBytes === undefined) return copyStdin(cli);
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(named, { signal: cli.signal })) hash.update(chunk as Buffer); // no encoding is set
  return {
    path: named,
    name: basename(named),
    origin: resolve(named),
    sha256: hash.digest("hex"),
    sizeBytes,
    close: () => undefined,
  };
}

async function copyStdin(cli: Cli): Promise<InputFile> {
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
  return { path, name: "stdin", origin: undefined, sha256: hash.digest("hex"), sizeBytes, close };
}
