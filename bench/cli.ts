/**
 * The command line as its users have it, built: how soon it speaks, how long the one line takes over 40 000 rows, from nothing and with a
 * service there, and whether its memory stays flat. Limits are those of the project on two cores with nothing else to do; on a machine
 * that others use, processor time says more.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, globSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { copyCheckout } from "../scripts/copy-checkout.ts";
import { makeGuardedFolder } from "./support/guarded-folder.ts";

const ROWS = 40_000;
/** Of the measurement of memory; ten million of them take an hour. */
const OUTPUT_ROWS = Number(process.env["BENCH_OUTPUT_ROWS"] ?? 300_000);
/** One measurement says little of a program that runs for a tenth of a second. */
const STARTS = 9;
const MIB = 1024;
/** The kernel counts in hundredths of a second. */
const TICKS_PER_SECOND = 100;
const folder = makeGuardedFolder("rowmill-bench-cli-");
const checkout = join(folder, "checkout");
const packages = join(checkout, "packages");
const launcher = join(packages, "cli", "bin", "rowmill.cjs");
const own = Object.entries(process.env).filter(([name]) => !/^(ROWMILL_|NODE_COMPILE_CACHE$)/.test(name));
const environment = {
  ...Object.fromEntries(own),
  XDG_DATA_HOME: join(folder, "data"),
  XDG_CONFIG_HOME: join(folder, "config"),
  XDG_CACHE_HOME: join(folder, "cache"),
};

function build(): void {
  mkdirSync(checkout);
  copyCheckout(checkout);
  for (const name of ["contract", "client", "server", "cli"]) {
    const { status } = spawnSync(process.execPath, [join(checkout, "scripts", "build-package.mjs")], {
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

const TENTHS = 10;
/** Resident memory of a process, in KiB; undefined once it has ended. */
function residentKib(pid: number | undefined): number | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const found = /VmRSS:\s+(\d+)/.exec(status)?.[1];
    return found === undefined ? undefined : Number(found);
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ESRCH"))
      return undefined;
    throw error;
  }
}

/** The most in each tenth of the samples. */
function tenthsOf(samples: readonly number[]): string {
  const most = Array.from({ length: TENTHS }, (_, tenth) => {
    const [from, to] = [tenth, tenth + 1].map((each) => Math.floor((each * samples.length) / TENTHS));
    return Math.round(Math.max(...samples.slice(from, Math.max(to ?? 0, (from ?? 0) + 1))) / MIB);
  });
  return most.join(", ");
}

const start = (...args: string[]) =>
  spawn(process.execPath, [launcher, ...args], {
    cwd: folder,
    env: environment,
    stdio: ["ignore", "pipe", "ignore"],
  });
const startMap = (...to: string[]) => start("map", "many.csv", "--mock", "--force", ...to);

/** Rows on stdout: the time, and the command's memory at each hundredth of the rows. */
async function memoryOfOutput(what: string, child: ReturnType<typeof start>): Promise<void> {
  const begun = performance.now();
  const every = Math.max(1, Math.floor(OUTPUT_ROWS / 100));
  const samples: number[] = [];
  let rows = 0;
  for await (const _ of createInterface({ input: child.stdout }))
    if (++rows % every === 0) samples.push(residentKib(child.pid) ?? 0);
  if (rows !== OUTPUT_ROWS) throw new Error(`${rows} of ${OUTPUT_ROWS} rows came`);
  const seconds = (performance.now() - begun) / 1000;
  console.log(
    `${what}: ${OUTPUT_ROWS} rows on stdout in ${seconds.toFixed(1)} s, ${Math.round(OUTPUT_ROWS / seconds)} rows/s`,
  );
  console.log(`MiB of the command, by tenths of the rows: ${tenthsOf(samples)}`);
}

/** The same rows into a file: the run is there already, so that this is the export and its download. */
async function memoryOfFile(name: string): Promise<void> {
  const child = startMap("-o", name);
  child.stdout.resume();
  const samples: number[] = [];
  const timer = setInterval(() => {
    const resident = residentKib(child.pid);
    if (resident !== undefined) samples.push(resident);
  }, 100);
  const [code] = (await once(child, "close")) as [number | null]; // as Node documents it
  clearInterval(timer);
  if (code !== 0) throw new Error(`${name} was not written: ${code}`);
  console.log(`MiB of the command over ${OUTPUT_ROWS} rows into ${name}, by tenths of the time: ${tenthsOf(samples)}`);
  rmSync(join(folder, name));
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
  if (isLinux) {
    writeRows("many.csv", "Company", OUTPUT_ROWS);
    await memoryOfOutput("map, as rows finish", startMap());
    await memoryOfOutput("results of an ended run", start("results"));
    await memoryOfFile("many-out.csv");
    await memoryOfFile("many-out.jsonl");
  }
} finally {
  spawnSync(process.execPath, [launcher, "stop"], { cwd: folder, env: environment });
  rmSync(folder, { recursive: true, force: true });
}
