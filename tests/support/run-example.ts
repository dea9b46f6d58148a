/** Runs an example as a reader does: in a home of its own, which looks like a checkout, with the command `rowmill` on the path. */
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { onTestFinished } from "vitest";
import { killEmbeddedDatabase } from "@rowmill/server/testing/service-process";
import { compileCacheOf, moduleOf } from "@rowmill/server/testing/test-program";
import { findProgram } from "@rowmill/server/testing/test-database";
import { examplesFolder, repository } from "./guide-outputs.ts";

/** The longest takes half a minute where nothing else runs. */
const EXAMPLE_LIMIT_MS = 560_000;
/** What a checkout has, and the examples name. Nothing in them is written. */
const CHECKOUT = ["clients", "deploy", "examples", "node_modules", "package-lock.json", "package.json", "packages"];

/**
 * What the pages leave to the reader's patience: the line after which a person would go on. An installation is checked and not made:
 * npm compares what is installed with the lock file, without a network.
 */
export const PRELUDE = `set -m
trap 'for job in $(jobs -p); do kill -- "-$job" 2>/dev/null; done' EXIT
trap 'exit 143' TERM
npm() {
  case $1 in
    install) command npm install --dry-run --offline --ignore-scripts --no-audit --loglevel=error >npm.log 2>&1 || { cat npm.log; return 1; } ;;
    *) command npm "$@" ;;
  esac
}
sudo() { "$@"; }
until_ready() { until curl -sf "http://127.0.0.1:$ROWMILL_PORT/readyz" >/dev/null; do sleep 0.2; done; }
until_it_listens() { until rowmill whoami >/dev/null 2>&1; do sleep 0.5; done; }
until_port_listens() { until (echo >"/dev/tcp/127.0.0.1/$1") 2>/dev/null; do sleep 0.2; done; }
until_events_are_forwarded() { until [ -e ~/.local/share/rowmill/listen.json ]; do sleep 0.2; done; }
until_rows_succeed() { until rowmill runs show @last --json 2>/dev/null | grep -q '"succeeded": *[1-9]'; do sleep 0.2; done; }
`;

export interface ExampleRun {
  /** The name of its file in the home. */
  name: string;
  /** What stands in the file. */
  text: string;
  /** The interpreter with its arguments; the file comes last. */
  command: readonly string[];
  settings: Record<string, string>;
  /** Called with all that it has printed so far. */
  onOutput?: (output: string) => void;
}

/** With all that it has printed, and its home, which is removed after the test. */
export async function runInHome({ name, text, command, settings, onOutput = () => undefined }: ExampleRun) {
  const home = mkdtempSync(join(tmpdir(), "rowmill-guide-"));
  onTestFinished(async () => {
    await killEmbeddedDatabase(join(home, ".local", "share", "rowmill", "dev", "data"));
    await killEmbeddedDatabase(join(home, "var", "lib", "rowmill"));
    rmSync(home, { recursive: true, force: true });
  });
  for (const file of readdirSync(examplesFolder)) cpSync(join(examplesFolder, file), join(home, file));
  cpSync(join(repository, "examples", "receivers"), join(home, "receivers"), { recursive: true });
  for (const part of CHECKOUT) symlinkSync(join(repository, part), join(home, part));
  // npm takes the folder of the nearest `package.json` for its own: scripts of the checkout run here.
  for (const part of ["scripts", "tools"]) symlinkSync(join(repository, part), join(home, part));
  const script = join(home, name);
  writeFileSync(script, text);
  const programs = await findProgram();
  mkdirSync(join(home, "bin"));
  const main = moduleOf(programs, "packages/cli/src/main.ts");
  // Ports of the guide may be in use here.
  writeFileSync(
    join(home, "bin", "rowmill"),
    `#!/bin/sh\n[ "$1" = dev ] && set -- "$@" --port 0\nexec "${process.execPath}" --conditions=@rowmill/source "${main}" "$@"\n`,
    { mode: 0o755 },
  );
  // Both streams in one: of two, a busy machine reads what came later first.
  const child = spawn("sh", ["-c", 'exec "$@" 2>&1', "sh", ...command, script], {
    cwd: home,
    stdio: ["ignore", "pipe", "ignore"],
    env: {
      HOME: home,
      PATH: [join(home, "bin"), join(process.execPath, ".."), process.env["PATH"]].join(delimiter),
      NO_COLOR: "1",
      NODE_COMPILE_CACHE: compileCacheOf(programs),
      // Airflow is not installed for a page: a stand-in calls the tasks in their order.
      PYTHONPATH: [join(repository, "clients", "python", "src"), join(repository, "tests", "support", "airflow")].join(
        delimiter,
      ),
      PYTHONDONTWRITEBYTECODE: "1",
      ...settings,
    },
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (part: string) => {
    output += part;
    onOutput(output);
  });
  // One that hangs ends with what it has printed.
  const timer = setTimeout(() => child.kill("SIGTERM"), EXAMPLE_LIMIT_MS);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  clearTimeout(timer);
  return { code, output, home };
}
