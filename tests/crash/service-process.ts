/** One process of the service, which can be killed, stopped, and started again on the same port with the same settings. */
import { fork } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { findFreePort } from "@rowmill/server/platform/free-port";
import { prepareProgram } from "@rowmill/server/testing/make-program";
import { compileCacheOf, moduleOf } from "@rowmill/server/testing/test-program";

/** Recovery of the database included, on a machine that is ten times as slow. */
const START_TIMEOUT_MS = 300_000;
/** Of the log, for the report of a finding. */
const KEPT_LINES = 2_000;

const SOURCE = fileURLToPath(import.meta.resolve("@rowmill/server/main"));

export type Role = "all" | "api" | "worker";

export interface ServiceProcess {
  readonly name: string;
  readonly role: Role;
  readonly url: string;
  isRunning(): boolean;
  pid(): number;
  /** Begins to start it, if it does not run. */
  spawn(): void;
  /** Resolves when it listens; rejects where it ends before. */
  listening(): Promise<void>;
  signal(signal: NodeJS.Signals): void;
  exited(): Promise<unknown>;
  log(): readonly string[];
}

let prepared: Promise<string> | undefined;

/** Builds that are broken on purpose change the sources while they are loaded; others start from a few modules, in half of the time. */
async function findProgram(nodeOptions: readonly string[]) {
  if (nodeOptions.length > 0) return { main: SOURCE, environment: {} };
  const directory = await (prepared ??= prepareProgram());
  return {
    main: moduleOf(directory, "packages/server/src/main.ts"),
    environment: { NODE_COMPILE_CACHE: compileCacheOf(directory) },
  };
}

const children = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of children) child.kill("SIGKILL");
});

export interface ServiceOptions {
  name: string;
  role: Role;
  settings: Record<string, string>;
  /** Of the process, beside its settings. */
  environment?: Record<string, string>;
  /** Options of Node. */
  nodeOptions?: readonly string[];
}

export async function createServiceProcess(options: ServiceOptions): Promise<ServiceProcess> {
  const { name, role, settings, environment = {}, nodeOptions = [] } = options;
  const port = await findFreePort();
  const program = await findProgram(nodeOptions);
  const lines: string[] = [];
  let child: ChildProcess | undefined;
  let listening: Promise<void> = Promise.resolve();

  const isRunning = (): boolean => child !== undefined && child.exitCode === null && child.signalCode === null;
  return {
    name,
    role,
    url: `http://127.0.0.1:${port}`,
    isRunning,
    pid: () => child?.pid ?? 0,
    spawn() {
      if (isRunning()) return;
      // The channel ends the service with this program.
      const started = fork(program.main, {
        execArgv: ["--conditions=@rowmill/source", ...nodeOptions],
        env: {
          PATH: process.env["PATH"],
          ...environment,
          ...program.environment,
          ROWMILL_ROLE: role,
          ROWMILL_PORT: String(port),
          ROWMILL_METRICS_PORT: "off",
          ...settings,
        },
        stdio: ["ignore", "pipe", "pipe", "ipc"],
      });
      child = started;
      children.add(started);
      started.once("exit", () => children.delete(started));
      for (const stream of [started.stdout, started.stderr])
        stream?.on("data", (text: Buffer) => {
          lines.push(...text.toString().split("\n").filter(Boolean));
          lines.splice(0, Math.max(0, lines.length - KEPT_LINES));
        });
      listening = waitUntilListening(started, name, lines);
      // A caller that waits for it gets the error.
      listening.catch(() => undefined);
    },
    listening: () => listening,
    signal: (signal) => void child?.kill(signal),
    exited: async () => {
      if (child !== undefined && isRunning()) await once(child, "exit");
    },
    log: () => lines,
  };
}

async function waitUntilListening(child: ChildProcess, name: string, lines: readonly string[]): Promise<void> {
  const ended = new AbortController();
  try {
    await Promise.race([
      once(child, "message", { signal: AbortSignal.any([ended.signal, AbortSignal.timeout(START_TIMEOUT_MS)]) }),
      once(child, "exit", { signal: ended.signal }).then(() => {
        throw new Error(`${name} ended at its start:\n${lines.slice(-20).join("\n")}`);
      }),
    ]);
  } finally {
    ended.abort();
  }
}
