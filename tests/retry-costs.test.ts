/** Creating a retry run costs as much as the family has rows, also right after the first run, when the tables have no statistics yet. */
import { beforeAll, expect, test } from "vitest";
import type { Selection } from "@rowmill/contract/run-rows";
import type { Run } from "@rowmill/contract/runs";
import { parseId } from "@rowmill/server/platform/ids";
import { expectStatus } from "@rowmill/server/testing/api";
import { newDataset, newJobSpec, numberedRows } from "@rowmill/server/testing/factories";
import type { TestOrganization, TestService } from "@rowmill/server/testing/service";
import { insertSegments } from "@rowmill/server/testing/made-segments";
import { startTestService } from "@rowmill/server/testing/service";
import { makeChunksByHand } from "@rowmill/server/testing/started-run";
import { multiplyChunks } from "./support/many.ts";
import { rowsHandledIn, reportPlans } from "./support/plans.ts";

const CHUNKS = 200;
const CHUNK_ROWS = 100;
const ROWS = CHUNKS * CHUNK_ROWS;
/** One row of each five failed. */
const FAILED = ROWS / 5;
/** Each row passes some steps of a plan; a join without an index compares each with hundreds or thousands of others. */
const MAX_ROWS_HANDLED = 30 * ROWS;

let service: TestService;
let tenant: TestOrganization;
let runId: string;

beforeAll(async () => {
  const first = await startTestService();
  // What autovacuum measures, and when, must not decide the test.
  for (const table of ["runs", "run_chunks", "run_segments", "run_failures"])
    await first.query(`alter table ${table} set (autovacuum_enabled = false)`);
  tenant = await first.newOrganization();
  const dataset = await newDataset(tenant.api, numberedRows(CHUNK_ROWS));
  await multiplyChunks(first, parseId("dataset", dataset.id) ?? "", CHUNK_ROWS);
  await first.query("update datasets set row_count = $1", [ROWS]);
  const spec = await newJobSpec(tenant.api);
  await reportPlans(first);
  await first.stop();
  service = await startTestService({ ...first.settings, ROWMILL_ROLE: "api" });
  const created = await tenantApi<Run>("POST", "/v1/runs", {
    body: { datasetId: dataset.id, jobSpecId: spec.id, scope: { type: "limit", count: ROWS } },
  });
  expectStatus(created, 201);
  runId = created.body.id;
  // The run as its lanes would have left it.
  const id = parseId("run", runId) ?? "";
  await makeChunksByHand(service, id);
  await service.query(
    `insert into run_failures (organization_id, run_id, row_index, attempts, duration_ms, finished_at, code, retryable, failure)
     select $1, $2, n, 1, 1, now(), 'output_schema_invalid', true, '{"message":"x","details":null}'
     from generate_series(0, ${ROWS - 1}, 5) n`,
    [parseId("organization", tenant.organizationId), id],
  );
  await insertSegments(
    (text, values) => service.query(text, values),
    {
      organizationId: parseId("organization", tenant.organizationId),
      runId: id,
      chunkRows: CHUNK_ROWS,
      finishedAt: new Date(),
      rows: Array.from({ length: CHUNK_ROWS }, (_unused, position) => ({ position, output: "{}" })).filter(
        ({ position }) => position % 5 !== 0,
      ),
    },
    { from: 0, to: CHUNKS - 1, firstRow: `n * ${CHUNK_ROWS}` },
  );
  await service.query(
    "update run_chunks set state = 'done', failed = row_count / 5, succeeded = row_count - row_count / 5 where run_id = $1",
    [id],
  );
  await service.query(
    `update runs set state = 'partially_succeeded', started_at = now(), finished_at = now(),
       final_counts = '{"succeeded":${ROWS - FAILED},"failed":${FAILED},"attempts":${ROWS},"inputTokens":0,"outputTokens":0,"requests":0,"costUsd":"0"}'
     where id = $1`,
    [id],
  );
});

const tenantApi: TestOrganization["api"] = (method, path, options) =>
  service.api(method, path, { key: tenant.apiKey, ...options });

const selections: Selection[] = [
  { type: "unfinished" },
  { type: "failures" },
  { type: "retryable_failures" },
  { type: "codes", codes: ["output_schema_invalid"] },
];

test.each(selections.map((selection) => [selection.type, selection] as const))(
  "a retry run of %s handles each row a few times, without statistics",
  async (_type, selection) => {
    const rows = await rowsHandledIn(async () => {
      const retried = await tenantApi<Run>("POST", `/v1/runs/${runId}/retry`, { body: { selection } });
      expectStatus(retried, 201);
      expect(retried.body).toMatchObject({ parentRunId: runId, rows: { total: FAILED } });
    });
    expect(rows).toBeGreaterThan(FAILED);
    expect(rows).toBeLessThanOrEqual(MAX_ROWS_HANDLED);
  },
);
