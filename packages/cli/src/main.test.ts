/** The process itself: what becomes of it when those who read its output have left, and by which way it reaches a service. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { startTestService } from "@rowmill/server/testing/service";
import { expect, test } from "vitest";
import { COMMAND, newPlace, runCommand } from "./testing/command-process.ts";

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

test("a service on this machine is reached beside the proxy that the environment names", async () => {
  const service = await startTestService();
  const { apiKey } = await service.newOrganization();
  const closed = "http://127.0.0.1:1";
  const proxy: Record<string, string> = { NODE_USE_ENV_PROXY: "1", HTTP_PROXY: closed, http_proxy: closed };
  for (const named of ["NO_PROXY", "no_proxy"]) {
    const settings = { ROWMILL_URL: service.url, ROWMILL_API_KEY: apiKey, ...proxy, [named]: "example.com" };
    const place = newPlace(settings);
    expect(await runCommand(place, "whoami")).toMatchObject({ code: 0 });
  }
});
