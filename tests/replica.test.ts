/** Exports read from a standby what it has, and from the primary what it has not, or when it is away. */
import { execFileSync } from "node:child_process";
import { Client } from "pg";
import { describe, expect, test } from "vitest";
import type { Api } from "@rowmill/server/testing/api";
import { cleanUpLater } from "@rowmill/server/testing/cleanup";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "@rowmill/server/testing/factories";
import { startTestService } from "@rowmill/server/testing/service";
import { waitFor } from "@rowmill/server/testing/wait";
import { uuidOf } from "@rowmill/server/platform/ids";
import { findPostgresql15 } from "../scripts/checks/postgresql-15.ts";
import { startPair } from "./support/replication.ts";

const binaries = findPostgresql15();
const ROWS = 60;

const name = "a replica for reads";
describe.skipIf(binaries === undefined)(
  binaries === undefined ? `${name} (skipped: PostgreSQL 15 is not installed)` : name,
  () => {
    test("serves exports with all that was acknowledged; the primary does where it is behind or away", async () => {
      const { primary, standby } = await startPair(binaries ?? "", { isSynchronous: false });
      const [primaryUrl, standbyUrl] = [primary, standby].map(
        ({ port }) => `postgres://postgres@127.0.0.1:${port}/postgres`,
      );
      const service = await startTestService({
        ROWMILL_DATABASE_URL: primaryUrl ?? "",
        ROWMILL_DATABASE_REPLICA_URL: standbyUrl ?? "",
        ROWMILL_CHUNK_ROWS: "20",
      });
      const { api } = await service.newOrganization();
      const dataset = await newDataset(api, numberedRows(ROWS));
      const spec = await newJobSpec(api, { type: "mock" });
      const client = new Client({ connectionString: standbyUrl });
      // It ends with its server, below.
      client.on("error", () => undefined);
      await client.connect();
      cleanUpLater(() => client.end());
      const exportedRows = () => exportNewRun(api, dataset.id, spec.id);
      /** Of the standby: each read of a page of results uses an index of their table. */
      const readsOfStandby = async (): Promise<number> => {
        const { rows } = await client.query<{ reads: number }>(
          "select (coalesce(seq_scan, 0) + coalesce(idx_scan, 0))::int as reads from pg_stat_user_tables where relname = 'run_segments'",
        );
        return rows[0]?.reads ?? 0;
      };

      expect(await readsOfStandby()).toBe(0);
      expect(await exportedRows()).toBe(ROWS);
      await waitFor(async () => (await readsOfStandby()) > 0, { what: "the standby has counted the reads" });

      // A session may count its last reads seconds later, and at its end in any case.
      await client.query(
        "select pg_terminate_backend(pid, 60000) from pg_stat_activity where application_name like 'rowmill%'",
      );
      // Behind: it gets what the primary writes, and does not replay it.
      await client.query("select pg_wal_replay_pause()");
      const before = await readsOfStandby();
      expect(await exportedRows()).toBe(ROWS);
      expect(await readsOfStandby()).toBe(before);

      await client.query("select pg_wal_replay_resume()");
      const pids = processesOf(standby.process.pid);
      for (const pid of pids) process.kill(pid, "SIGSTOP");
      try {
        expect(await exportedRows()).toBe(ROWS);
        expect(service.logs().join("\n")).toContain("the replica has not responded in 10 seconds");
      } finally {
        for (const pid of pids) process.kill(pid, "SIGCONT");
      }

      standby.process.kill("SIGKILL");
      expect(await exportedRows()).toBe(ROWS);
      await service.stop();
    });

    test("does not serve those of a primary that it does not follow, however far its own log is", async () => {
      const pair = await startPair(binaries ?? "", { isSynchronous: false });
      const third = await pair.addStandby();
      const urlOf = ({ port }: { port: number }): string => `postgres://postgres@127.0.0.1:${port}/postgres`;
      const service = await startTestService({
        ROWMILL_DATABASE_URL: `postgres://postgres@127.0.0.1:${pair.primary.port},127.0.0.1:${pair.standby.port}/postgres`,
        ROWMILL_DATABASE_REPLICA_URL: urlOf(third),
      });
      const { api } = await service.newOrganization();
      const dataset = await newDataset(api, numberedRows(ROWS));
      const spec = await newJobSpec(api, { type: "mock" });
      expect(await exportNewRun(api, dataset.id, spec.id)).toBe(ROWS);

      const [old, promoted, replica] = await Promise.all(
        [pair.primary, pair.standby, third].map(async (server) => {
          const client = new Client({ connectionString: urlOf(server) });
          client.on("error", () => undefined);
          await client.connect();
          cleanUpLater(() => client.end());
          return async <Value>(text: string): Promise<Value | undefined> =>
            (await client.query<{ value: Value }>(text)).rows[0]?.value;
        }),
      );
      pair.promote();
      await waitFor(
        async () => {
          const { status, body } = await api("POST", "/v1/job-specs", {
            body: { name: "x", processor: { type: "mock" } },
          });
          return (
            status === 201 &&
            (await promoted?.(`select true as value from job_specs where id::text = '${uuidOf("jobSpec", body.id)}'`))
          );
        },
        { what: "the service writes to the promoted standby" },
      );
      // The old primary lives, and somebody else writes to it.
      const end = await old?.<string>(
        "select pg_logical_emit_message(false, 'x', repeat(md5('x'), 1000000))::text as value",
      );
      await waitFor(async () => replica?.<boolean>(`select pg_last_wal_replay_lsn() >= '${end}' as value`), {
        what: "the other standby follows the old primary",
      });
      expect(await exportNewRun(api, dataset.id, spec.id)).toBe(ROWS);
      // Once for each attempt: on a busy machine an export may have several.
      expect(service.logs().join("\n")).toContain("another timeline");
      await service.stop();
    });
  },
);

/** Of a PostgreSQL: first the one that starts the others. */
function processesOf(postmaster = 0): number[] {
  const children = execFileSync("ps", ["-o", "pid=", "--ppid", String(postmaster)], { encoding: "utf8" });
  return [postmaster, ...children.trim().split(/\s+/).map(Number)];
}

/** How many rows its file has. */
async function exportNewRun(api: Api, datasetId: string, jobSpecId: string): Promise<number> {
  const run = await newRun(api, { datasetId, jobSpecId });
  await finishedRun(api, run.id);
  const { body } = await api("POST", `/v1/runs/${run.id}/exports`, { body: { type: "outputs", format: "jsonl" } });
  const ready = await waitFor(
    async () => {
      const { body: now } = await api("GET", `/v1/exports/${body.id}`);
      return now.status === "ready" ? now : undefined;
    },
    { what: "the export is ready" },
  );
  return Number(ready.rowCount);
}
