/** The real command as a process: without a terminal, and in a pseudo-terminal. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { spawn as spawnInTerminal } from "@lydell/node-pty";
import { compileCacheOf, moduleOf } from "@rowmill/server/testing/test-program";
import { findProgram } from "@rowmill/server/testing/test-database";
import { onTestFinished } from "vitest";

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

/** A directory of its own, and an environment without the settings of whoever runs the tests. */
export function newPlace(settings: Record<string, string> = {}): Place {
  const folder = mkdtempSync(join(tmpdir(), "rowmill-command-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const own = Object.entries(process.env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && !/^(ROWMILL_|OPENAI_|ANTHROPIC_|NODE_OPTIONS$|CI$|FORCE_COLOR$)/.test(entry[0]),
  );
  const directories = { XDG_DATA_HOME: join(folder, "data"), XDG_CONFIG_HOME: join(folder, "config") };
  const shared = { NODE_COMPILE_CACHE: compileCacheOf(program), NO_COLOR: "1" };
  return { folder, environment: { ...Object.fromEntries(own), ...directories, ...shared, ...settings } };
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
    child.once("close", (code) => resolve({ code, stdout, stderr }));
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
  openTerminal(place, process.execPath, [...COMMAND, ...args], responses);

/** In such a terminal behind the prompt of a shell, as with `&` at the end of the line. */
export const runInBackground = (place: Place, args: readonly string[]): Promise<Screen> =>
  openTerminal(place, "bash", ["-c", 'set -m; "$@" & wait $!', "bash", process.execPath, ...COMMAND, ...args], []);

type Responses = readonly (readonly [when: string, keys: string])[];

interface Screen {
  code: number;
  screen: string;
}

function openTerminal(place: Place, file: string, args: readonly string[], responses: Responses): Promise<Screen> {
  const terminal = spawnInTerminal(file, [...args], {
    cwd: place.folder,
    env: { ...place.environment, TERM: "xterm-256color" },
    cols: 120,
    rows: 40,
  });
  let screen = "";
  const waiting = [...responses];
  terminal.onData((text) => {
    screen += text;
    const [next] = waiting;
    if (next === undefined || !stripVTControlCharacters(screen).includes(next[0])) return;
    waiting.shift();
    terminal.write(next[1]);
  });
  return new Promise((resolve) => {
    terminal.onExit(({ exitCode }) => resolve({ code: exitCode, screen: stripVTControlCharacters(screen) }));
  });
}
