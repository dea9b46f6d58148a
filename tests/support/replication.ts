/** A PostgreSQL 15 and a standby of it, by streaming replication, for tests. */
import { execFileSync, spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cleanUpLater } from "@rowmill/server/testing/cleanup";
import { waitFor } from "@rowmill/server/testing/wait";
import { findFreePort } from "@rowmill/server/platform/free-port";

interface Cluster {
  port: number;
  data: string;
  process: ChildProcess;
}

interface Pair {
  primary: Cluster;
  standby: Cluster;
  promote: () => void;
  /** Another standby of the primary, which follows no promotion. */
  addStandby: () => Promise<Cluster>;
}

/** Synchronous: from when the standby is there. Both end with the test. */
export async function startPair(folder: string, { isSynchronous }: { isSynchronous: boolean }): Promise<Pair> {
  const home = mkdtempSync(join(tmpdir(), "rowmill-failover-"));
  cleanUpLater(async () => rmSync(home, { recursive: true, force: true }));
  const user = process.getuid?.() === 0 ? { uid: idOf("-u"), gid: idOf("-g") } : undefined;
  if (user !== undefined) chownSync(home, user.uid, user.gid);
  const run = (program: string, args: string[]): void =>
    void execFileSync(join(folder, program), args, { ...user, cwd: home, stdio: ["ignore", "ignore", "pipe"] });
  const start = async (data: string): Promise<Cluster> => {
    const port = await findFreePort();
    const settings = ["-p", String(port), "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="];
    const child = spawn(join(folder, "postgres"), ["-D", data, ...settings], { ...user, cwd: home, stdio: "ignore" });
    cleanUpLater(async () => {
      child.kill("SIGCONT");
      child.kill("SIGQUIT");
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    });
    await waitFor(() => isReady(folder, port), { what: "PostgreSQL is ready" });
    return { port, data, process: child };
  };
  const first = join(home, "first");
  const second = join(home, "second");
  run("initdb", ["-D", first, "-U", "postgres", "-A", "trust", "--no-sync", "-E", "UTF8"]);
  writeFileSync(join(first, "postgresql.auto.conf"), "max_connections = 100\nwal_level = replica\n", { flag: "a" });
  const primary = await start(first);
  const copyOptions = "-R -X stream --no-sync --checkpoint=fast".split(" ");
  const copy = async (data: string, name: string): Promise<Cluster> => {
    const source = `postgres://postgres@127.0.0.1:${primary.port}?application_name=${name}`;
    run("pg_basebackup", ["-d", source, "-D", data, ...copyOptions]);
    return start(data);
  };
  const standby = await copy(second, "second");
  const sql = (text: string): void =>
    run("psql", ["-q", "-c", text, `postgres://postgres@127.0.0.1:${primary.port}/postgres`]);
  if (isSynchronous) {
    sql("alter system set synchronous_standby_names = '*'");
    sql("select pg_reload_conf()");
  }
  return {
    primary,
    standby,
    promote: () => run("pg_ctl", ["promote", "-D", standby.data, "--no-wait"]),
    addStandby: () => copy(join(home, "third"), "third"),
  };
}

function isReady(folder: string, port: number): boolean {
  try {
    execFileSync(join(folder, "pg_isready"), ["-h", "127.0.0.1", "-p", String(port), "-t", "1"], { stdio: "ignore" });
    return true;
  } catch {
    // Not yet.
    return false;
  }
}

const idOf = (option: string): number => Number(execFileSync("id", [option, "postgres"], { encoding: "utf8" }));
