/** The receivers of `examples/receivers`, started as a customer starts them. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { vi } from "vitest";
import { cleanUpLater } from "@rowmill/server/testing/cleanup";
import { waitFor } from "@rowmill/server/testing/wait";
import type { SignedDelivery } from "./signed-deliveries.ts";

/** A compiler or interpreter on a busy machine included. */
const START_TIMEOUT_MS = 240_000;

export const receiversFolder = fileURLToPath(new URL("../../examples/receivers/", import.meta.url));

export interface RunningReceiver {
  /** Sends a delivery; returns the status. */
  deliver(delivery: SignedDelivery): Promise<number>;
  /** Ids and types of the events it has accepted so far, in their order. */
  accepted(): string[];
}

export interface Program {
  command: string;
  args: string[];
  /** Inside `examples/receivers`. */
  folder: string;
}

/** Starts it on a port of its own choice, which it prints; it is ended with the test file. */
export async function startReceiverProgram(
  program: Program,
  secret: string,
): Promise<RunningReceiver & { url: string }> {
  const lines: string[] = [];
  const child = spawn(program.command, program.args, {
    cwd: receiversFolder + program.folder,
    env: { ...process.env, SIGNING_SECRET: secret, PORT: "0", PYTHONUNBUFFERED: "1", PYTHONDONTWRITEBYTECODE: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exited = once(child, "exit").then(() => {
    throw new Error(`the receiver ended:\n${lines.join("\n")}`);
  });
  exited.catch(() => {});
  cleanUpLater(async () => {
    child.kill("SIGKILL");
    await exited.catch(() => {});
  });
  for (const output of [child.stdout, child.stderr])
    createInterface({ input: output }).on("line", (line) => lines.push(line));
  const findPort = () => lines.map((line) => /127\.0\.0\.1:([1-9]\d*)/.exec(line)?.[1]).find((port) => port);
  const options = { timeoutMs: START_TIMEOUT_MS, what: "the receiver listens" };
  const port = await Promise.race([exited, waitFor(findPort, options)]);
  const url = `http://127.0.0.1:${port}/hooks/rowmill`;
  return {
    url,
    deliver: async ({ headers, body }) => (await fetch(url, { method: "POST", headers, body })).status,
    accepted: () => acceptedIn(lines),
  };
}

/** A handler of requests, as a framework calls it. */
export function receiveWith(handle: (request: Request) => Promise<Response>): RunningReceiver {
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  return {
    deliver: async ({ headers, body }) => {
      const request = new Request("https://hooks.example.com/hooks/rowmill", { method: "POST", headers, body });
      return (await handle(request)).status;
    },
    accepted: () => acceptedIn(log.mock.calls.map((parts) => parts.join(" "))),
  };
}

const acceptedIn = (lines: readonly string[]): string[] =>
  lines.flatMap((line) => /^accepted (\S+ \S+)$/.exec(line)?.[1] ?? []);

/** Whether the command is there and succeeds. */
export const canRun = (command: string, ...args: string[]): boolean =>
  spawnSync(command, args, { stdio: "ignore", timeout: START_TIMEOUT_MS }).status === 0;
