/** Runs over ranges before their chunks are written. The service has no workers, so they stay as they are created. */
import { beforeAll, expect, test } from "vitest";
import type { Dataset } from "@rowmill/contract/datasets";
import type { ResolvedResult, RunRow } from "@rowmill/contract/run-results";
import type { RunMap } from "@rowmill/contract/run-map";
import type { Run } from "@rowmill/contract/runs";
import { parseId } from "../../platform/ids.ts";
import { expectStatus } from "../../testing/api.ts";
import type { Api } from "../../testing/api.ts";
import { newDataset, newJobSpec, newRun, numberedRows } from "../../testing/factories.ts";
import { startTestService } from "../../testing/service.ts";
import type { TestService } from "../../testing/service.ts";
import { expectCountsToAddUp, getRun, readAll, readStream } from "./runs-testing.ts";

const ROWS = 60;
const CHUNK_ROWS = 7;

let service: TestService;
let api: Api;
let dataset: Dataset;
let jobSpecId: string;

beforeAll(async () => {
  service = await startTestService({ ROWMILL_CHUNK_ROWS: String(CHUNK_ROWS), ROWMILL_ROLE: "api" });
  ({ api } = await service.newOrganization());
  dataset = await newDataset(api, numberedRows(ROWS));
  jobSpecId = (await newJobSpec(api)).id;
});

const start = (scope: Run["scope"]): Promise<Run> => newRun(api, { datasetId: dataset.id, jobSpecId, scope });

const countChunks = async (run: Run): Promise<{ chunks: number; rows: number } | undefined> =>
  (
    await service.query<{ chunks: number; rows: number }>(
      "select count(*)::int as chunks, coalesce(sum(row_count), 0)::int as rows from run_chunks where run_id = $1",
      [parseId("run", run.id)],
    )
  )[0];

const chunksOf = (from: number, to: number): number =>
  Math.floor((to - 1) / CHUNK_ROWS) - Math.floor(from / CHUNK_ROWS) + 1;

const indexes = (from: number, to: number): number[] => Array.from({ length: to - from }, (_unused, i) => from + i);

test.each([
  { scope: { type: "all" }, from: 0, to: ROWS },
  { scope: { type: "limit", count: 7 }, from: 0, to: 7 },
  { scope: { type: "limit", count: 1_000_000 }, from: 0, to: ROWS },
  { scope: { type: "range", from: 10, to: 12 }, from: 10, to: 12 },
  { scope: { type: "range", from: 5, to: 36 }, from: 5, to: 36 },
  { scope: { type: "range", from: 56, to: 1_000 }, from: 56, to: ROWS },
  { scope: { type: "sample", count: ROWS, seed: 1 }, from: 0, to: ROWS },
] as const)(
  "a run over $scope shows its rows as pending before it has chunks, and the same after its end",
  async (given) => {
    const { scope, from, to } = given;
    const run = await start(scope);
    expect(run).toMatchObject({ state: "queued", rows: { total: to - from, pending: to - from } });
    expect(await countChunks(run)).toEqual({ chunks: 0, rows: 0 });
    const map = async () => (await api<RunMap>("GET", `/v1/runs/${run.id}/map?cells=4`)).body;
    const rows = (query = "") => readAll<RunRow>(api, `/v1/runs/${run.id}/rows?${query}`, 9);
    const resolved = () => readAll<ResolvedResult>(api, `/v1/runs/${run.id}/resolved-results`, 9);

    const before = { map: await map(), rows: await rows(), resolved: await resolved() };
    expect(before.map.chunks).toBe(chunksOf(from, to));
    expect(before.rows.map(({ index, state }) => [index, state])).toEqual(indexes(from, to).map((i) => [i, "pending"]));
    expect(await readStream<RunRow>(api, `/v1/runs/${run.id}/rows`)).toEqual(before.rows);
    expect(await rows("state=pending&fromIndex=11")).toEqual(before.rows.filter(({ index }) => index >= 11));
    for (const state of ["succeeded", "failed", "running", "canceled"])
      expect(await rows(`state=${state}`)).toEqual([]);
    expect(before.resolved.map(({ index, resultState }) => [index, resultState])).toEqual(
      indexes(from, to).map((i) => [i, "pending"]),
    );
    for (const list of ["outputs", "failures"]) expect(await readAll(api, `/v1/runs/${run.id}/${list}`)).toEqual([]);

    // Paused and resumed, it still has none.
    for (const action of ["pause", "resume"]) expectStatus(await api("POST", `/v1/runs/${run.id}/${action}`), 200);
    expect(await countChunks(run)).toEqual({ chunks: 0, rows: 0 });

    expectStatus(await api("POST", `/v1/runs/${run.id}/cancel`), 200);
    const ended = await getRun(api, run.id);
    expectCountsToAddUp(ended);
    expect(ended).toMatchObject({ state: "canceled", rows: { canceled: to - from } });
    expect(await countChunks(run)).toEqual({ chunks: chunksOf(from, to), rows: to - from });
    expect({ map: await map(), rows: await rows(), resolved: await resolved() }).toEqual({
      map: before.map,
      rows: before.rows.map((row) => ({ ...row, state: "canceled" })),
      resolved: before.resolved.map((result) => ({ ...result, resultState: "canceled", runId: run.id })),
    });
    expect(await rows("state=canceled")).toHaveLength(to - from);
  },
);

test("what a canceled run never began is retried, and its retry has the rows of its range", async () => {
  const run = await start({ type: "range", from: 5, to: 36 });
  expectStatus(await api("POST", `/v1/runs/${run.id}/cancel`), 200);
  const retry = await api<Run>("POST", `/v1/runs/${run.id}/retry`, { body: {} });
  expectStatus(retry, 201);
  expect(retry.body.rows).toMatchObject({ total: 31, pending: 31 });
  const rows = await readAll<RunRow>(api, `/v1/runs/${retry.body.id}/rows`);
  expect(rows.map(({ index }) => index)).toEqual(indexes(5, 36));
});

test("a run that never started can be deleted", async () => {
  const run = await start({ type: "limit", count: 20 });
  expectStatus(await api("POST", `/v1/runs/${run.id}/cancel`), 200);
  expectStatus(await api("DELETE", `/v1/runs/${run.id}`), 204);
  expectStatus(await api("GET", `/v1/runs/${run.id}/rows`), 404);
});
