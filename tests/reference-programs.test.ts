/** The programs of the reference's first page do what they say: the same run by each client, and by requests alone. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { startTestService } from "@rowmill/server/testing/service";
import { expect, onTestFinished, test } from "vitest";
import { findPython } from "../scripts/checks/python.ts";

const root = join(import.meta.dirname, "..");
const service = await startTestService();
const { apiKey } = await service.newOrganization();
const python = findPython();

const programs: [name: string, command: string, args: string[]][] = [
  ["TypeScript", process.execPath, ["--conditions=@rowmill/source", join(root, "examples/reference/first-run.ts")]],
  ["requests", "sh", [join(root, "examples/reference/first-run.sh")]],
];
// Where it is not installed, the tests of the Python client are reported as skipped.
if (python !== undefined) programs.push(["Python", python, [join(root, "examples/reference/first_run.py")]]);

test.each(programs)("a run from beginning to end by %s", async (_name, command, args) => {
  const { stdout } = await promisify(execFile)(command, args, {
    env: {
      PATH: process.env["PATH"],
      PYTHONPATH: join(root, "clients/python/src"),
      PYTHONDONTWRITEBYTECODE: "1",
      ROWMILL_URL: service.url,
      ROWMILL_API_KEY: apiKey,
    },
  });
  const [state, ...lines] = stdout.trim().split("\n");
  expect(state).toBe("succeeded");
  expect(lines.map((line) => line.replaceAll(/"index":|"data":|"/g, "").replace(",", " "))).toEqual([
    "0 positive",
    "1 negative",
  ]);
});

test("the same by the command, which writes a table", async () => {
  const folder = mkdtempSync(join(tmpdir(), "rowmill-first-run-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const { stdout } = await promisify(execFile)("sh", [join(root, "examples/reference/first-run-by-command.sh")], {
    cwd: folder,
    env: {
      PATH: [join(root, "node_modules/.bin"), process.env["PATH"]].join(delimiter),
      HOME: folder,
      ROWMILL_URL: service.url,
      ROWMILL_API_KEY: apiKey,
    },
  });
  // Before the table stands what the command says of the run.
  const rows = stdout
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as unknown);
  expect(rows).toMatchObject([
    { stars: 5, row_state: "succeeded" },
    { stars: 1, row_state: "succeeded" },
  ]);
  expect(stdout).toMatch(/positive[^]*negative/);
});
