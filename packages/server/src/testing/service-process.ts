/** The service as a process of its own, for tests that kill it. */
import { execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { promisify } from "node:util";
import { inspectProcess, readPostmasterFile } from "../platform/database/embedded/postmaster-pid.ts";
import { createApi } from "./api.ts";
import type { Api } from "./api.ts";
import { cleanUpLater } from "./cleanup.ts";
import { shareCodeCache } from "./code-cache.ts";
import { compileCacheOf, moduleOf } from "./test-program.ts";
import { createOrganization, describeErrors } from "./service.ts";
import type { TestOrganization } from "./service.ts";
import { findCluster, findProgram } from "./test-database.ts";
import { waitFor } from "./wait.ts";

/** Making a database on a busy machine included. */
const START_TIMEOUT_MS = 240_000;

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface ServiceProcess {
  url: string;
  adminKey: string;
  /** Uses the admin key unless a request names another. */
  api: Api;
  pid: number;
  /** `startServiceProcess(first.settings)` starts again on the same data after a kill. */
  settings: Record<string, string>;
  /** By the admin key of the settings, or by the one that the process has made and printed. */
  newOrganization(adminKey?: string): Promise<TestOrganization>;
  kill(signal: NodeJS.Signals): void;
  exited: Promise<Exit>;
  /** Lines of both outputs so far. */
  logs(): string[];
  /** Ends it and its embedded database without ceremony; at the end of the file at the latest. */
  stop(): Promise<void>;
}

/** With a data directory and an embedded database of its own, with empty tables, unless `overrides` name others. */
export async function startServiceProcess(overrides: Record<string, string> = {}): Promise<ServiceProcess> {
  const settings: Record<string, string> = {
    ROWMILL_PORT: "0",
    ROWMILL_METRICS_PORT: "off",
    ROWMILL_ADMIN_KEY: `rma_test${randomBytes(16).toString("hex")}`,
    ROWMILL_TRANSFORM_THREADS: "1",
    // Tests ask faster than anybody; those of the limits set their own.
    ROWMILL_RATE_LIMIT_PER_MINUTE: "0",
    ROWMILL_MAX_REQUESTS_AT_ONCE: "100000",
    ...overrides,
  };
  if (settings["ROWMILL_DATA_DIR"] === undefined) {
    const folder = await newDataDirectory();
    if (settings["ROWMILL_DATABASE_URL"] === undefined)
      // With owners and modes, which Node's own copies lose.
      await promisify(execFile)("cp", ["-a", await findCluster(), join(folder, "postgres")]);
    settings["ROWMILL_DATA_DIR"] = folder;
  }
  const dataDirectory = settings["ROWMILL_DATA_DIR"];
  const { child, exited, logs, listening } = await spawnMain(settings);
  const stop = cleanUpLater(async () => {
    child.kill("SIGKILL");
    await exited;
    if (settings["ROWMILL_DATABASE_URL"] === undefined) await killEmbeddedDatabase(dataDirectory);
  });
  const url = await Promise.race([
    listening,
    exited.then(({ code, signal }) => {
      throw new Error(`the service ended with ${code ?? signal} at its start:\n${logs.join("\n")}`);
    }),
  ]);
  const adminKey = settings["ROWMILL_ADMIN_KEY"] ?? "";
  const logOf = (requestId: string): string => describeErrors(logs, requestId);
  const api = createApi(url, adminKey, logOf);
  return {
    url,
    adminKey,
    api,
    pid: child.pid ?? 0,
    settings,
    newOrganization: (made = adminKey) => createOrganization(url, createApi(url, made, logOf), logOf),
    kill: (signal) => void child.kill(signal),
    exited,
    logs: () => logs,
    stop,
  };
}

/** Runs `main.ts` to its end, for starts that are to be refused. */
export async function runMain(settings: Record<string, string>): Promise<Exit & { output: string }> {
  const { child, exited, logs } = await spawnMain(settings);
  const kill = cleanUpLater(async () => {
    child.kill("SIGKILL");
    await exited;
  });
  const timer = setTimeout(() => void kill(), START_TIMEOUT_MS);
  const exit = await exited;
  clearTimeout(timer);
  return { ...exit, output: logs.join("\n") };
}

/** Empty. Removed at the end of the file, with the embedded database that may run on it. */
export async function newDataDirectory(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "rowmill-process-"));
  cleanUpLater(async () => {
    await killEmbeddedDatabase(folder);
    await rm(folder, { recursive: true, force: true });
  });
  await shareCodeCache(folder);
  return folder;
}

async function spawnMain(settings: Record<string, string>) {
  const program = await findProgram();
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith("ROWMILL_") && name !== "NODE_OPTIONS");
  const child = spawn(
    process.execPath,
    ["--conditions=@rowmill/source", moduleOf(program, "packages/server/src/main.ts")],
    {
      env: { ...Object.fromEntries(own), NODE_COMPILE_CACHE: compileCacheOf(program), ...settings },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  const exited = once(child, "close").then(
    ([code, signal]): Exit => ({ code: code as number | null, signal: signal as NodeJS.Signals | null }), // as Node documents it
  );
  const logs: string[] = [];
  const listening = new Promise<string>((resolve, reject) => {
    const follow = (stream: Readable) =>
      createInterface(stream).on("line", (line) => {
        logs.push(line);
        const url = / listens on (http:\S+)$/.exec(line)?.[1];
        if (url !== undefined) resolve(url);
      });
    follow(child.stdout);
    follow(child.stderr);
    const timer = setTimeout(
      () => reject(new Error(`the service does not listen:\n${logs.join("\n")}`)),
      START_TIMEOUT_MS,
    );
    child.once("close", () => clearTimeout(timer));
    timer.unref();
  });
  // A caller that waits for it gets the error; a run to the end does not.
  listening.catch(() => undefined);
  return { child, exited, logs, listening };
}

/** The server outlives its Rowmill: `kill -9` must not reach it. Here it is to go, too. */
export async function killEmbeddedDatabase(dataDirectory: string): Promise<void> {
  const server = await readPostmasterFile(join(dataDirectory, "postgres", "cluster", "pgdata"));
  if (server === undefined || (await inspectProcess(server.pid)) !== "postgres") return;
  // Immediate shutdown: its children go with it, and nobody needs the data.
  process.kill(server.pid, "SIGQUIT");
  await waitFor(async () => (await inspectProcess(server.pid)) !== "postgres", { what: "PostgreSQL has ended" });
}
