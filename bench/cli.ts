/**
 * The command line as its users have it, built: how soon it speaks, how long the one line takes over 40 000 rows, from nothing and with a
 * service there, and whether its memory stays flat. Limits are those of the project on two cores with nothing else to do; on a machine
 * that others use, processor time says more.
 */
import { spawn, spawnSync } from "node:child_process";
import { closeSync, globSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const ROWS = 40_000;
/** Of the measurement of memory; ten million of them take minutes. */
const OUTPUT_ROWS = Number(process.env["BENCH_OUTPUT_ROWS"] ?? 300_000);
/** One measurement says little of a program that runs for a tenth of a second. */
const STARTS = 9;
const MIB = 1024;
/** The kernel counts in hundredths of a second. */
const TICKS_PER_SECOND = 100;
const packages = fileURLToPath(new URL("../packages/", import.meta.url));
const launcher = join(packages, "cli", "bin", "rowmill.cjs");
const folder = mkdtempSync(join(tmpdir(), "rowmill-bench-cli-"));
const own = Object.entries(process.env).filter(([name]) => !/^(ROWMILL_|NODE_COMPILE_CACHE$)/.test(name));
const environment = {
  ...Object.fromEntries(own),
  XDG_DATA_HOME: join(folder, "data"),
  XDG_CONFIG_HOME: join(folder, "config"),
  XDG_CACHE_HOME: join(folder, "cache"),
};

function build(...options: string[]): void {
  const script = fileURLToPath(new URL("../scripts/build-package.mjs", import.meta.url));
  for (const name of ["contract", "client", "server", "cli"]) {
    const { status } = spawnSync(process.execPath, [script, ...options], {
      cwd: join(packages, name),
      stdio: "inherit",
    });
    if (status !== 0) throw new Error(`${name} cannot be built`);
  }
}

interface Took {
  seconds: number;
  /** Of the command itself; NaN where there is no /proc. */
  cpuSeconds: number;
}

function run(...args: string[]): Took {
  const begun = performance.now();
  const cpuBefore = cpuOfEndedChildren();
  const { status, stderr } = spawnSync(process.execPath, [launcher, ...args], {
    cwd: folder,
    env: environment,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`${args.join(" ")} ended with ${status}: ${stderr}`);
  return { seconds: (performance.now() - begun) / 1000, cpuSeconds: cpuOfEndedChildren() - cpuBefore };
}

/** Fields of /proc/…/stat behind the name of the program, which may have spaces. */
function statOf(pid: number | "self"): string[] {
  const text = readFileSync(`/proc/${pid}/stat`, "utf8");
  return text.slice(text.lastIndexOf(")") + 2).split(" ");
}
const isLinux = process.platform === "linux";
const ticks = (stat: readonly string[], ...fields: number[]): number =>
  fields.reduce((sum, field) => sum + Number(stat[field]), 0) / TICKS_PER_SECOND;
const cpuOfEndedChildren = (): number => (isLinux ? ticks(statOf("self"), 13, 14) : Number.NaN);

/** Of the command's own service with everything below it, ended or not. */
function cpuOfService(): number {
  if (!isLinux) return Number.NaN;
  const control = join(environment.XDG_DATA_HOME, "rowmill", "control.json");
  const { pid } = JSON.parse(readFileSync(control, "utf8")) as { pid: number }; // as the supervisor writes it
  const stats = new Map<number, string[]>();
  for (const path of globSync("/proc/[0-9]*/stat")) {
    const id = Number(path.split("/")[2]);
    try {
      stats.set(id, statOf(id));
    } catch {
      // It has ended in the meantime.
    }
  }
  const below = (id: number): number => {
    const children = [...stats].filter(([, stat]) => Number(stat[1]) === id);
    return ticks(stats.get(id) ?? [], 11, 12, 13, 14) + children.reduce((sum, [child]) => sum + below(child), 0);
  };
  return below(pid);
}

const median = (values: number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
function repeated(...args: string[]): Took {
  const took = Array.from({ length: STARTS }, () => run(...args));
  return { seconds: median(took.map(({ seconds }) => seconds)), cpuSeconds: median(took.map((one) => one.cpuSeconds)) };
}

function report(what: string, { seconds, cpuSeconds }: Took, limit: number, service?: number): void {
  const verdict = seconds <= limit ? "" : "  MISSED";
  const ofService = service === undefined ? "" : `, of the service ${service.toFixed(2)} s`;
  console.log(
    `${what.padEnd(46)} ${seconds.toFixed(2).padStart(6)} s, limit ${limit.toFixed(2)} s${verdict}; processor ${cpuSeconds.toFixed(2)} s${ofService}`,
  );
}

function writeRows(name: string, what: string, rows: number): void {
  const file = openSync(join(folder, name), "w");
  writeSync(file, "id,company,description\n");
  for (let row = 0; row < rows; row++)
    writeSync(file, `${row},${what} ${row},"What company ${row} does, in a sentence"\n`);
  closeSync(file);
}

/** Rows on stdout as they finish: most memory of the command at a tenth of the rows and at their end. */
async function memoryOfOutput(): Promise<void> {
  writeRows("many.csv", "Company", OUTPUT_ROWS);
  const child = spawn(process.execPath, [launcher, "map", "many.csv", "--mock"], {
    cwd: folder,
    env: environment,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const residentKib = (): number =>
    Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]);
  let rows = 0;
  let early = 0;
  let late = 0;
  for await (const _ of createInterface({ input: child.stdout })) {
    rows++;
    if (rows === OUTPUT_ROWS / 10) early = residentKib();
    if (rows === OUTPUT_ROWS - 1) late = residentKib();
  }
  if (rows !== OUTPUT_ROWS) throw new Error(`${rows} of ${OUTPUT_ROWS} rows came`);
  console.log(
    `most memory of the command over ${OUTPUT_ROWS} rows of output: ${Math.round(early / MIB)} MiB after a tenth, ${Math.round(late / MIB)} MiB at the end`,
  );
}

build();
try {
  writeRows("in.csv", "Company", ROWS);
  writeRows("other.csv", "Firm", ROWS);
  report("rowmill --version", repeated("--version"), 0.15);
  report("rowmill --help", repeated("--help"), 0.2);
  report("rowmill map --help", repeated("map", "--help"), 0.2);
  const line = (input: string): string[] => ["map", input, "--mock", "-o", "out.csv", "--force"];
  const first = run(...line("in.csv"), "--keep");
  report(`one line, ${ROWS} rows, from nothing`, first, 12, cpuOfService());
  const before = cpuOfService();
  const second = run(...line("other.csv"));
  report(`one line, ${ROWS} other rows, a service there`, second, 5, cpuOfService() - before);
  run("stop");
  rmSync(environment.XDG_DATA_HOME, { recursive: true });
  const compiled = run(...line("in.csv"), "--keep");
  report(`one line, ${ROWS} rows, no data, compiled before`, compiled, 12, cpuOfService());
  if (isLinux) await memoryOfOutput();
} finally {
  spawnSync(process.execPath, [launcher, "stop"], { cwd: folder, env: environment });
  rmSync(folder, { recursive: true, force: true });
  build("--clean");
}
