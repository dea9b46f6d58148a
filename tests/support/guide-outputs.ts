/**
 * What the examples of the guide print, beside what is recorded of it. Ids, times and speeds differ with every run, so both sides are
 * compared without them; what is recorded stays as some run has printed it. `RECORD_GUIDE=1` writes the files again where
 * they differ.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { withoutWaiting } from "../../packages/cli/src/testing/without-waiting.ts";

export const repository = fileURLToPath(new URL("../../", import.meta.url));
export const examplesFolder = join(repository, "examples", "guide");

const isRecording = process.env["RECORD_GUIDE"] === "1";
const MARK = /^# #region ([\w-]+)$/;
const OUTPUT_MARK = /<!-- output: examples\/guide\/([\w.-]+)\.out#([\w-]+) -->/g;

/** Of every page: by example, the regions whose output it quotes. */
export function quotedRegions(): Map<string, Set<string>> {
  const quoted = new Map<string, Set<string>>();
  for (const page of pages())
    for (const [, example = "", region = ""] of page.matchAll(OUTPUT_MARK))
      quoted.set(example, (quoted.get(example) ?? new Set()).add(region));
  return quoted;
}

function pages(): string[] {
  const files = readdirSync(join(repository, "docs"), { recursive: true, encoding: "utf8" });
  const names = files.filter((name) => name.endsWith(".md")).map((name) => join("docs", name));
  return ["README.md", ...names].map((name) => readFileSync(join(repository, name), "utf8"));
}

/** By region, what stands in the file, and what was printed. An example whose output no page quotes has no file. */
export function compareOutput(example: string, printed: string, quoted: ReadonlySet<string>): [object, object] {
  const file = join(examplesFolder, `${example}.out`);
  const now = regionsOf(withoutWaiting(stripVTControlCharacters(printed)));
  const recorded = existsSync(file) ? regionsOf(readFileSync(file, "utf8")) : new Map<string, string>();
  if (isRecording) record(file, now, recorded, quoted);
  const expected = isRecording ? regionsOf(readFileSync(file, "utf8")) : recorded;
  const compared = (regions: Map<string, string>): object =>
    Object.fromEntries([...quoted].map((name) => [name, steady(regions.get(name) ?? "(nothing)")]));
  return [compared(expected), compared(now)];
}

function record(
  file: string,
  now: Map<string, string>,
  recorded: Map<string, string>,
  quoted: ReadonlySet<string>,
): void {
  const isSame = (name: string): boolean => steady(recorded.get(name) ?? "") === steady(now.get(name) ?? "");
  // All of one run or all of another: ids and counts of a page agree.
  if (recorded.size === quoted.size && [...quoted].every(isSame)) return;
  const text = [...quoted].map((name) => `# #region ${name}\n${now.get(name) ?? ""}\n# #endregion\n`);
  writeFileSync(file, text.join(""));
}

function regionsOf(text: string): Map<string, string> {
  const regions = new Map<string, string[]>();
  let lines: string[] | undefined;
  for (const line of text.split("\n")) {
    const name = MARK.exec(line)?.[1];
    if (name !== undefined) regions.set(name, (lines = []));
    else if (line !== "# #endregion") lines?.push(line);
  }
  return new Map([...regions].map(([name, content]) => [name, content.join("\n").trim()]));
}

/** Without what differs between two runs of the same example. */
const steady = (text: string): string =>
  text
    .replaceAll(/\b(run|ds|spec|conn|exp|evt|whe|whd|upl|key|org|row)_[0-9a-z]{20,}\b/g, "$1_…")
    .replaceAll(/\b(run|ds|spec|conn|exp)_[0-9a-z]{6,}\b/g, "$1_…")
    .replaceAll(/\brml_[\w-]+/g, "rml_…")
    .replaceAll(/\d{4}-\d{2}-\d{2}T[\d:.]+Z/g, "TIME")
    .replaceAll(/\b127\.0\.0\.1:\d+|\blocalhost:\d+/g, "HOST")
    .replaceAll(/\b\d+(\.\d+)?(–\d+(\.\d+)?)? (ms|s|min)\b/g, "DURATION")
    .replaceAll(/(\d+ (pending|running|succeeded)(, )?)+/g, (counts) => (/pending/.test(counts) ? "COUNTS" : counts))
    .replaceAll(/\d+(\.\d+)? %/g, "PERCENT")
    .replaceAll(/\d+( of \d+ rows are done)/g, "N$1")
    // After a kill, calls that were in flight are paid twice.
    .replaceAll(/\$[\d.]+(?=, DURATION)/g, "COST")
    .replaceAll(/^(cost +)\$[\d.]+/gm, "$1COST");
