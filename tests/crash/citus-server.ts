/** A Citus cluster as the database of a deployment: a coordinator, which the service knows, and two servers that have the large tables. */
import { execFile, execFileSync } from "node:child_process";
import { appendFileSync, chownSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client } from "pg";
import { findFreePort } from "@rowmill/server/platform/free-port";
import { addCitus } from "@rowmill/server/testing/citus";
import { findCitus } from "../../scripts/checks/citus.ts";
import type { ClusterNode, DatabaseServer } from "./database-server.ts";
import { until } from "./findings.ts";
import { findProcesses, signalIfThere } from "./processes.ts";

const run = promisify(execFile);

const NODES = ["coordinator", "node 1", "node 2"];
/** It starts in a second; only what hangs takes so long. */
const READY_BOUND_MS = 300_000;
const GONE_BOUND_MS = 120_000;

/** As a cluster is set up by its documentation; only a power cut, which nobody tries here, would need the disk. */
const SETTINGS = {
  listen_addresses: "'127.0.0.1'",
  unix_socket_directories: "''",
  shared_preload_libraries: "'citus'",
  max_connections: "200",
  max_prepared_transactions: "200",
  fsync: "off",
  "citus.node_conninfo": "'sslmode=disable'",
};

interface Node extends ClusterNode {
  url: string;
  ensure(): Promise<void>;
  signal(signal: NodeJS.Signals): void;
}

const started = new Set<Node>();
process.once("exit", () => {
  for (const node of started) {
    node.signal("SIGQUIT");
    // One that stands still ends only when it goes on.
    for (const pid of node.pids()) signalIfThere(pid, "SIGCONT");
  }
});

/** `folder` exists. */
export function createCitusServer(folder: string): DatabaseServer {
  const found = findCitus();
  if (found === undefined) throw new Error("the shape cluster needs Citus for PostgreSQL 15");
  const binaries = found;
  let made: Promise<[Node, ...Node[]]> | undefined;
  const nodes: ClusterNode[] = [];
  const make = async (): Promise<[Node, ...Node[]]> => {
    const [coordinator, ...others] = await Promise.all(NODES.map((name) => createNode(binaries, folder, name)));
    if (coordinator === undefined) throw new Error("a cluster has a coordinator");
    await Promise.all([coordinator, ...others].map((node) => node.ensure()));
    await addCitus({ url: coordinator.url, workers: others.map(({ url }) => url) });
    nodes.push(...others);
    return [coordinator, ...others];
  };
  const find = (): Promise<[Node, ...Node[]]> => (made ??= make());
  return {
    nodes,
    url: async () => (await find())[0].url,
    port: async () => Number(new URL((await find())[0].url).port),
    pid: async () => (await find())[0].pids()[0],
    postmasters: async () => (await find()).flatMap((node) => node.pids().slice(0, 1)),
    ensure: async () => void (await Promise.all((await find()).map((node) => node.ensure()))),
    async end(signal) {
      const [coordinator] = await find();
      coordinator.signal(signal);
      await until("PostgreSQL has ended", GONE_BOUND_MS, async () =>
        coordinator.pids().length === 0 ? true : undefined,
      );
    },
    async query<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
      const client = new Client({ connectionString: (await find())[0].url, connectionTimeoutMillis: 5_000 });
      // A connection that breaks later fails the statement that uses it.
      client.on("error", () => undefined);
      try {
        await client.connect();
        return (await client.query<Row>(text, values)).rows;
      } finally {
        await client.end().catch(() => undefined);
      }
    },
  };
}

async function createNode(binaries: string, folder: string, name: string): Promise<Node> {
  const data = join(folder, name.replace(" ", "-"));
  // PostgreSQL refuses to run as root.
  const user = process.getuid?.() === 0 ? accountOf("postgres") : undefined;
  mkdirSync(data, { mode: 0o700 });
  if (user !== undefined) chownSync(data, user.uid, user.gid);
  const options = { ...user, cwd: "/" };
  await run(
    join(binaries, "initdb"),
    ["-D", data, "-U", "postgres", "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C"],
    options,
  );
  const port = await findFreePort();
  appendFileSync(
    join(data, "postgresql.conf"),
    Object.entries({ port, ...SETTINGS })
      .map(([setting, value]) => `${setting} = ${value}\n`)
      .join(""),
  );
  const node: Node = {
    name,
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    pids: () => findServer(data),
    signal(signal) {
      for (const pid of node.pids().slice(0, 1)) process.kill(pid, signal);
    },
    async ensure() {
      started.add(node);
      // While processes of one that was killed are there, it does not start.
      await until(`${name} accepts connections`, READY_BOUND_MS, async () => {
        if (node.pids().length > 0 && (await isReady(binaries, port))) return true;
        return run(join(binaries, "pg_ctl"), ["-D", data, "-l", join(data, "log"), "-w", "start"], options).then(
          () => true as const,
          () => undefined,
        );
      });
    },
  };
  return node;
}

const isReady = (binaries: string, port: number): Promise<boolean> =>
  run(join(binaries, "pg_isready"), ["-h", "127.0.0.1", "-p", String(port), "-t", "5"]).then(
    () => true,
    () => false,
  );

/** The postmaster of the data directory and what it has started. */
function findServer(data: string): number[] {
  const processes = findProcesses();
  const postmaster = processes.find(
    ({ command }) => command.includes(`-D\0${data}\0`) || command.endsWith(`-D\0${data}`),
  );
  if (postmaster === undefined) return [];
  return [postmaster.pid, ...processes.filter(({ parent }) => parent === postmaster.pid).map(({ pid }) => pid)];
}

function accountOf(name: string): { uid: number; gid: number } {
  const ask = (option: string): number => Number(execFileSync("id", [option, name], { encoding: "utf8" }));
  return { uid: ask("-u"), gid: ask("-g") };
}
