/**
 * What was mapped where, so that a changed file or spec is noticed. Only a convenience: nothing is lost with it, for runs are found
 * by their content on the service.
 */
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { localDirectory } from "../local/directories.ts";
import { makeOwnDirectory } from "../local/make-directory.ts";

export interface Remembered {
  /** Of the file's content, of the spec, and of the rows that were chosen. */
  file: string;
  spec: string;
  scope: string;
  runId: string;
  /** Of the output, once it was written. */
  outputSha256: string | null;
}

/** Older ones are forgotten. */
const MAX_ENTRIES = 1000;

type Environment = Readonly<Record<string, string | undefined>>;
const fileOf = (environment: Environment): string => join(localDirectory(environment).root, "maps.json");

export function recall(environment: Environment, outputPath: string): Remembered | undefined {
  return readAll(environment)[outputPath];
}

export function remember(environment: Environment, outputPath: string, entry: Remembered): void {
  const others = Object.entries(readAll(environment)).filter(([path]) => path !== outputPath);
  const kept = Object.fromEntries([...others, [outputPath, entry] as const].slice(-MAX_ENTRIES));
  const file = fileOf(environment);
  makeOwnDirectory(dirname(file), "XDG_DATA_HOME");
  const part = `${file}.${process.pid}.part`;
  writeFileSync(part, JSON.stringify(kept), { mode: 0o600 });
  renameSync(part, file);
}

function readAll(environment: Environment): Record<string, Remembered> {
  try {
    return JSON.parse(readFileSync(fileOf(environment), "utf8")) as Record<string, Remembered>; // written above
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return {};
    throw error;
  }
}
