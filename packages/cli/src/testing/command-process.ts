/** The real command as a process: without a terminal, and in a pseudo-terminal. */
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { spawn as spawnInTerminal } from "@lydell/node-pty";
import { shareCodeCache } from "@rowmill/server/testing/code-cache";
import { killEmbeddedDatabase } from "@rowmill/server/testing/service-process";
import { compileCacheOf, moduleOf } from "@rowmill/server/testing/test-program";
import { findCluster, findProgram } from "@rowmill/server/testing/test-database";
import { onTestFinished } from "vitest";
import { localDirectory } from "../local/directories.ts";
import type { LocalDirectory } from "../local/directories.ts";
import { withoutWaiting } from "./without-waiting.ts";

const program = await findProgram();
/** Arguments for Node that run the command. */
export const COMMAND = ["--conditions=@rowmill/source", moduleOf(program, "packages/cli/src/main.ts")];

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface Place {
  /** For files of the test. */
  folder: string;
  environment: Record<string, string>;
}

/** A directory of its own, and an environment without the settings of the person who runs the tests. */
export function newPlace(settings: Record<string, string> = {}): Place {
  const folder = mkdtempSync(join(tmpdir(), "rowmill-command-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const own = Object.entries(process.env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && !/^(ROWMILL_|OPENAI_|ANTHROPIC_|npm_|NODE_OPTIONS$|CI$|FORCE_COLOR$)/.test(entry[0]),
  );
  const directories = { XDG_DATA_HOME: join(folder, "data"), XDG_CONFIG_HOME: join(folder, "config") };
  const shared = { NODE_COMPILE_CACHE: compileCacheOf(program), NO_COLOR: "1" };
  return { folder, environment: { ...Object.fromEntries(own), ...directories, ...shared, ...settings } };
}

/** Gives the data directory of a service an embedded database with empty tables: making one is half of the processor time of a first start. */
export async function giveDatabase(data: string): Promise<void> {
  mkdirSync(data, { recursive: true, mode: 0o700 });
  // With owners and modes, which Node's own copies lose.
  execFileSync("cp", ["-a", await findCluster(), join(data, "postgres")]);
  await shareCodeCache(data);
}

/** A place for commands that start a service themselves; service and database end with the test. The service finds a database, or nothing. */
export async function newLocalPlace({ isEmpty = false } = {}): Promise<{ place: Place; directory: LocalDirectory }> {
  const place = newPlace();
  const directory = localDirectory(place.environment);
  if (!isEmpty) await giveDatabase(directory.data);
  onTestFinished(async () => {
    await runCommand(place, "stop");
    await killEmbeddedDatabase(directory.data);
  });
  return { place, directory };
}

export function startCommand(place: Place, ...args: string[]) {
  const child = spawn(process.execPath, [...COMMAND, ...args], {
    cwd: place.folder,
    env: place.environment,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, stdout, stderr: withoutWaiting(stderr) }));
  });
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  return { child, ended, output: () => stdout + stderr };
}

export const runCommand = (place: Place, ...args: string[]): Promise<Ended> => startCommand(place, ...args).ended;

/** In a terminal of 120 columns, where somebody types the `keys` when the text before them appears. */
export const runInTerminal = (place: Place, args: readonly string[], responses: Responses): Promise<Screen> =>
  openTerminal(place, ["-c", `trap : INT; "$@"; ${SAY_END}`], [process.execPath, ...COMMAND, ...args], responses);

/** In such a terminal behind the prompt of a shell, as with `&` at the end of the line. */
export const runInBackground = (place: Place, args: readonly string[]): Promise<Screen> =>
  openTerminal(place, ["-c", `set -m; "$@" & wait $!; ${SAY_END}`], [process.execPath, ...COMMAND, ...args], []);

/** What a terminal has not read when its program ends may be lost. The shell waits for a key until this has arrived, and all before it. */
const SAY_END = 'printf "\\nended with %s.\\n" $?; read -r _';
const END = /\r?\nended with (\d+)\.\r?\n/;

type Responses = readonly (readonly [when: string, keys: string])[];

interface Screen {
  code: number;
  screen: string;
}

function openTerminal(place: Place, bash: string[], command: string[], responses: Responses): Promise<Screen> {
  const terminal = spawnInTerminal("bash", [...bash, "bash", ...command], {
    cwd: place.folder,
    env: { ...place.environment, TERM: "xterm-256color" },
    cols: 120,
    rows: 40,
  });
  let written = "";
  const waiting = [...responses];
  return new Promise((resolve, reject) => {
    terminal.onData((text) => {
      written += text;
      const screen = stripVTControlCharacters(written);
      const end = END.exec(screen);
      // As a shell reports it: a second Ctrl-C may end the program before it has seen it.
      if (end !== null) {
        terminal.write("\r");
        return resolve({ code: Number(end[1]), screen: screen.slice(0, end.index) });
      }
      const [next] = waiting;
      if (next === undefined || !screen.includes(next[0])) return;
      waiting.shift();
      terminal.write(next[1]);
    });
    terminal.onExit(() => reject(new Error(`the terminal was closed early: ${written}`)));
  });
}
