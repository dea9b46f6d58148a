import { spawn, spawnSync } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { inspectProcess } from "@rowmill/server/platform/database/embedded/postmaster-pid";
import { killEmbeddedDatabase } from "@rowmill/server/testing/service-process";
import { waitFor } from "@rowmill/server/testing/wait";
import { expect, onTestFinished, test } from "vitest";
import {
  COMMAND,
  giveDatabase,
  newLocalPlace,
  newPlace,
  runCommand,
  startCommand,
} from "../testing/command-process.ts";
import type { Place } from "../testing/command-process.ts";
import { localDirectory } from "./directories.ts";
import type { Control } from "./protocol.ts";

/** A place whose local service and database end with the test. */
async function localPlace(options?: {
  isEmpty: boolean;
}): Promise<{ place: Place; controlFile: string; control: () => Control }> {
  const { place, directory } = await newLocalPlace(options);
  writeFileSync(join(place.folder, "in.csv"), "id\n1\n2\n3\n");
  const control = (): Control => JSON.parse(readFileSync(directory.control, "utf8")) as Control; // written by the supervisor
  return { place, controlFile: directory.control, control };
}

test("a service starts by itself, two commands at once share it, and it ends after the last one", async () => {
  const { place, controlFile } = await localPlace({ isEmpty: true });
  const [one, other] = await Promise.all([
    runCommand(place, "map", "in.csv", "--mock", "-o", "one.csv"),
    runCommand(place, "map", "in.csv", "--mock", "-o", "other.csv"),
  ]);
  expect({ codes: [one.code, other.code], said: one.stderr + other.stderr }).toMatchObject({ codes: [0, 0] });
  expect(readFileSync(join(place.folder, "one.csv"), "utf8")).toContain('1,"{""id"":1}","succeeded",');
  await waitFor(() => !existsSync(controlFile), { what: "the service has ended" });
  const { root, key, log } = localDirectory(place.environment);
  expect([root, key, log].map((path) => statSync(path).mode & 0o077)).toEqual([0, 0, 0]);
  expect(readFileSync(log, "utf8")).not.toMatch(/rmk_|rma_|rml_|sign-in/);
});

test("--keep leaves it running, the next command joins it, a killed one leaves it, and `rowmill stop` ends it", async () => {
  const { place, controlFile, control } = await localPlace();
  expect((await runCommand(place, "map", "in.csv", "--mock", "--keep", "-o", "one.csv")).code).toBe(0);
  const { pid } = control();
  const elsewhere = { ROWMILL_URL: "http://127.0.0.1:9", ROWMILL_API_KEY: "rmk_of_another" };
  const named = { ...place, environment: { ...place.environment, ...elsewhere } };
  expect((await runCommand(named, "runs")).code).toBe(1);
  expect(await runCommand(named, "runs", "--local")).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("in.csv") as string,
  });
  const killed = startCommand(place, "map", "in.csv", "--mock", "-o", "other.csv");
  killed.child.kill("SIGKILL");
  await killed.ended;
  expect((await runCommand(place, "map", "in.csv", "--mock", "-o", "third.csv")).code).toBe(0);
  expect(control().pid).toBe(pid);
  expect(await runCommand(place, "stop", "--json")).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("true") as string,
  });
  expect(existsSync(controlFile)).toBe(false);
});

test("after kill -9 of the supervisor the next command starts another on the same data", async () => {
  const { place, control } = await localPlace();
  expect((await runCommand(place, "map", "in.csv", "--mock", "--keep", "-o", "one.csv")).code).toBe(0);
  const { pid } = control();
  process.kill(pid, "SIGKILL");
  await waitFor(async () => (await inspectProcess(pid)) === "gone", { what: "the supervisor is gone" });
  const again = await runCommand(place, "map", "in.csv", "--mock", "-o", "one.csv", "--json");
  expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining("nothing was to do") as string });
});

test("a local service that cannot write in its directory ends the command at once, and not after its limit", async () => {
  const place = newPlace();
  writeFileSync(join(place.folder, "in.csv"), "id\n1\n");
  // No file may grow at all: what the process that starts the service writes first is refused.
  const limit = ["-c", 'ulimit -f 0; exec "$0" "$@"', process.execPath, ...COMMAND, "map", "in.csv", "--mock"];
  const { status, stderr } = spawnSync("bash", limit, {
    cwd: place.folder,
    env: { ...place.environment, NODE_DISABLE_COMPILE_CACHE: "1" },
    encoding: "utf8",
  });
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: expect.stringMatching(
      /^rowmill: The local service cannot start \(code 1\)\.\n {2}Its log is .+\n$/,
    ) as string,
  });
});

/** Starts `rowmill server`, and returns the URL that it prints. */
async function startServer(place: Place, program: readonly string[]): Promise<{ child: ChildProcess; url: string }> {
  await giveDatabase(join(place.folder, "server"));
  const child = spawn(program[0] ?? "", [...program.slice(1), "server"], {
    cwd: place.folder,
    env: {
      ...place.environment,
      ROWMILL_PORT: "0",
      ROWMILL_METRICS_PORT: "off",
      ROWMILL_LOG_LEVEL: "error",
      ROWMILL_DATA_DIR: join(place.folder, "server"),
      ROWMILL_NODE: process.execPath,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  onTestFinished(() => killEmbeddedDatabase(join(place.folder, "server")));
  let printed = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (printed += text));
  await waitFor(() => printed.includes("listens on"), { what: "the service listens" });
  return { child, url: /listens on (\S+)/.exec(printed)?.[1] ?? "" };
}

const isGone = async (url: string): Promise<boolean> =>
  await fetch(`${url}/healthz`).then(
    () => false,
    () => true,
  );
// The file that starts the command under a newer Node does so under an old one, and in a checkout under each.
const launcher = fileURLToPath(new URL("../../bin/rowmill.cjs", import.meta.url));

test.each([
  ["the command", [process.execPath, ...COMMAND]],
  ["the file that starts the command under a newer Node", [process.execPath, launcher]],
])("after kill -9 of %s no `rowmill server` goes on", async (_, program) => {
  const { child, url } = await startServer(newPlace(), program);
  expect(await isGone(url)).toBe(false);
  child.kill("SIGKILL");
  await waitFor(() => isGone(url), { what: "the service is gone" });
});
