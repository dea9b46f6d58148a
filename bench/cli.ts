/**
 * The command line: how soon it speaks, and how long the one line takes over 40 000 rows, from nothing and with a service there. Limits
 * are those of the project on two cores with nothing else to do.
 */
import { spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROWS = 40_000;
/** One measurement says little of a program that runs for a tenth of a second. */
const STARTS = 9;
const main = fileURLToPath(new URL("../packages/cli/src/main.ts", import.meta.url));
const launcher = fileURLToPath(new URL("../packages/cli/bin/rowmill.cjs", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "rowmill-bench-cli-"));
const own = Object.entries(process.env).filter(([name]) => !name.startsWith("ROWMILL_"));
const environment = {
  ...Object.fromEntries(own),
  XDG_DATA_HOME: join(folder, "data"),
  XDG_CONFIG_HOME: join(folder, "config"),
};

function seconds(program: string[]): number {
  const begun = performance.now();
  const { status, stderr } = spawnSync(process.execPath, program, { cwd: folder, env: environment, encoding: "utf8" });
  if (status !== 0) throw new Error(`${program.join(" ")} ended with ${status}: ${stderr}`);
  return (performance.now() - begun) / 1000;
}

const median = (values: number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
const repeated = (program: string[]): number => median(Array.from({ length: STARTS }, () => seconds(program)));
const source = ["--conditions=@rowmill/source", main];

function report(what: string, took: number, limit: number): void {
  const verdict = took <= limit ? "" : "  MISSED";
  console.log(`${what.padEnd(52)} ${took.toFixed(2).padStart(6)} s   limit ${limit.toFixed(2)} s${verdict}`);
}

function writeRows(name: string, what: string): void {
  const file = openSync(join(folder, name), "w");
  writeSync(file, "id,company,description\n");
  for (let row = 0; row < ROWS; row++)
    writeSync(file, `${row},${what} ${row},"What company ${row} does, in a sentence"\n`);
  closeSync(file);
}

try {
  writeRows("in.csv", "Company");
  writeRows("other.csv", "Firm");
  report("rowmill --version", repeated([launcher, "--version"]), 0.15);
  report("rowmill --help (source)", repeated([...source, "--help"]), 0.2);
  report("rowmill map --help (source)", repeated([...source, "map", "--help"]), 0.2);
  const line = (input: string): string[] => [...source, "map", input, "--mock", "-o", "out.csv", "--force"];
  report(`one line, ${ROWS} rows, from nothing`, seconds([...line("in.csv"), "--keep"]), 12);
  report(`one line, ${ROWS} other rows, with a service there`, seconds(line("other.csv")), 5);
} finally {
  spawnSync(process.execPath, [...source, "stop"], { cwd: folder, env: environment });
  rmSync(folder, { recursive: true, force: true });
}
