/**
 * The oldest PostgreSQL that the service supports, as Debian installs it: a cluster for one step of the tests, which is gone
 * afterwards. Its planner and its defaults differ from those of the embedded one.
 */
import { execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { appendFileSync, chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findFreePort } from "../../packages/server/src/platform/free-port.ts";

const DEBIAN = "/usr/lib/postgresql/15/bin";
/** A cluster is made and started in two seconds; only what hangs takes so long. */
const START_TIMEOUT_MS = 600_000;

export interface Postgresql15 {
  connectionString: string;
  stop(): void;
}

export interface ServerOptions {
  /** Of PostgreSQL, by name. */
  settings?: Record<string, string>;
  authentication?: "scram-sha-256" | "trust";
}

/** The folder of its programs; undefined where it is not installed. */
export function findPostgresql15(): string | undefined {
  return [DEBIAN, askPgConfig()].find((folder) => folder !== undefined && isVersion15(folder));
}

/** `network`: also listens on that address of this machine, for clients in that range. */
export async function startPostgresql15(
  binaries: string,
  network?: { address: string; range: string },
  { settings: more = {}, authentication = "scram-sha-256" }: ServerOptions = {},
): Promise<Postgresql15> {
  const folder = mkdtempSync(join(tmpdir(), "rowmill-postgresql-15-"));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    // PostgreSQL refuses to run as root.
    const user = process.getuid?.() === 0 ? accountOf("postgres") : undefined;
    if (user !== undefined) chownSync(folder, user.uid, user.gid);
    const password = randomBytes(16).toString("hex");
    const passwordFile = join(folder, "password");
    writeFileSync(passwordFile, password);
    if (user !== undefined) chownSync(passwordFile, user.uid, user.gid);
    const data = join(folder, "data");
    const options = { ...user, cwd: folder, encoding: "utf8", timeout: START_TIMEOUT_MS } as const;
    execFileSync(
      join(binaries, "initdb"),
      ["-D", data, "-U", "postgres", "-A", authentication, "--pwfile", passwordFile, "--no-sync", "-E", "UTF8"],
      options,
    );
    if (network !== undefined)
      appendFileSync(join(data, "pg_hba.conf"), `host all all ${network.range} scram-sha-256\n`);
    const port = await findFreePort();
    const settings = {
      port,
      listen_addresses: ["127.0.0.1", ...(network === undefined ? [] : [network.address])].join(),
      unix_socket_directories: "",
      fsync: "off",
      synchronous_commit: "off",
      full_page_writes: "off",
      max_connections: 300,
      ...more,
    };
    const parameters = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    // It ends with this process, however that ends: then the pipe is closed.
    const server = spawn("/bin/sh", ["-c", GUARDED, folder, join(binaries, "postgres"), "-D", data, ...parameters], {
      ...user,
      cwd: tmpdir(),
      stdio: ["pipe", "ignore", "ignore"],
    });
    await untilReady(binaries, port);
    return {
      connectionString: `postgres://postgres:${password}@${network?.address ?? "127.0.0.1"}:${port}/postgres`,
      stop: () => server.stdin.end(),
    };
  } catch (error) {
    remove();
    throw error;
  }
}

/** `$0` is the folder, the rest the command. */
const GUARDED = '"$@" & server=$!; read -r closed; kill -INT "$server"; wait "$server"; rm -rf "$0"';

async function untilReady(binaries: string, port: number): Promise<void> {
  const until = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < until) {
    const probe = spawn(join(binaries, "pg_isready"), ["-h", "127.0.0.1", "-p", String(port), "-t", "1"], {
      stdio: "ignore",
    });
    const [exitCode] = (await once(probe, "exit")) as [number | null];
    if (exitCode === 0) return;
  }
  throw new Error("PostgreSQL 15 does not start");
}

function askPgConfig(): string | undefined {
  try {
    return execFileSync("pg_config", ["--bindir"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    // It is not installed.
    return undefined;
  }
}

function isVersion15(folder: string): boolean {
  if (!existsSync(join(folder, "initdb")) || !existsSync(join(folder, "postgres"))) return false;
  return /\(PostgreSQL\) 15\./.test(execFileSync(join(folder, "postgres"), ["--version"], { encoding: "utf8" }));
}

function accountOf(name: string): { uid: number; gid: number } {
  const ask = (option: string): number => Number(execFileSync("id", [option, name], { encoding: "utf8" }));
  return { uid: ask("-u"), gid: ask("-g") };
}
