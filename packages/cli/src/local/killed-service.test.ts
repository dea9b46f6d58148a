/** The command's own service is killed, ends, or has just ended: a command that comes then joins the next one or starts it. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { ServerResponse } from "node:http";
import { createServer as createTcpServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { waitFor } from "@rowmill/server/testing/wait";
import { expect, onTestFinished, test } from "vitest";
import { COMMAND, newLocalPlace, runCommand, startCommand } from "../testing/command-process.ts";
import type { Place } from "../testing/command-process.ts";
import type { LocalDirectory } from "./directories.ts";
import type { Control } from "./protocol.ts";

const ROWS = 30;

async function localPlace(): Promise<{ place: Place; directory: LocalDirectory }> {
  const { place, directory } = await newLocalPlace();
  const ids = Array.from({ length: ROWS }, (_, at) => `${at}\n`);
  writeFileSync(join(place.folder, "in.csv"), `id\n${ids.join("")}`);
  return { place, directory };
}

const readControl = ({ control }: LocalDirectory): Control => JSON.parse(readFileSync(control, "utf8")) as Control; // written by the supervisor

const childrenOf = (pid: number): number[] =>
  execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" })
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number))
    .flatMap(([child, parent]) => (child !== undefined && parent === pid ? [child] : []));

/** Rows of a table, in their order, each once. */
function expectWholeTable(place: Place): void {
  const lines = readFileSync(join(place.folder, "out.csv"), "utf8").trim().split("\n").slice(1);
  expect(lines.map((line) => line.split(",")[0])).toEqual(Array.from({ length: ROWS }, (_, at) => String(at)));
  expect(lines.every((line) => line.includes('"succeeded"'))).toBe(true);
}

test.each(["the service", "the process that starts it"])(
  "a command whose own service is killed starts it again and writes the whole table: kill -9 of %s",
  async (killed) => {
    const { place, directory } = await localPlace();
    const postponed: ServerResponse[] = [];
    let isOpen = false;
    const upstream = createServer((_, response) => {
      if (isOpen) response.end('{"ok":true}');
      else postponed.push(response);
    }).listen(0, "127.0.0.1");
    await once(upstream, "listening");
    onTestFinished(() => {
      upstream.closeAllConnections();
      upstream.close();
    });
    const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/{{id}}`;
    const map = startCommand(place, "map", "in.csv", "--http", `GET ${url}`, "--yes", "-o", "out.csv");
    await waitFor(() => postponed.length > 0, { what: `a row is in flight: ${map.output()}` });
    const { pid } = readControl(directory);
    for (const each of killed === "the service" ? childrenOf(pid) : [pid]) process.kill(each, "SIGKILL");
    await waitFor(() => map.output().includes("It is started again."), { what: "the command noticed" });
    isOpen = true;
    for (const response of postponed) response.end('{"ok":true}');
    const { code } = await map.ended;
    expect({ code, output: code === 0 ? "" : map.output() }).toEqual({ code: 0, output: "" });
    expectWholeTable(place);
  },
);

test("a service whose data another one has for a moment waits for them", async () => {
  const { place, directory } = await localPlace();
  mkdirSync(directory.root, { recursive: true, mode: 0o700 });
  const other = spawn(process.execPath, [...COMMAND, "server"], {
    cwd: place.folder,
    env: {
      ...place.environment,
      ROWMILL_PORT: "0",
      ROWMILL_METRICS_PORT: "off",
      ROWMILL_LOG_LEVEL: "error",
      ROWMILL_DATA_DIR: directory.data,
      ROWMILL_INIT_ORGANIZATION: "Local",
      ROWMILL_INIT_KEY_FILE: directory.key,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void other.kill("SIGKILL"));
  let printed = "";
  other.stdout.setEncoding("utf8").on("data", (text: string) => (printed += text));
  await waitFor(() => printed.includes("listens on"), { what: "the other service listens" });
  const map = startCommand(place, "map", "in.csv", "--mock", "-o", "out.csv");
  const log = (): string => readFileSync(directory.log, { encoding: "utf8", flag: "a+" });
  await waitFor(() => log().includes("Another Rowmill is running"), { what: "the data were taken" });
  other.kill("SIGTERM");
  expect(await map.ended).toMatchObject({ code: 0 });
  expectWholeTable(place);
});

test.each([
  ["is ending", '{"state":"ended","message":"The local service ended."}\n'],
  ["was killed, and whose port is another program's", "HTTP/1.1 400 Bad Request\r\n\r\n"],
])("a command that finds a service that %s starts its own", async (_, response) => {
  const { place, directory } = await localPlace();
  const found = createTcpServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => socket.end(response));
  }).listen(0, "127.0.0.1");
  await once(found, "listening");
  onTestFinished(() => void found.close());
  const { stdout } = await runCommand(place, "--version");
  mkdirSync(directory.root, { recursive: true, mode: 0o700 });
  const control = { pid: 1, port: (found.address() as AddressInfo).port, token: "token", version: stdout.trim() };
  writeFileSync(directory.control, JSON.stringify(control), { mode: 0o600 });
  expect(await runCommand(place, "map", "in.csv", "--mock", "-o", "out.csv")).toMatchObject({ code: 0 });
  expectWholeTable(place);
});
