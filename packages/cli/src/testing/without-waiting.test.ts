/** What tests leave out of the output of a command is what it prints where something takes long. */
import type { Rowmill, Run } from "@rowmill/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Cli } from "../frame/command.ts";
import { createOutput } from "../frame/output.ts";
import { writeFile } from "../map/finish.ts";
import { showProgress } from "../map/progress.ts";
import { uploadProgress } from "../runs/upload-progress.ts";
import { Collected, terminalWith } from "./in-process.ts";
import { withoutWaiting } from "./without-waiting.ts";

/** Longer than a command is silent. */
const LONG_MS = 6_000;
const passTime = (): void => void vi.setSystemTime(Date.now() + LONG_MS);

let stderr: Collected;
let cli: Cli;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
  stderr = new Collected();
  const terminal = terminalWith({ stdout: new Collected(), stderr, environment: {}, directory: "/rows" });
  const { signal } = new AbortController();
  // What is used of it here.
  cli = { terminal, output: createOutput(terminal, "text", false), common: {}, signal } as Partial<Cli> as Cli;
});
afterEach(() => void vi.useRealTimers());

test("how much of a file has been sent", () => {
  const line = uploadProgress(cli, 10_000_000);
  passTime();
  line.update(5_000_000, null);
  expect(stderr.text).toBe("4.8 of 9.5 MiB sent\n");
  expect(withoutWaiting(stderr.text)).toBe("");
});

test("how far a run is", async () => {
  const rows = { total: 1_200, pending: 200, running: 0, succeeded: 999, failed: 1, canceled: 0, skipped: 0 };
  const usage = { requests: 0, costUsd: "0" };
  const progress = { percent: 83.3, rowsPerSecond: null, etaSeconds: null };
  const run = { id: "run_1", state: "running", rows, usage, budget: null, progress } as Partial<Run> as Run;
  const shown = await showProgress(cli);
  passTime();
  shown.update(run, { failures: [] });
  expect(stderr.text).toBe("1,000 of 1,200 rows (83.3 %), 1 failed\n");
  expect(withoutWaiting(`Before.\n${stderr.text}After.\n`)).toBe("Before.\nAfter.\n");
});

test("how much of a table has been written and fetched", async () => {
  const ended = { id: "exp_1", status: "ready", rowCount: 1, sizeBytes: 1, sha256: "" };
  const exports = {
    create: () => Promise.resolve(ended),
    waitFor: (_id: string, { onProgress }: { onProgress: (seen: object) => void }) => {
      passTime();
      onProgress(ended);
      return Promise.resolve(ended);
    },
    downloadToFile: (_id: string, _path: string, { onProgress }: { onProgress: (seen: object) => void }) => {
      passTime();
      onProgress({ bytesReceived: 1_000_000, bytesTotal: 2_000_000 });
      return Promise.resolve(ended);
    },
  };
  const file = { type: "file", path: "/rows/out.csv", format: "csv", compression: "none" } as const;
  await writeFile(cli, { exports } as unknown as Rowmill, { id: "run_1" } as Run, file);
  expect(stderr.text).toBe("The service writes the rows of out.csv (6 s so far)\n1.0 of 1.9 MiB of out.csv\n");
  expect(withoutWaiting(stderr.text)).toBe("");
});

test("what else is said stays", () => {
  const said =
    "4 rows: $0.0022\nUsing the address in OLLAMA_HOST: http://127.0.0.1:9/v1\nout.csv: 4 rows, SHA-256 1c\n";
  expect(withoutWaiting(said)).toBe(said);
});
