/** Exports read from a standby what it has, and from the primary what it has not, or when it is away. */
import { Client } from "pg";
import { describe, expect, test } from "vitest";
import { cleanUpLater } from "@rowmill/server/testing/cleanup";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "@rowmill/server/testing/factories";
import { startTestService } from "@rowmill/server/testing/service";
import { waitFor } from "@rowmill/server/testing/wait";
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
      const exportedRows = async (): Promise<number> => {
        const run = await newRun(api, { datasetId: dataset.id, jobSpecId: spec.id });
        await finishedRun(api, run.id);
        const { body } = await api("POST", `/v1/runs/${run.id}/exports`, {
          body: { type: "outputs", format: "jsonl" },
        });
        const ready = await waitFor(
          async () => {
            const { body: now } = await api("GET", `/v1/exports/${body.id}`);
            return now.status === "ready" ? now : undefined;
          },
          { what: "the export is ready" },
        );
        return Number(ready.rowCount);
      };
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

      // Behind: it gets what the primary writes, and does not replay it.
      await client.query("select pg_wal_replay_pause()");
      const before = await readsOfStandby();
      expect(await exportedRows()).toBe(ROWS);
      expect(await readsOfStandby()).toBe(before);

      standby.process.kill("SIGKILL");
      expect(await exportedRows()).toBe(ROWS);
      await service.stop();
    });
  },
);
