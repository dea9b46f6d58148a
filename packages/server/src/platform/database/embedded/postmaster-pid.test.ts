import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { inspectProcess, parsePostmasterFile } from "./postmaster-pid.ts";

const complete = "4711\n/data/pgdata\n1700000000\n54321\n\n127.0.0.1\n   123456     7\nready   \n";

test.each([
  ["a complete file", complete, { pid: 4711, directory: "/data/pgdata", port: 54_321, status: "ready" }],
  [
    "a server that starts",
    complete.replace("ready   ", "starting"),
    { pid: 4711, directory: "/data/pgdata", port: 54_321, status: "starting" },
  ],
  ["a file that ends after the pid", "4711\n", { pid: 4711, directory: "", port: 0, status: undefined }],
  ["a single-user server, which negates its pid", complete.replace("4711", "-4711"), undefined],
  ["an empty file", "", undefined],
  ["garbage", "pid\n", undefined],
])("%s is read", (_, text, expected) => {
  expect(parsePostmasterFile(text)).toEqual(expected);
});

test("this process is no PostgreSQL, and a process that has ended is gone", async () => {
  expect(await inspectProcess(process.pid)).toBe("other");
  const child = spawn(process.execPath, ["--version"], { stdio: "ignore" });
  await once(child, "exit");
  expect(await inspectProcess(child.pid ?? 0)).toBe("gone");
});
