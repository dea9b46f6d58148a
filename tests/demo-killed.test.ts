/** The demo promises: killed or interrupted at any moment and started again, it goes on where it was; nothing is lost, nothing doubled. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import { spawn } from "@lydell/node-pty";
import { Client } from "pg";
import { expect, test } from "vitest";
import { clusterFiles, readPassword } from "../packages/server/src/platform/database/embedded/cluster.ts";
import { readPostmasterFile } from "../packages/server/src/platform/database/embedded/postmaster-pid.ts";
import { cleanUpLater } from "../packages/server/src/testing/cleanup.ts";
import { killEmbeddedDatabase } from "../packages/server/src/testing/service-process.ts";
import { compileCacheOf, moduleOf } from "../packages/server/src/testing/test-program.ts";
import { findProgram } from "../packages/server/src/testing/test-database.ts";

const CTRL_C = "\u0003";
const SIGINT = 2;
const INTERRUPTED = 130;

/** In a terminal, where somebody can press Ctrl-C. */
function startDemo(directory: string, program: string) {
  const terminal = spawn(process.execPath, [moduleOf(program, "examples/demo/demo.ts")], {
    cwd: directory,
    env: { PATH: process.env["PATH"] ?? "", NODE_COMPILE_CACHE: compileCacheOf(program), TERM: "xterm-256color" },
    cols: 120,
    rows: 40,
  });
  let screen = "";
  let hasEnded = false;
  let look = (): void => undefined;
  terminal.onData((text) => {
    screen += text;
    look();
  });
  const output = (): string => stripVTControlCharacters(screen);
  const ended = new Promise<{ exitCode: number; signal?: number }>((resolve) => {
    terminal.onExit((how) => {
      hasEnded = true;
      look();
      resolve(how);
    });
  });
  const says = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      look = () => {
        if (output().includes(text)) resolve();
        else if (hasEnded) reject(new Error(`the demo ended: ${output()}`));
      };
      look();
    });
  return { terminal, ended, output, says };
}

/**
 * From now on, a demo in this directory makes no export, and so has not ended when it is interrupted, until the function that it returns is
 * called, or its database has ended. Exports can be read: what adds up the storage reads them, with runs locked that are to end.
 */
async function holdExports(directory: string): Promise<() => Promise<void>> {
  const files = clusterFiles(join(directory, "demo-output", "data", "postgres"));
  const server = await readPostmasterFile(files.pgdata);
  const password = await readPassword(files);
  const holder = new Client({ host: "127.0.0.1", port: server?.port ?? 0, user: "postgres", password });
  holder.on("error", () => undefined);
  await holder.connect();
  await holder.query("begin");
  await holder.query("lock table exports in share mode");
  return () => holder.end().catch(() => undefined);
}

test(
  "a demo that is killed and interrupted again and again ends with every row exactly once",
  { timeout: 600_000 },
  async () => {
    const directory = mkdtempSync(join(tmpdir(), "rowmill-demo-"));
    cleanUpLater(async () => {
      await killEmbeddedDatabase(join(directory, "demo-output", "data"));
      rmSync(directory, { recursive: true, force: true });
    });
    const program = await findProgram();
    const interrupted: { code: number; isInterrupted: boolean }[] = [];
    // Each demo is ended a moment after it has said this.
    for (const [moment, how] of [
      ["Running it over all rows", "Ctrl-C"],
      ["Running it over all rows", "kill"],
      ["Correcting the prompt", "kill"],
      ["One table", "Ctrl-C twice"],
    ] as const) {
      const one = startDemo(directory, program);
      await one.says("Uploading");
      const goOn = await holdExports(directory);
      await one.says(moment);
      await wait(Math.random() * 300);
      if (how === "kill") one.terminal.kill("SIGKILL");
      else one.terminal.write(CTRL_C);
      if (how !== "kill") await one.says("Interrupted");
      if (how === "Ctrl-C twice") one.terminal.write(CTRL_C);
      await goOn();
      const { exitCode, signal } = await one.ended;
      // By the second Ctrl-C as if nobody listened, unless the service has just stopped.
      const code = how === "Ctrl-C twice" && signal === SIGINT ? INTERRUPTED : exitCode;
      const isInterrupted = one.output().includes("Interrupted. `npm run demo` goes on where it was.");
      if (how !== "kill") interrupted.push({ code, isInterrupted });
    }
    expect(interrupted).toEqual(Array.from({ length: 2 }, () => ({ code: INTERRUPTED, isInterrupted: true })));
    const last = startDemo(directory, program);
    // The demo itself compares counts, indexes, states and the checksum of the file, and fails where they differ.
    await last.says("The service stays up until Ctrl-C");
    expect(last.output()).toContain("Taking up the demo that was interrupted");
    expect(last.output()).toContain("3,151 of 3,201 rows succeeded");
    const lines = readFileSync(join(directory, "demo-output", "audience.csv"), "utf8")
      .trimEnd()
      .split("\n");
    expect(lines).toHaveLength(3_202);
    const [url = ""] = /http:\/\/127\.0\.0\.1:\d+/.exec(last.output()) ?? [];
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    last.terminal.write(CTRL_C);
    expect(await last.ended).toMatchObject({ exitCode: 0 });
    await expect(fetch(`${url}/healthz`)).rejects.toThrow("fetch failed");
  },
);
