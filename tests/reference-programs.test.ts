/** The programs of the reference's first page do what they say: the same run by each client, and by requests alone. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { startTestService } from "@rowmill/server/testing/service";
import { expect, test } from "vitest";
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
