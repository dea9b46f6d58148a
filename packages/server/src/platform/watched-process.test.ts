import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { startWatchedProcess } from "./watched-process.ts";

/** Tries what its job names, and says the code of each error. */
const SCRIPT = `
  import { spawnSync } from "node:child_process";
  import { readFileSync, writeFileSync, writeSync } from "node:fs";
  import { createInterface } from "node:readline";
  import { Worker } from "node:worker_threads";
  const outcomeOf = (attempt) => {
    try {
      attempt();
      return "done";
    } catch (error) {
      return error.code;
    }
  };
  createInterface({ input: process.stdin }).once("line", (line) => {
    const { named, beside, work } = JSON.parse(line);
    const outcomes = {
      named: outcomeOf(() => readFileSync(named)),
      beside: outcomeOf(() => readFileSync(beside)),
      system: outcomeOf(() => readFileSync("/etc/passwd")),
      own: outcomeOf(() => writeFileSync(work + "/made", "")),
      change: outcomeOf(() => writeFileSync(named, "")),
      process: outcomeOf(() => spawnSync("true")),
      thread: outcomeOf(() => new Worker("0", { eval: true })),
      environment: Object.keys(process.env),
    };
    writeSync(3, JSON.stringify(outcomes));
    process.exit(0);
  });`;

test("a process for strangers' bytes reads what it was given and writes its own directory, and nothing else", async () => {
  const folder = await mkdtemp(join(tmpdir(), "rowmill-watched-"));
  const [work, named, beside] = [join(folder, "work"), join(folder, "named"), join(folder, "encryption-key")];
  await mkdir(work);
  for (const file of [named, beside]) await writeFile(file, "content");
  const script = join(work, "script.mjs");
  await writeFile(script, SCRIPT);
  const child = startWatchedProcess({
    script: pathToFileURL(script),
    job: { named, beside, work },
    workDirectory: work,
    reads: [named],
    maxHeapMegabytes: 64,
    maxResidentBytes: 1024 ** 3,
    describeTooLarge: () => new Error("too large"),
    signal: new AbortController().signal,
  });
  const said = await text(child.output);
  const { errorOutput } = await child.explainEnd();
  await child.stop();
  await rm(folder, { recursive: true, force: true });
  const denied = "ERR_ACCESS_DENIED";
  expect([errorOutput, JSON.parse(said === "" ? "{}" : said)]).toEqual([
    "",
    {
      named: "done",
      beside: denied,
      system: denied,
      own: "done",
      change: denied,
      process: denied,
      thread: denied,
      environment: [],
    },
  ]);
});
