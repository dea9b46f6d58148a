/** Two processes that delete the same dataset or run at the same time: whichever ends first leaves nothing that nobody finds. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "../testing/factories.ts";
import { startTestService } from "../testing/service.ts";
import type { TestOrganization, TestService } from "../testing/service.ts";
import { parseId } from "../platform/ids.ts";
import { waitFor } from "../testing/wait.ts";
import { purgeDeletedDatasets } from "../resources/datasets/datasets.tasks.ts";
import { purgeDeletedRuns } from "./runs.tasks.ts";
import { openWorkerByHand } from "./worker-by-hand-testing.ts";
import type { WorkerByHand } from "./worker-by-hand-testing.ts";

/** More chunks than one statement deletes. */
const CHUNKS = 1_001;
const CHUNKS_AT_ONCE = 1_000;
/** The same of segments. */
const SEGMENTS = 2_001;
const SEGMENTS_AT_ONCE = 2_000;

let service: TestService;
let organization: TestOrganization;
let worker: WorkerByHand;
beforeAll(async () => {
  const first = await startTestService({ ROWMILL_CHUNK_ROWS: "1" });
  organization = await first.newOrganization();
  const dataset = await newDataset(organization.api, numberedRows(CHUNKS));
  const run = await newRun(organization.api, {
    datasetId: dataset.id,
    jobSpecId: (await newJobSpec(organization.api)).id,
    scope: { type: "limit", count: 1 },
  });
  expect(await finishedRun(organization.api, run.id)).toMatchObject({ state: "succeeded" });
  await first.stop();
  // Nobody purges but the test.
  service = await startTestService({ ...first.settings, ROWMILL_ROLE: "api" });
  worker = await openWorkerByHand(service.settings["ROWMILL_DATABASE_URL"] ?? "");
  deleted = { datasetId: parseId("dataset", dataset.id) ?? "", runId: parseId("run", run.id) ?? "" };
});
afterAll(() => worker.close());

let deleted: { datasetId: string; runId: string };

/** `remove` is what another process has begun to delete, and commits once `purge` waits for it. */
async function purgeBeside(remove: string, id: string, purge: () => Promise<void>): Promise<void> {
  const other = await worker.database.pool.connect();
  try {
    await other.query("begin");
    await other.query(remove, [id]);
    const purged = purge();
    const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    await waitFor(async () => (await service.query(waiting)).length > 0, { what: "the purge waits for the other one" });
    await other.query("commit");
    await purged;
  } finally {
    other.release();
  }
}

const countOf = async (table: string, column: string, id: string): Promise<number> =>
  (await service.query<{ count: number }>(`select count(*)::int as count from ${table} where ${column} = $1`, [id]))[0]
    ?.count ?? -1;

test("a run stays until another process has deleted its results", async () => {
  const { runId } = deleted;
  await service.query(
    `insert into run_segments select (jsonb_populate_record(s, jsonb_build_object('part_no', 1000 + n))).*
     from run_segments s, generate_series(1, ${SEGMENTS} - 1) n where run_id = $1`,
    [runId],
  );
  await service.query("update runs set deleted_at = now() where id = $1", [runId]);
  const remove = `delete from run_segments where run_id = $1 and (chunk_no, part_no) in (
    select chunk_no, part_no from run_segments where run_id = $1 order by chunk_no, part_no limit ${SEGMENTS_AT_ONCE})`;
  await purgeBeside(remove, runId, () => purgeDeletedRuns(worker));
  expect([await countOf("run_segments", "run_id", runId), await countOf("runs", "id", runId)]).toEqual([1, 1]);
  await purgeDeletedRuns(worker);
  expect([await countOf("run_segments", "run_id", runId), await countOf("runs", "id", runId)]).toEqual([0, 0]);
});

test("a dataset stays until another process has deleted its chunks", async () => {
  const { datasetId } = deleted;
  await service.query("update datasets set deleted_at = now() where id = $1", [datasetId]);
  const remove = `delete from dataset_chunks where dataset_id = $1 and chunk_no in (
    select chunk_no from dataset_chunks where dataset_id = $1 order by chunk_no limit ${CHUNKS_AT_ONCE})`;
  await purgeBeside(remove, datasetId, () => purgeDeletedDatasets(worker));
  const left = [await countOf("dataset_chunks", "dataset_id", datasetId), await countOf("datasets", "id", datasetId)];
  expect(left).toEqual([1, 1]);
  await purgeDeletedDatasets(worker);
  expect(await countOf("dataset_chunks", "dataset_id", datasetId)).toBe(0);
  expect(await countOf("datasets", "id", datasetId)).toBe(0);
});
