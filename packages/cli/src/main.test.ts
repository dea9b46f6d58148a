/** The process itself: what becomes of it when those who read its output have left. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { expect, test } from "vitest";
import { COMMAND, newPlace } from "./testing/command-process.ts";

/** It prints its one message on stderr, and ends with 2. */
const REFUSED = ["docs", "xylophone"];

test("a command whose messages nobody reads goes on, and ends with its own exit code", async () => {
  const { folder, environment } = newPlace();
  const child = spawn(process.execPath, [...COMMAND, ...REFUSED], { cwd: folder, env: environment });
  child.stdout.resume();
  child.stderr.destroy();
  expect(await once(child, "close")).toEqual([2, null]);
});

test("so does one whose messages go to a full disk", { skip: process.platform !== "linux" }, async () => {
  const { folder, environment } = newPlace();
  const full = openSync("/dev/full", "w");
  const child = spawn(process.execPath, [...COMMAND, ...REFUSED], {
    cwd: folder,
    env: environment,
    stdio: ["ignore", "ignore", full],
  });
  closeSync(full);
  expect(await once(child, "close")).toEqual([2, null]);
});
