/**
 * The tests of the Python client, by whatever Python is installed: `unittest`, since the client has no dependencies. Debian's Python is
 * preferred, since it has what `apt-get` installs beside it, such as pandas.
 */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { runCommand } from "./run-command.ts";
import type { CommandResult } from "./run-command.ts";

const CANDIDATES = ["/usr/bin/python3", "python3", "python"];
/** The oldest version that the client supports. */
const MIN_VERSION = "(3, 9)";
const FOLDER = "clients/python";

export interface PythonTests {
  result: CommandResult;
  passed: number;
  failed: string[];
  skipped: string[];
}

/** Undefined where there is none that is new enough. */
export function findPython(): string | undefined {
  return CANDIDATES.find((command) => {
    try {
      const script = `import sys; sys.exit(0 if sys.version_info >= ${MIN_VERSION} else 1)`;
      execFileSync(command, ["-c", script], { stdio: "ignore" });
      return true;
    } catch {
      // It is not installed, or too old.
      return false;
    }
  });
}

export async function runPythonTests(python: string, temporary: string, timeoutMs: number): Promise<PythonTests> {
  const result = await runCommand(
    python,
    [
      "-W",
      "error",
      "-B",
      "-m",
      "unittest",
      "discover",
      "--verbose",
      "--start-directory",
      "tests",
      "--top-level-directory",
      ".",
    ],
    {
      timeoutMs,
      isLive: true,
      directory: FOLDER,
      env: { PYTHONPATH: "src", ROWMILL_TEST_NODE: process.execPath, TMPDIR: temporary },
    },
  );
  return { result, ...readCounts(result) };
}

/** Type errors in the client; undefined where mypy is not installed. */
export async function checkPythonTypes(python: string, timeoutMs: number): Promise<CommandResult | undefined> {
  try {
    execFileSync(python, ["-c", "import mypy"], { stdio: "ignore" });
  } catch {
    // It is not installed.
    return undefined;
  }
  const cache = join(process.cwd(), "node_modules", ".cache", "mypy");
  return runCommand(python, ["-m", "mypy", "--cache-dir", cache], { timeoutMs, directory: FOLDER });
}

/** `unittest` prints a line for each test, and a sum at the end. */
function readCounts({ outcome, exitCode, output }: CommandResult): Omit<PythonTests, "result"> {
  const named = (pattern: RegExp): string[] => Array.from(output.matchAll(pattern), (match) => (match[1] ?? "").trim());
  const failed = named(/^(?:FAIL|ERROR): (.+)$/gm);
  const skipped = named(/^(\S+ \(\S+\)) \.\.\. skipped .*$/gm);
  const ran = Number(/^Ran (\d+) tests?/m.exec(output)?.[1] ?? 0);
  const hasEndedWell = outcome === "exited" && exitCode === 0;
  if (failed.length === 0 && (!hasEndedWell || ran === 0))
    failed.push("the test runner of Python, which did not finish");
  return { passed: Math.max(0, ran - failed.length - skipped.length), failed, skipped };
}
