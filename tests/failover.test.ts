/**
 * A primary and its standby, as PostgreSQL replicates: the primary is lost, the standby is promoted, and the service follows. With
 * synchronous replication nothing that was acknowledged is missing. How long it takes is measured by `npm run bench failover`.
 */
import { describe, expect, test } from "vitest";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "@rowmill/server/testing/factories";
import { startTestService } from "@rowmill/server/testing/service";
import { waitFor } from "@rowmill/server/testing/wait";
import { findPostgresql15 } from "../scripts/checks/postgresql-15.ts";
import { startPair } from "./support/replication.ts";

const binaries = findPostgresql15();
const ROWS = 400;

const name = "a promoted standby";
describe.skipIf(binaries === undefined)(
  binaries === undefined ? `${name} (skipped: PostgreSQL 15 is not installed)` : name,
  () => {
    test.each(["SIGKILL", "SIGSTOP"] as const)(
      "takes over from a primary that got %s: runs go on, and what was acknowledged is there",
      async (signal) => {
        const pair = await startPair(binaries ?? "", { isSynchronous: true });
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
          const response = await api("POST", "/v1/job-specs", { body: { name: "x", processor: { type: "mock" } } });
          if (response.status === 201) acknowledged.push(response.body.id);
          else refusals.add(response.status);
          return response.status === 201;
        };
        for (let i = 0; i < 5; i++) expect(await create()).toBe(true);

        primary.process.kill(signal);
        pair.promote();
        await waitFor(create, { what: "the service writes again" });
        // A primary that was only silent comes back, and still takes itself for the primary.
        if (signal === "SIGSTOP") primary.process.kill("SIGCONT");

        for (const id of acknowledged) expect((await api("GET", `/v1/job-specs/${id}`)).status).toBe(200);
        const finished = await finishedRun(api, run.id, 240_000);
        expect(finished.rows).toMatchObject({ total: ROWS, succeeded: ROWS, failed: 0 });
        for (let i = 0; i < 5; i++) expect(await create()).toBe(true);
        for (const id of acknowledged) expect((await api("GET", `/v1/job-specs/${id}`)).status).toBe(200);
        expect([...refusals]).toEqual([503]);
        await service.stop();
      },
    );
  },
);
