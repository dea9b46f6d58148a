/**
 * Files that arguments and options name: one reader for all of them. What is wrong with such a file is wrong with what was typed, so it
 * has the exit code of usage wherever the file is named.
 */
import { accessSync, closeSync, constants, openSync, readSync, readdirSync, statSync } from "node:fs";
import type { Stats } from "node:fs";
import { basename, dirname, join } from "node:path";
import { nearestTo } from "./nearest.ts";
import { usageProblem } from "./problem.ts";
import type { Problem } from "./problem.ts";

/** Prompts, code, job specs, keys and sample rows; larger files are data, which are streamed. */
const MAX_TEXT_BYTES = 64 * 1024 * 1024;
const CHUNK_BYTES = 64 * 1024;

/** Throws where it cannot be opened, and where it is a directory. */
export function checkNamedFile(file: string): Stats {
  try {
    const stats = statSync(file);
    if (stats.isDirectory()) throw usageProblem(`${file} is a directory.`, "Name a file.");
    accessSync(file, constants.R_OK);
    return stats;
  } catch (error) {
    throw explained(file, error);
  }
}

/** The text of a file or of a pipe that has a path, such as `<(command)` of a shell, without a byte order mark. */
export function readNamedFile(file: string): string {
  const stats = checkNamedFile(file);
  // Reading a device may never end.
  if (!stats.isFile() && !stats.isFIFO()) throw usageProblem(`${file} is not a file.`, "Name a file.");
  return decodeText(readBytes(file), file);
}

/** Without a byte order mark, which programs on Windows write also into a pipe. */
export function decodeText(bytes: Uint8Array, where: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw usageProblem(`${where} is not text in UTF-8.`, "Name a text file, or save it as UTF-8.");
  }
}

function readBytes(file: string): Buffer {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  try {
    const opened = openSync(file, "r");
    try {
      for (;;) {
        const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
        const read = readSync(opened, chunk);
        if (read === 0) return Buffer.concat(chunks);
        sizeBytes += read;
        if (sizeBytes > MAX_TEXT_BYTES)
          throw usageProblem(`${file} is larger than ${MAX_TEXT_BYTES / 1024 ** 2} MiB.`, "Name a smaller file.");
        chunks.push(chunk.subarray(0, read));
      }
    } finally {
      closeSync(opened);
    }
  } catch (error) {
    throw explained(file, error);
  }
}

const CHECK_THE_PATH = "Check the path.";

/** A folder with more names is not searched for the one that was meant. */
const MAX_SEARCHED_NAMES = 10_000;

/** The file beside it whose name is nearest, where there is one. */
function adviceForMissing(file: string): string {
  const folder = dirname(file);
  const names = namesIn(folder);
  const near = names.length > MAX_SEARCHED_NAMES ? undefined : nearestTo(basename(file), names);
  if (near === undefined) return CHECK_THE_PATH;
  return `Did you mean ${folder === "." && !file.startsWith(".") ? near : join(folder, near)}?`;
}

/** None where there is no such folder, or where it may not be read. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** What the operating system says of a path. Any other error is passed on: it is not a fault of what was typed. */
function explained(file: string, error: unknown): unknown {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code === "ENOENT") return usageProblem(`There is no file ${file}.`, adviceForMissing(file));
  const problems: Record<string, Problem> = {
    ENOTDIR: usageProblem(`There is no file ${file}: a part of its path is not a directory.`, CHECK_THE_PATH),
    EISDIR: usageProblem(`${file} is a directory.`, "Name a file."),
    EACCES: usageProblem(`${file} may not be read.`, "Check its permissions."),
    EPERM: usageProblem(`${file} may not be read.`, "Check its permissions."),
    ELOOP: usageProblem(`${file} is a symbolic link that leads to itself.`, CHECK_THE_PATH),
    ENAMETOOLONG: usageProblem("The path of the file is too long.", CHECK_THE_PATH),
    ENXIO: usageProblem(`${file} is not a file.`, "Name a file."),
  };
  return problems[code] ?? error;
}
