/** A service of its own for a benchmark: one process, `main.ts`, on a database that the benchmark can use, too. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Rowmill } from "@rowmill/client";

export const ADMIN_KEY = "rma_benchmark00000000000000000000";

export interface BenchProcess {
  url: string;
  pid: number;
  stop(): Promise<void>;
}

export interface BenchService extends BenchProcess {
  apiKey: string;
  rowmill: Rowmill;
}

interface HowToStart {
  /** For profiles. */
  nodeOptions?: readonly string[];
  /** What the command begins with, to run it in another network. */
  commandPrefix?: readonly string[];
}

/** With an organization of its own. */
export async function startBenchService(settings: Record<string, string>, how: HowToStart = {}): Promise<BenchService> {
  const service = await startBenchProcess(settings, how);
  const apiKey = await createOrganizationKey(service.url, "Benchmark");
  return { ...service, apiKey, rowmill: new Rowmill({ apiKey, baseUrl: service.url }) };
}

/** The key of a new organization. */
export async function createOrganizationKey(url: string, name: string): Promise<string> {
  const admin = new Rowmill({ apiKey: ADMIN_KEY, baseUrl: url });
  const organization = await admin.organizations.create({ name });
  const { key } = await admin.organizations.apiKeys.create(organization.id, { name, scopes: ["*"] });
  if (key === undefined) throw new Error("the new key was not shown");
  return key;
}

/** Of any role. */
export async function startBenchProcess(
  settings: Record<string, string>,
  { nodeOptions = [], commandPrefix = [] }: HowToStart = {},
): Promise<BenchProcess> {
  const main = fileURLToPath(import.meta.resolve("@rowmill/server/main"));
  const command = [...commandPrefix, process.execPath, ...nodeOptions, "--conditions=@rowmill/source", main];
  const child = spawn(command[0] ?? "", command.slice(1), {
    env: {
      PATH: process.env["PATH"],
      ROWMILL_PORT: "0",
      ROWMILL_METRICS_PORT: "off",
      ROWMILL_ADMIN_KEY: ADMIN_KEY,
      ROWMILL_LOG_LEVEL: "warn",
      ...settings,
    },
    // With the channel, the service ends with this process, whatever ends it.
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
  child.channel?.unref();
  // A benchmark that fails takes its service along.
  process.once("exit", () => child.kill("SIGKILL"));
  const output = child.stdout;
  if (output === null) throw new Error("the service has no output");
  const url = await new Promise<string>((resolve, reject) => {
    createInterface(output).on("line", (line) => {
      const found = /listens on (http\S+)/.exec(line)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once("exit", (code) => reject(new Error(`the service ended with ${code}`)));
  });
  return {
    url,
    pid: child.pid ?? 0,
    async stop() {
      if (child.exitCode !== null) return;
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
}
