/** Where the result goes, by its name: `-` is NDJSON on stdout, everything else a file whose name says its format. */
import { createHash } from "node:crypto";
import { createReadStream, existsSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { usageProblem } from "../frame/problem.ts";

export type Destination =
  | { type: "stdout" }
  | { type: "file"; path: string; format: "csv" | "jsonl" | "parquet"; compression: "none" | "gzip" | "zstd" };

const formats: Record<string, "csv" | "jsonl" | "parquet"> = {
  csv: "csv",
  jsonl: "jsonl",
  ndjson: "jsonl",
  parquet: "parquet",
};

export function parseDestination(output: string | undefined): Destination {
  if (output === undefined || output === "-") return { type: "stdout" };
  const match = /\.(csv|jsonl|ndjson|parquet)(\.(gz|zst))?$/i.exec(output);
  const format = formats[match?.[1]?.toLowerCase() ?? ""];
  if (format === undefined)
    throw usageProblem(`The name ${output} does not say a format.`, "Use .csv, .jsonl or .parquet, or - for NDJSON.");
  const packed = match?.[3]?.toLowerCase();
  if (packed !== undefined && format === "parquet")
    throw usageProblem("A Parquet file is compressed inside.", "Leave out .gz or .zst.");
  const path = resolve(output);
  const folder = dirname(path);
  if (!existsSync(folder))
    throw usageProblem(`There is no directory ${folder}.`, "Make it first, or choose another path.");
  requireWritable(folder, path);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true)
    throw usageProblem(`${output} is a directory.`, "Name a file.");
  return { type: "file", path, format, compression: packed === "gz" ? "gzip" : packed === "zst" ? "zstd" : "none" };
}

/** Before rows are processed and paid for. */
function requireWritable(folder: string, path: string): void {
  const tried = `${path}.${process.pid}.tried`;
  try {
    writeFileSync(tried, "", { flag: "wx" });
    rmSync(tried);
  } catch (error) {
    // A disk that is full now may have room at the end.
    if (!(error instanceof Error && "code" in error) || error.code === "ENOSPC" || error.code === "EDQUOT") return;
    throw usageProblem(
      `No file can be made in ${folder} (${String(error.code)}).`,
      "Check its permissions, or choose another path.",
    );
  }
}

/** The table would take the place of the rows that it was made of. */
export function requireOtherFile(input: string, destination: Destination): void {
  if (input === "-" || destination.type === "stdout") return;
  const [one, other] = [input, destination.path].map((path) => statSync(path, { throwIfNoEntry: false }));
  if (one !== undefined && one.ino === other?.ino && one.dev === other.dev)
    throw usageProblem(`${input} is the input and the output.`, "Choose another path with -o.");
}

/** Undefined where there is no file. */
export async function sha256OfFile(path: string): Promise<string | undefined> {
  if (!existsSync(path)) return undefined;
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer); // no encoding is set
  return hash.digest("hex");
}
