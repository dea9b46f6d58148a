// @ts-check
/**
 * Ends what the tests have started when the test run itself is gone, however it ended: `kill -9` leaves it no moment to do so.
 * A process of its own; its standard input is a pipe from the test run, and the end of that pipe is the signal.
 *
 *   node guardian.mjs <folder>
 *
 * A process belongs to the run if the run's folder of temporary files occurs in its arguments (PostgreSQL: its data
 * directory) or in its environment (`TMPDIR`).
 */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync } from "node:fs";

/** What still lives after so many looks starts new processes faster than they can be ended, and that is a defect to see. */
const MAX_LOOKS = 20;
const BETWEEN_LOOKS_MS = 250;

const folder = process.argv[2] ?? "";
if (folder === "") throw new Error("usage: guardian.mjs <folder>");

// The interrupt of a terminal goes to all its processes; this one has to outlive the others.
for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) process.on(signal, () => {});
process.stdin.resume();
process.stdin.on("end", () => void endAll());

async function endAll() {
  for (let look = 0; look < MAX_LOOKS; look++) {
    const left = findProcesses();
    if (left.length === 0) break;
    for (const { pid, command } of left) {
      // PostgreSQL ends its own children and frees its shared memory on SIGQUIT; one that does not listen is killed, too.
      kill(pid, command.includes("postgres") && look < MAX_LOOKS / 2 ? "SIGQUIT" : "SIGKILL");
    }
    await new Promise((resolve) => setTimeout(resolve, BETWEEN_LOOKS_MS));
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  process.exit(0);
}

/** @returns {{ pid: number, command: string }[]} */
function findProcesses() {
  const all = process.platform === "linux" ? readProc() : readPs();
  return all.filter(({ pid, text }) => pid !== process.pid && text.includes(folder));
}

/** @returns {{ pid: number, command: string, text: string }[]} */
function readProc() {
  return readdirSync("/proc")
    .filter((name) => /^[0-9]+$/.test(name))
    .map((name) => {
      const command = read(`/proc/${name}/cmdline`);
      return { pid: Number(name), command, text: command + read(`/proc/${name}/environ`) };
    });
}

/** @returns {{ pid: number, command: string, text: string }[]} */
function readPs() {
  const lines = execFileSync("ps", ["-axEww", "-o", "pid=,command="], { encoding: "utf8" }).split("\n");
  return lines.map((line) => {
    const [, pid = "0", text = ""] = /^ *([0-9]+) (.*)$/.exec(line) ?? [];
    return { pid: Number(pid), command: text, text };
  });
}

/** @param {string} path */
function read(path) {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return ""; // It has ended, or is another user's.
  }
}

/**
 * @param {number} pid
 * @param {NodeJS.Signals} signal
 */
function kill(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) console.error(error);
  }
}
