import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { childConditions } from "./program-files.ts";
import { cleanUpLater } from "../testing/cleanup.ts";
import { waitFor } from "../testing/wait.ts";
import { startIdleProcess, startWatchedProcess } from "./watched-process.ts";

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
  const child = await startWatchedProcess({
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

test("one that has ended before it gets its job reports its end at once", async () => {
  const folder = await mkdtemp(join(tmpdir(), "rowmill-watched-"));
  cleanUpLater(() => rm(folder, { recursive: true, force: true }));
  const script = join(folder, "script.mjs");
  await writeFile(script, "process.exit(7);");
  const idle = await startIdleProcess({
    script: pathToFileURL(script),
    workDirectory: folder,
    reads: [],
    maxHeapMegabytes: 64,
    maxResidentBytes: 1024 ** 3,
  });
  await waitFor(() => !idle.isAlive(), { what: "it has ended" });
  // Its end is known before its pipes have closed.
  await idle.stop();
  const begun = idle.begin({
    job: {},
    describeTooLarge: () => new Error("too large"),
    signal: new AbortController().signal,
  });
  expect(await text(begun.output)).toBe("");
  expect((await begun.explainEnd()).what).toBe("the process ended with code 7");
  await begun.stop();
});

/** A process with few files to open that has used all of them up, and closes them after the first failure to start another one. */
const CROWDED = `
  import { closeSync, openSync } from "node:fs";
  import { startWatchedProcess } from ${JSON.stringify(new URL("./watched-process.ts", import.meta.url).href)};
  const open = [];
  const crowd = () => { try { for (;;) open.push(openSync("/dev/null")); } catch {} };
  const start = (signal) => startWatchedProcess({
    script: new URL("file:///none.mjs"), job: {}, workDirectory: "/tmp", reads: [], maxHeapMegabytes: 64,
    maxResidentBytes: 1024 ** 3, describeTooLarge: () => new Error("too large"), signal,
  });
  crowd();
  const refused = await start(new AbortController().signal).catch((error) => error.message);
  setTimeout(() => { for (const file of open) closeSync(file); }, 50);
  const child = await start(new AbortController().signal);
  console.log(JSON.stringify([refused, child.pid > 0]));
  await child.stop();`;

test("a process that cannot be started since too many files are open is tried again, and the error says why", async () => {
  const parent = spawn(
    "sh",
    [
      "-c",
      'ulimit -n 100 && exec "$@"',
      "sh",
      process.execPath,
      ...childConditions,
      "--input-type=module",
      "-e",
      CROWDED,
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  expect(JSON.parse(await text(parent.stdout))).toEqual([
    "a process could not be started: this process has too many open files; raise its limit (`ulimit -n`, `LimitNOFILE`) (EMFILE)",
    true,
  ]);
});
