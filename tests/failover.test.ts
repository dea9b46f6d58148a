/**
 * A primary and its standby, as PostgreSQL replicates: the primary is lost, the standby is promoted, and the service follows. With
 * synchronous replication nothing that was acknowledged is missing.
 */
import { execFileSync, spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { cleanUpLater } from "@rowmill/server/testing/cleanup";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "@rowmill/server/testing/factories";
import { startTestService } from "@rowmill/server/testing/service";
import { waitFor } from "@rowmill/server/testing/wait";
import { findPostgresql15 } from "../scripts/checks/postgresql-15.ts";

const binaries = findPostgresql15();
const FOLLOWED_MS = 10_000;
const ROWS = 400;

interface Cluster {
  port: number;
  data: string;
  process: ChildProcess;
}

const name = "a promoted standby";
describe.skipIf(binaries === undefined)(
  binaries === undefined ? `${name} (skipped: PostgreSQL 15 is not installed)` : name,
  () => {
    test.each(["SIGKILL", "SIGSTOP"] as const)(
      "takes over from a primary that got %s: runs go on, and what was acknowledged is there",
      async (signal) => {
        const pair = await startPair(binaries ?? "");
        const { primary, standby } = pair;
        const service = await startTestService({
          ROWMILL_DATABASE_URL: `postgres://postgres@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/postgres`,
          ROWMILL_CHUNK_ROWS: "20",
        });
        const { api } = await service.newOrganization();
        const dataset = await newDataset(api, numberedRows(ROWS));
        const spec = await newJobSpec(api, { type: "mock", delayMs: 200 }, { concurrency: 10 });
        const run = await newRun(api, { datasetId: dataset.id, jobSpecId: spec.id });
        const acknowledged: string[] = [];
        const refusals = new Set([503]);
        const create = async (): Promise<boolean> => {
          const answer = await api("POST", "/v1/job-specs", { body: { name: "x", processor: { type: "mock" } } });
          if (answer.status === 201) acknowledged.push(answer.body.id);
          else refusals.add(answer.status);
          return answer.status === 201;
        };
        for (let i = 0; i < 5; i++) expect(await create()).toBe(true);

        primary.process.kill(signal);
        pair.promote();
        const promotedAt = Date.now();
        await waitFor(create, { what: "the service writes again" });
        expect(Date.now() - promotedAt).toBeLessThan(FOLLOWED_MS * 2); // twice what is promised, on a busy machine
        // A primary that was only silent comes back, and still takes itself for the primary.
        if (signal === "SIGSTOP") primary.process.kill("SIGCONT");

        for (const id of acknowledged) expect((await api("GET", `/v1/job-specs/${id}`)).status).toBe(200);
        const finished = await finishedRun(api, run.id, 120_000);
        expect(finished.rows).toMatchObject({ total: ROWS, succeeded: ROWS, failed: 0 });
        for (let i = 0; i < 5; i++) expect(await create()).toBe(true);
        for (const id of acknowledged) expect((await api("GET", `/v1/job-specs/${id}`)).status).toBe(200);
        expect([...refusals]).toEqual([503]);
        await service.stop();
      },
    );
  },
);

/** With synchronous replication once the standby is there. Both end with the test. */
async function startPair(folder: string): Promise<{ primary: Cluster; standby: Cluster; promote: () => void }> {
  const home = mkdtempSync(join(tmpdir(), "rowmill-failover-"));
  cleanUpLater(async () => rmSync(home, { recursive: true, force: true }));
  const user = process.getuid?.() === 0 ? { uid: idOf("-u"), gid: idOf("-g") } : undefined;
  if (user !== undefined) chownSync(home, user.uid, user.gid);
  const run = (program: string, args: string[]): void =>
    void execFileSync(join(folder, program), args, { ...user, cwd: home, stdio: ["ignore", "ignore", "pipe"] });
  const start = async (data: string): Promise<Cluster> => {
    const port = await freePort();
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
  const source = `postgres://postgres@127.0.0.1:${primary.port}?application_name=second`;
  run("pg_basebackup", ["-d", source, "-D", second, ...copyOptions]);
  const standby = await start(second);
  const sql = (text: string): void =>
    run("psql", ["-q", "-c", text, `postgres://postgres@127.0.0.1:${primary.port}/postgres`]);
  sql("alter system set synchronous_standby_names = '*'");
  sql("select pg_reload_conf()");
  return { primary, standby, promote: () => run("pg_ctl", ["promote", "-D", standby.data, "--no-wait"]) };
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

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // it listens on TCP
  server.close();
  await once(server, "close");
  return port;
}
