/** What a program of a backup or a restore leaves that is ended before its end. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { eventually, serverPid, spawnOwner, useTemplate } from "../platform/database/embedded/embedded-testing.ts";
import { inspectProcess } from "../platform/database/embedded/postmaster-pid.ts";
import { removeKilledRestores } from "./killed-restores.ts";

const template = useTemplate("killed-restores");
const START_TIMEOUT_MS = 300_000;

/** A data directory in which a restore has built so much of a database. */
async function begunRestore(name: string): Promise<{ data: string; unfinished: string }> {
  const data = template.pathTo(name);
  const unfinished = join(data, "unfinished-0123456789ab");
  await mkdir(data);
  await cp(await template.copy(), unfinished, { recursive: true });
  await rm(join(unfinished, "cluster", "port"), { force: true });
  return { data, unfinished };
}

const hasEnded = (pid: number) =>
  eventually("the server has ended", async () => ((await inspectProcess(pid)) === "postgres" ? undefined : true));

test(
  "the database of a restore that was killed ends, and its folder is removed",
  { timeout: START_TIMEOUT_MS },
  async () => {
    const { data, unfinished } = await begunRestore("killed");
    const restore = spawnOwner(unfinished);
    await restore.respond();
    const pid = await serverPid(unfinished);
    await expect(removeKilledRestores(data)).rejects.toThrow(/Another Rowmill is running/);
    restore.process.kill("SIGKILL");
    await restore.ended;
    await removeKilledRestores(data);
    await hasEnded(pid);
    expect(await readdir(data)).toEqual([]);
  },
);

test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
  "%s ends the database that the program has started",
  { timeout: START_TIMEOUT_MS },
  async (signal) => {
    const dataDirectory = await template.copy();
    const source = `
      import { startEmbeddedDatabase } from ${JSON.stringify(new URL("../platform/database/embedded/embedded-database.ts", import.meta.url).href)};
      import { endWithProcess, exitOnSignals } from ${JSON.stringify(new URL("end-with-process.ts", import.meta.url).href)};
      exitOnSignals();
      const database = await startEmbeddedDatabase({ dataDirectory: process.argv[1] });
      endWithProcess(() => database.stopAtOnce());
      console.log("started");
      setInterval(() => {}, 60_000);`;
    const program = spawn(process.execPath, ["--input-type=module", "--eval", source, dataDirectory], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const exited = once(program, "exit");
    for await (const line of createInterface(program.stdout)) if (line === "started") break;
    const pid = await serverPid(dataDirectory);
    program.kill(signal);
    expect(await exited).toEqual([1, null]);
    await hasEnded(pid);
  },
);
