/** The start of a run writes its chunks: workers that die in the middle of it, and several that try it at once. */
import { randomBytes } from "node:crypto";
import { Client } from "pg";
import { expect, test } from "vitest";
import type { Output } from "@rowmill/contract/run-results";
import { createApi } from "../../testing/api.ts";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "../../testing/factories.ts";
import { startServiceProcess } from "../../testing/service-process.ts";
import { createMigratedDatabase } from "../../testing/test-database.ts";
import { waitFor } from "../../testing/wait.ts";
import { eventTypes, getRun, readAll } from "../../resources/runs/runs-testing.ts";

/** A lane whose worker was killed is taken again about ten seconds later. */
const SLOW_TEST_MS = 600_000;

test(
  "a run whose workers are killed while they write its chunks starts again, once, and has one result for each row",
  async () => {
    const ROWS = 400;
    const database = await createMigratedDatabase();
    const settings = {
      ROWMILL_DATABASE_URL: database.url,
      ROWMILL_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
      ROWMILL_ADMIN_KEY: `rma_test${randomBytes(16).toString("hex")}`,
      ROWMILL_DATABASE_CONNECTIONS: "8",
      ROWMILL_CHUNK_ROWS: "20",
    };
    const workers = await Promise.all([startServiceProcess(settings), startServiceProcess(settings)]);
    const [one] = workers;
    const { api, apiKey } = await one.newOrganization();
    const dataset = await newDataset(api, numberedRows(ROWS));
    const spec = await newJobSpec(api, { type: "mock" });
    const client = new Client({ connectionString: database.url });
    await client.connect();
    const count = async (text: string): Promise<number> =>
      (await client.query<{ count: number }>(`select count(*)::int from ${text}`)).rows[0]?.count ?? 0;

    // Creating the run passes the lock, since it writes no chunk; starting it waits there.
    await client.query("begin");
    await client.query("lock table run_chunks in share mode");
    const run = await newRun(api, { datasetId: dataset.id, jobSpecId: spec.id });
    // Other databases of the server have a relation of the same number.
    const locks =
      "pg_locks where relation = 'run_chunks'::regclass and database = (select oid from pg_database where datname = current_database())";
    await waitFor(async () => (await count(`${locks} and not granted`)) > 0, {
      what: "a lane writes the chunks",
    });
    for (const worker of workers) worker.kill("SIGKILL");
    await Promise.all(workers.map(({ exited }) => exited));
    await client.query("rollback");
    await waitFor(async () => (await count(locks)) === 0, {
      what: "the transactions of the dead have ended",
    });
    expect(await count("run_chunks")).toBe(0);
    expect(await count("runs where state = 'queued' and not chunks_made")).toBe(1);

    const others = await Promise.all([startServiceProcess(settings), startServiceProcess(settings)]);
    const [other] = others;
    const again = createApi(other.url, apiKey, () => other.logs().join("\n"));
    expect((await getRun(again, run.id)).rows).toMatchObject({ total: ROWS });
    expect(await finishedRun(again, run.id)).toMatchObject({ state: "succeeded", rows: { succeeded: ROWS } });
    expect(await eventTypes(again, run.id)).toEqual(["run.created", "run.started", "run.succeeded", "run.finished"]);
    const outputs = await readAll<Output>(again, `/v1/runs/${run.id}/outputs`);
    expect(outputs.map(({ index }) => index)).toEqual(Array.from({ length: ROWS }, (_unused, i) => i));
    expect(await count("run_chunks")).toBe(ROWS / 20);
    await client.end();
    await Promise.all(others.map((worker) => worker.stop()));
    await database.drop();
  },
  SLOW_TEST_MS,
);
