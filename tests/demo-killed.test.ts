/** The demo promises: killed at any moment and started again, it goes on where it was; nothing is lost, nothing doubled. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { cleanUpLater } from "../packages/server/src/testing/cleanup.ts";
import { killEmbeddedDatabase } from "../packages/server/src/testing/service-process.ts";
import { findCompileCache } from "../packages/server/src/testing/test-database.ts";

const demo = fileURLToPath(new URL("../examples/demo/demo.ts", import.meta.url));

function startDemo(directory: string, compileCache: string) {
  const child = spawn(process.execPath, ["--conditions=@rowmill/source", demo], {
    cwd: directory,
    env: { PATH: process.env["PATH"], NODE_COMPILE_CACHE: compileCache },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text: Buffer) => (output += text.toString()));
  return { child, ended: once(child, "close") as Promise<[number | null]>, output: () => output };
}

test("a demo that is killed again and again ends with every row exactly once", { timeout: 600_000 }, async () => {
  const directory = mkdtempSync(join(tmpdir(), "rowmill-demo-"));
  cleanUpLater(async () => {
    await killEmbeddedDatabase(join(directory, "demo-output", "data"));
    rmSync(directory, { recursive: true, force: true });
  });
  const compileCache = await findCompileCache();
  // Each demo is killed a moment after it has said this.
  for (const moment of ["Running it over all rows", "Correcting the prompt", "One table"]) {
    const killed = startDemo(directory, compileCache);
    while (!killed.output().includes(moment)) {
      if (killed.child.exitCode !== null) throw new Error(`the demo ended: ${killed.output()}`);
      await wait(20);
    }
    await wait(Math.random() * 300);
    killed.child.kill("SIGKILL");
    await killed.ended;
  }
  const last = startDemo(directory, compileCache);
  const [code] = await last.ended;
  // The demo itself compares counts, indexes, states and the checksum of the file, and fails where they differ.
  if (code !== 0) throw new Error(`the demo ended with ${code}: ${last.output()}`);
  expect(last.output()).toContain("Taking up the demo that was interrupted");
  expect(last.output()).toContain("3,151 of 3,201 rows succeeded");
  const lines = readFileSync(join(directory, "demo-output", "audience.csv"), "utf8")
    .trimEnd()
    .split("\n");
  expect(lines).toHaveLength(3_202);
});
