/** A command and the supervisor of its local service, which is the test here: it says what it wants, and when. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { waitFor } from "@rowmill/server/testing/wait";
import { expect, onTestFinished, test } from "vitest";
import type { Cli } from "../frame/command.ts";
import { createOutput } from "../frame/output.ts";
import { Collected, terminalWith } from "../testing/in-process.ts";
import { localDirectory } from "./directories.ts";
import type { LocalDirectory } from "./directories.ts";
import { joinLocalService } from "./join.ts";
import { sendLine } from "./protocol.ts";

const VERSION = "0.0.0-test";
const URL_OF_SERVICE = "http://127.0.0.1:1";

async function newPlace() {
  const folder = mkdtempSync(join(tmpdir(), "rowmill-join-"));
  const environment = { XDG_DATA_HOME: folder };
  const directory = localDirectory(environment);
  mkdirSync(directory.root, { mode: 0o700 });
  const attached: Socket[] = [];
  const supervisor = createServer((socket) => {
    socket.on("error", () => undefined); // a command that leaves
    socket.resume();
    attached.push(socket);
    sendLine(socket, { state: "starting" });
  });
  await new Promise<void>((resolve) => supervisor.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of attached) socket.destroy();
    supervisor.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const { port } = supervisor.address() as AddressInfo; // of TCP
  writeFileSync(directory.control, JSON.stringify({ pid: process.pid, port, token: "token", version: VERSION }));
  const becomeReady = (): void => {
    for (const socket of attached) sendLine(socket, { state: "ready", url: URL_OF_SERVICE, isKept: true });
  };
  return { environment, directory, attached, becomeReady };
}

function newCli(environment: Record<string, string>, isWatched: boolean) {
  const stderr = new Collected();
  const terminal = {
    ...terminalWith({ stdout: new Collected(), stderr, environment, directory: "/" }),
    isWatched,
  };
  const output = createOutput(terminal, "text", false);
  const common = {};
  const { signal } = new AbortController();
  // What joining reads of it.
  return { cli: { terminal, output, common, signal, version: VERSION } as Partial<Cli> as Cli, stderr };
}

const writeKey = ({ key }: LocalDirectory): void => writeFileSync(key, "rmk_0123456789", { mode: 0o600 });

test("a person who watches sees that the service starts, and for how long; the line goes when it has started", async () => {
  const { environment, directory, becomeReady } = await newPlace();
  writeKey(directory);
  const { cli, stderr } = newCli(environment, true);
  const joining = joinLocalService(cli);
  await waitFor(() => /The local service starts \(\d+ s so far\)/.test(stderr.text), { what: "the line is drawn" });
  becomeReady();
  expect(await joining).toMatchObject({ url: URL_OF_SERVICE, apiKey: "rmk_0123456789" });
  expect(stderr.text).toMatch(/\r\u001b\[2K$/);
});

test("a key that is missing is named, and no further start is tried", async () => {
  const { environment, directory, attached, becomeReady } = await newPlace();
  const { cli, stderr } = newCli(environment, false);
  const joining = joinLocalService(cli);
  joining.catch(() => undefined); // expected below
  await waitFor(() => attached.length > 0, { what: "the command has joined" });
  becomeReady();
  await expect(joining).rejects.toMatchObject({
    code: "key_missing",
    message: `The key of the local service is missing (${directory.key}).`,
  });
  expect(attached).toHaveLength(1);
  expect(stderr.text).toBe("");
});
