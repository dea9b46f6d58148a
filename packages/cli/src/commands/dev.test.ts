import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, statSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { killEmbeddedDatabase } from "@rowmill/server/testing/service-process";
import { waitFor } from "@rowmill/server/testing/wait";
import { expect, onTestFinished, test } from "vitest";
import { newPlace, runCommand, startCommand } from "../testing/command-process.ts";

const START_LIMIT_MS = 240_000;
const LAUNCHER = fileURLToPath(new URL("../../bin/rowmill.cjs", import.meta.url));

test("dev: a service, an organization, a key and a profile, which other commands use; four lines; ends with its terminal", async () => {
  const place = newPlace();
  const data = join(place.folder, "dev");
  onTestFinished(() => killEmbeddedDatabase(join(data, "data")));
  const dev = startCommand(place, "dev", "--port", "0", "--data", data);
  await waitFor(() => dev.output().includes("Next "), { timeoutMs: START_LIMIT_MS, what: "the service is up" });
  const lines = dev.output().trim().split("\n");
  expect(lines.map((line) => line.split(" ")[0])).toEqual(["Service", "Console", "Key", "Next"]);
  // The link and paths may be as long as they are.
  for (const line of [lines[0], lines[3]]) expect(line?.length).toBeLessThanOrEqual(80);
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(lines[0] ?? "")?.[0];
  const key = readFileSync(join(data, "key"), "utf8").trim();
  expect(dev.output()).not.toContain(key);
  const config = join(place.environment["XDG_CONFIG_HOME"] ?? "", "rowmill", "config.toml");
  expect([config, join(data, "key")].map((file) => statSync(file).mode & 0o077)).toEqual([0, 0]);

  // The person at the terminal is in the console with one click, and nobody else after that.
  const [, token] = /^Console +\S+\/sign-in#token=(rml_[\w-]+) /m.exec(dev.output()) ?? [];
  const signIn = (): Promise<Response> =>
    fetch(`${url}/v1/session`, {
      method: "PUT",
      headers: { "content-type": "application/json", origin: url ?? "" },
      body: JSON.stringify({ by: "login_link", token }),
    });
  expect(await (await signIn()).json()).toMatchObject({ kind: "organization", organizationName: "Development" });
  expect((await signIn()).status).toBe(401);

  const whoami = await runCommand(place, "whoami", "--json");
  expect(JSON.parse(whoami.stdout)).toMatchObject({ url, profile: "dev", kind: "organization" });
  const profiles = await runCommand(place, "profiles");
  expect(profiles.stdout).toContain(`*  dev      ${url}`);
  expect(profiles.stdout).not.toContain(key);

  const twice = await runCommand(place, "dev", "--port", "0", "--data", data);
  expect(twice.code).toBe(1);
  expect(twice.stderr.match(/Another Rowmill is running/g)).toHaveLength(1);
  expect(twice.stderr).not.toContain("    at ");

  dev.child.kill("SIGTERM");
  expect((await dev.ended).code).toBe(0);
  expect((await runCommand(place, "whoami")).code).toBe(1);
});

test("SIGINT that a program sends to the launcher alone ends dev and its service", async () => {
  const place = newPlace();
  const data = join(place.folder, "dev");
  onTestFinished(() => killEmbeddedDatabase(join(data, "data")));
  const child = spawn(process.execPath, [LAUNCHER, "dev", "--port", "0", "--data", data], {
    cwd: place.folder,
    env: { ...place.environment, ROWMILL_NODE: process.execPath },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let printed = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (printed += text));
  await waitFor(() => printed.includes("Next "), { timeoutMs: START_LIMIT_MS, what: "the service is up" });
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(printed)?.[0] ?? "";
  child.kill("SIGINT");
  expect(await once(child, "exit")).toEqual([0, null]);
  await expect(fetch(`${url}/healthz`)).rejects.toThrow("fetch failed");
});

test("dev takes the port of the environment, and says which ports there are", async () => {
  const place = newPlace();
  expect(await runCommand(place, "dev", "--port", "70000")).toMatchObject({ code: 2 });
  const wrong = await runCommand(newPlace({ ROWMILL_PORT: "70000" }), "dev");
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('ROWMILL_PORT is "70000"')]);
  const taken = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void taken.close());
  await once(taken, "listening");
  const port = String((taken.address() as AddressInfo).port); // it listens on TCP
  const named = newPlace({ ROWMILL_PORT: port });
  const data = join(named.folder, "dev");
  onTestFinished(() => killEmbeddedDatabase(join(data, "data")));
  const { code, stderr } = await runCommand(named, "dev", "--data", data);
  expect([code, stderr]).toEqual([1, expect.stringContaining(`127.0.0.1:${port} is in use`)]);
});
