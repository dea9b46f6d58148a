/** Exact duplicates of a run are processed once, whatever chunk they lie in. */
import { Client } from "pg";
import { beforeAll, describe, expect, test } from "vitest";
import type { Failure, Output } from "@rowmill/contract/run-results";
import { newUuid } from "../../platform/ids.ts";
import { expectStatus } from "../../testing/api.ts";
import type { Api } from "../../testing/api.ts";
import { finishedRun, newDataset, newJobSpec, newRun } from "../../testing/factories.ts";
import { startTestService } from "../../testing/service.ts";
import { waitFor } from "../../testing/wait.ts";
import { sortDuplicates } from "./duplicate-rows.ts";
import { readAll } from "../../resources/runs/runs-testing.ts";

const KINDS = 7;
const ROWS = 200;

describe.each(["5", "500"])("with %s rows a chunk", (chunkRows) => {
  let api: Api;
  let datasetId: string;
  beforeAll(async () => {
    const service = await startTestService({ ROWMILL_CHUNK_ROWS: chunkRows });
    ({ api } = await service.newOrganization());
    const rows = Array.from({ length: ROWS }, (_unused, i) => ({ kind: i % KINDS }));
    datasetId = (await newDataset(api, rows)).id;
  });

  test("each kind of row is processed once, and every row has its result", async () => {
    const spec = await newJobSpec(
      api,
      {
        type: "transform",
        code: "export default ({ kind }) => { if (kind === 3) throw new Error('three'); return { kind } }",
      },
      { dedupe: "exact" },
    );
    expect(spec.dedupe).toBe("exact");
    const run = await newRun(api, { datasetId, jobSpecId: spec.id });
    const ended = await finishedRun(api, run.id);
    const failing = Array.from({ length: ROWS }, (_unused, i) => i).filter((i) => i % KINDS === 3).length;
    expect(ended).toMatchObject({ rows: { total: ROWS, succeeded: ROWS - failing, failed: failing } });
    expect(ended.usage.attempts).toBe(KINDS);
    const outputs = await readAll<Output>(api, `/v1/runs/${run.id}/outputs`);
    for (const { index, data } of outputs) expect(data).toEqual({ kind: index % KINDS });
    const processed = outputs.filter(({ usage }) => usage?.cached !== true);
    expect(processed).toHaveLength(KINDS - 1);
    expect(new Set(processed.map(({ index }) => index % KINDS)).size).toBe(KINDS - 1);
    const failures = await readAll<Failure>(api, `/v1/runs/${run.id}/failures`);
    expect(failures).toHaveLength(failing);
    expect(new Set(failures.map(({ code, message }) => `${code} ${message}`)).size).toBe(1);
  });

  test("duplicates of a row that is tried again wait for its end", async () => {
    const spec = await newJobSpec(api, { type: "mock", delayMs: 300 }, { dedupe: "exact", concurrency: 4 });
    const run = await newRun(api, { datasetId, jobSpecId: spec.id });
    const ended = await finishedRun(api, run.id);
    expect(ended).toMatchObject({ state: "succeeded", usage: { attempts: KINDS } });
  });

  test("a paused run takes them up again where they were", async () => {
    const spec = await newJobSpec(api, { type: "mock", delayMs: 700 }, { dedupe: "exact", concurrency: 1 });
    const run = await newRun(api, { datasetId, jobSpecId: spec.id });
    expectStatus(await api("POST", `/v1/runs/${run.id}/pause`), 200);
    expectStatus(await api("POST", `/v1/runs/${run.id}/resume`), 200);
    expect(await finishedRun(api, run.id)).toMatchObject({ state: "succeeded", usage: { attempts: KINDS } });
  });
});

test("whether somebody works on a row is found out without a look at other chunks", async () => {
  const service = await startTestService({ ROWMILL_ROLE: "api" });
  const run = { organizationId: newUuid(), runId: newUuid() };
  const chunks = 2_000;
  await service.query(
    `insert into run_chunks (organization_id, run_id, chunk_no, first_row, last_row, row_count, state)
    select $1, $2, n, n * 500, n * 500 + 499, 500, 'pending' from generate_series(0, $3::int) n`,
    [run.organizationId, run.runId, chunks],
  );
  const rowsOf = (from: number) => Array.from({ length: 100 }, (_unused, i) => ({ index: from + i, text: `row ${i}` }));
  const client = new Client({ connectionString: service.settings["ROWMILL_DATABASE_URL"] });
  await client.connect();
  try {
    const given = await sortDuplicates(client, run, { firstRow: 0, lastRow: 499 }, rowsOf(0));
    expect(given.originals).toHaveLength(100);
    await client.query("begin");
    const last = { firstRow: chunks * 500, lastRow: chunks * 500 + 499 };
    // The first chunk was released: nobody works on it, and the rows are taken over.
    const taken = await sortDuplicates(client, run, last, rowsOf(last.firstRow));
    expect(taken.originals).toHaveLength(100);
    const { rows } = await client.query<{ fetched: number }>(
      "select (idx_tup_fetch + seq_tup_read)::int as fetched from pg_stat_xact_user_tables where relname = 'run_chunks'",
    );
    expect(rows[0]?.fetched).toBeLessThanOrEqual(100);
    await client.query("rollback");
  } finally {
    await client.end();
  }
});

test("a chunk that was claimed while another one waited for its keys keeps them", async () => {
  const service = await startTestService({ ROWMILL_ROLE: "api" });
  const run = { organizationId: newUuid(), runId: newUuid() };
  await service.query(
    `insert into run_chunks (organization_id, run_id, chunk_no, first_row, last_row, row_count, state)
    select $1, $2, n, n * 10, n * 10 + 9, 10, 'pending' from generate_series(0, 1) n`,
    [run.organizationId, run.runId],
  );
  const rowsOf = (from: number) => Array.from({ length: 10 }, (_unused, i) => ({ index: from + i, text: `row ${i}` }));
  const connectionString = service.settings["ROWMILL_DATABASE_URL"];
  const [first, second] = [new Client({ connectionString }), new Client({ connectionString })];
  await Promise.all([first.connect(), second.connect()]);
  try {
    const { rows } = await second.query<{ pid: number }>("select pg_backend_pid() as pid");
    await first.query("begin");
    await sortDuplicates(first, run, { firstRow: 0, lastRow: 9 }, rowsOf(0));
    const sorting = sortDuplicates(second, run, { firstRow: 10, lastRow: 19 }, rowsOf(10));
    await waitFor(
      async () =>
        (
          await service.query("select from pg_stat_activity where pid = $1 and wait_event_type = 'Lock'", [
            rows[0]?.pid,
          ])
        ).length > 0,
    );
    await service.query("update run_chunks set state = 'running' where run_id = $1 and chunk_no = 0", [run.runId]);
    await first.query("commit");
    expect(await sorting).toMatchObject({ originals: [], duplicatesElsewhere: { length: 10 } });
  } finally {
    await Promise.all([first.end(), second.end()]);
  }
});
