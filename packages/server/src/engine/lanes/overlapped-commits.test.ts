/** A lane that computes does not wait for the commit of a chunk: it works on the next one meanwhile. */
import { Client } from "pg";
import { expect, test } from "vitest";
import type { Output } from "@rowmill/contract/run-results";
import { cleanUpLater } from "../../testing/cleanup.ts";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "../../testing/factories.ts";
import { startTestService } from "../../testing/service.ts";
import { waitFor } from "../../testing/wait.ts";
import { getRun, readAll } from "../../resources/runs/runs-testing.ts";

const CHUNK_ROWS = 10;
const CHUNKS = 20;
/** Until so many have succeeded, a run may turn out to be broken, and a lane has one chunk at a time. */
const FIRST_ROWS = 50;

test("a computing lane begins the next chunk while one is committed, and no third", async () => {
  const service = await startTestService({ ROWMILL_CHUNK_ROWS: String(CHUNK_ROWS) });
  const { api } = await service.newOrganization();
  const dataset = await newDataset(api, numberedRows(CHUNKS * CHUNK_ROWS));
  const spec = await newJobSpec(api, { type: "mock", delayMs: 20 });
  const client = new Client({ connectionString: service.settings["ROWMILL_DATABASE_URL"] });
  await client.connect();
  cleanUpLater(() => client.end());
  const count = async (text: string): Promise<number> =>
    (await client.query<{ count: number }>(`select count(*)::int from ${text}`)).rows[0]?.count ?? 0;

  const run = await newRun(api, { datasetId: dataset.id, jobSpecId: spec.id, concurrency: 1 });
  await waitFor(async () => (await getRun(api, run.id)).rows.succeeded >= FIRST_ROWS, { what: "the first rows" });
  // Claims pass the lock; commits wait for it.
  await client.query("begin");
  await client.query("lock table run_segments in share mode");
  const waitingCommits =
    "pg_locks where relation = 'run_segments'::regclass and not granted and database = (select oid from pg_database where datname = current_database())";
  await waitFor(async () => (await count(waitingCommits)) === 2, { what: "two commits wait" });
  expect(await count("run_chunks where state = 'running'")).toBe(2);
  await client.query("rollback");

  const rows = CHUNKS * CHUNK_ROWS;
  expect(await finishedRun(api, run.id)).toMatchObject({ state: "succeeded", rows: { succeeded: rows } });
  const outputs = await readAll<Output>(api, `/v1/runs/${run.id}/outputs`);
  expect(outputs.map(({ index }) => index)).toEqual(Array.from({ length: rows }, (_unused, i) => i));
});
