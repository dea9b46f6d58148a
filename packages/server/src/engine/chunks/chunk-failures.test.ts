/** A chunk whose results cannot be recorded waits, is tried again, and in the end fails its run; nothing of it is a poison row. */
import { beforeAll, expect, test } from "vitest";
import type { Run } from "@rowmill/contract/runs";
import { parseId } from "../../platform/ids.ts";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "../../testing/factories.ts";
import { startTestService } from "../../testing/service.ts";
import type { TestOrganization, TestService } from "../../testing/service.ts";
import { waitFor } from "../../testing/wait.ts";
import { MAX_CHUNK_FAILURES } from "./chunk-deaths.ts";

let service: TestService;
let tenant: TestOrganization;
beforeAll(async () => {
  service = await startTestService({ ROWMILL_CHUNK_ROWS: "5" });
  tenant = await service.newOrganization();
  await service.query("create table refused_rows (row_index bigint)");
  await service.query("grant select on refused_rows to public");
  await service.query(`create function refuse_results() returns trigger language plpgsql as $$ begin
    if exists (select from refused_rows r where case when r.row_index between new.first_row and new.first_row + 4
        then get_bit(new.positions, r.row_index - new.first_row) = 1 end) then raise exception 'cannot be recorded'; end if;
    return new; end $$`);
  await service.query(
    "create trigger refuse before insert on run_segments for each row execute function refuse_results()",
  );
});

interface Chunk {
  failures: number;
  deaths: number;
  state: string;
}

const chunkOf = async (run: Run): Promise<Chunk | undefined> => {
  const [chunk] = await service.query<Chunk & Record<string, unknown>>(
    "select failures::int, deaths::int, state from run_chunks where run_id = $1 and chunk_no = 0",
    [parseId("run", run.id)],
  );
  return chunk;
};

async function startRefused(): Promise<Run> {
  await service.query("insert into refused_rows values (2)");
  const dataset = await newDataset(tenant.api, numberedRows(20));
  const spec = await newJobSpec(tenant.api);
  return newRun(tenant.api, { datasetId: dataset.id, jobSpecId: spec.id });
}

test("the rest of the run goes on, and the chunk is recorded when it can be", async () => {
  const run = await startRefused();
  const failed = await waitFor(async () => {
    const { body } = await tenant.api<Run>("GET", `/v1/runs/${run.id}`);
    const chunk = await chunkOf(run);
    return body.rows.succeeded === 15 && chunk?.state === "pending" && chunk.failures >= 3 ? chunk : undefined;
  });
  expect(failed.deaths).toBe(0);
  expect(service.logs().some((line) => line.includes("the work on a chunk failed"))).toBe(true);
  await service.query("delete from refused_rows");
  expect(await finishedRun(tenant.api, run.id)).toMatchObject({ state: "succeeded", rows: { succeeded: 20 } });
  expect(await chunkOf(run)).toMatchObject({ failures: 0, deaths: 0, state: "done" });
});

test("a chunk that fails again and again fails its run, which says which rows", async () => {
  const run = await startRefused();
  await waitFor(async () => {
    const chunk = await chunkOf(run);
    return chunk !== undefined && chunk.failures > 0;
  });
  await service.query("update run_chunks set failures = $2, not_before = null where run_id = $1 and chunk_no = 0", [
    parseId("run", run.id),
    MAX_CHUNK_FAILURES - 1,
  ]);
  const ended = await finishedRun(tenant.api, run.id);
  expect(ended).toMatchObject({ state: "failed", error: { code: "internal_error" } });
  expect(ended.error?.message).toContain("Rows 0 to 4 ");
  await service.query("delete from refused_rows");
});
