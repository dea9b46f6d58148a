/** Retry runs: which rows each selection chooses, lineage, and one resolved result per row over the family. */
import { Connection } from "pg";
import { beforeAll, describe, expect, test, vi } from "vitest";
import type { Failure, ResolvedResult, RunRow } from "@rowmill/contract/run-results";
import type { Run } from "@rowmill/contract/runs";
import type { Dataset, DatasetRow } from "@rowmill/contract/datasets";
import { parseId } from "../../platform/ids.ts";
import { expectStatus } from "../../testing/api.ts";
import type { Api } from "../../testing/api.ts";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "../../testing/factories.ts";
import { startTestService } from "../../testing/service.ts";
import type { TestOrganization, TestService } from "../../testing/service.ts";
import { waitFor } from "../../testing/wait.ts";
import { getRun, makeTogether, readAll } from "./runs-testing.ts";

const ROWS = 40;

let service: TestService;
let owner: TestOrganization;
let api: Api;
let dataset: Dataset;
let rowIds: string[];

beforeAll(async () => {
  service = await startTestService({ ROWMILL_CHUNK_ROWS: "7" });
  owner = await service.newOrganization();
  ({ api } = owner);
  dataset = await newDataset(api, numberedRows(ROWS));
  const { body } = await api<{ data: DatasetRow[] }>("GET", `/v1/datasets/${dataset.id}/rows`);
  rowIds = body.data.map(({ id }) => id);
});

const indexes = (count: number): number[] => Array.from({ length: count }, (_unused, i) => i);
const multiplesOf = (n: number): number[] => indexes(ROWS).filter((index) => (index + 1) % n === 0);

async function runOf(processor: object, more: object = {}, spec: Record<string, unknown> = {}): Promise<Run> {
  const { id } = await newJobSpec(api, { type: "mock", ...processor }, spec);
  return finishedRun(api, (await newRun(api, { datasetId: dataset.id, jobSpecId: id, ...more })).id);
}

async function startRetry(run: Run, body: object = {}): Promise<Run> {
  const response = await api<Run>("POST", `/v1/runs/${run.id}/retry`, { body });
  expectStatus(response, 201);
  return response.body;
}

const retry = async (run: Run, body: object = {}): Promise<Run> => finishedRun(api, (await startRetry(run, body)).id);

async function expectRefusal(run: Run, body: object, status: number, code: string): Promise<void> {
  const response = await api("POST", `/v1/runs/${run.id}/retry`, { body });
  expectStatus(response, status);
  expect(response.body.error.code).toBe(code);
}

const rowsOf = async (run: Run): Promise<number[]> =>
  (await readAll<RunRow>(api, `/v1/runs/${run.id}/rows`)).map(({ index }) => index);

/** Of the statement that reads what failures say of rows, as it is sent. */
function indexesLookedFor(sent: unknown): number[][] {
  const { statement, values } = sent as { statement?: string; values?: unknown[] };
  return statement === "read_failure_heads" ? [values?.[1] as number[]] : [];
}

const resolvedOf = (run: Run): Promise<ResolvedResult[]> =>
  readAll<ResolvedResult>(api, `/v1/runs/${run.id}/resolved-results`);

describe("the selection", () => {
  // Rows 5, 10, 15 … fail; of 40 rows eight.
  let parent: Run;
  beforeAll(async () => {
    parent = await runOf({ failEvery: 5, failUntilRetry: 1, code: "output_schema_invalid" });
  });

  test.each([
    ["nothing named", {}],
    ["unfinished", { selection: { type: "unfinished" } }],
    ["failures", { selection: { type: "failures" } }],
    ["retryable failures", { selection: { type: "retryable_failures" } }],
    ["a code", { selection: { type: "codes", codes: ["output_schema_invalid", "refused"] } }],
  ])("%s: rows that failed are tried again, and no others", async (_name, body) => {
    const first = await runOf({ failEvery: 5, failUntilRetry: 1, code: "output_schema_invalid" });
    const run = await retry(first, body);
    expect(run).toMatchObject({
      state: "succeeded",
      parentRunId: first.id,
      rootRunId: first.id,
      retryNumber: 1,
      selection: "selection" in body ? body.selection : { type: "unfinished" },
      rows: { total: 8, succeeded: 8 },
    });
    expect(await rowsOf(run)).toEqual(multiplesOf(5));
  });

  test("all: every row of the parent", async () => {
    const run = await retry(parent, { selection: { type: "all" } });
    expect(await rowsOf(run)).toEqual(indexes(ROWS));
  });

  test("rows: those that are named, whatever became of them", async () => {
    const named = [39, 3, 4, 7, 3].map((index) => rowIds[index]);
    const run = await retry(parent, { selection: { type: "rows", rowIds: named } });
    expect(await rowsOf(run)).toEqual([3, 4, 7, 39]);
  });

  test("rows that the parent does not have are no rows to retry", async () => {
    const part = await runOf({}, { scope: { type: "range", from: 3, to: 10 } });
    await expectRefusal(
      part,
      { selection: { type: "rows", rowIds: [rowIds[2], rowIds[10]] } },
      422,
      "nothing_to_retry",
    );
    const run = await retry(part, { selection: { type: "rows", rowIds: [rowIds[2], rowIds[3], rowIds[9]] } });
    expect(await rowsOf(run)).toEqual([3, 9]);
    // And again among the rows of a run that has a few of each chunk.
    const again = await retry(run, { selection: { type: "rows", rowIds: [rowIds[3], rowIds[4]] } });
    expect(await rowsOf(again)).toEqual([3]);
  });

  test("a row of another dataset is named as wrong", async () => {
    const other = await newDataset(api, numberedRows(2));
    const { body } = await api<{ data: DatasetRow[] }>("GET", `/v1/datasets/${other.id}/rows`);
    const response = await api("POST", `/v1/runs/${parent.id}/retry`, {
      body: { selection: { type: "rows", rowIds: [rowIds[0], body.data[0]?.id] } },
    });
    expectStatus(response, 422);
    expect(response.body.error).toMatchObject({ code: "scope_invalid", param: "selection.rowIds.1" });
  });

  test.each([
    ["other codes", { type: "codes", codes: ["refused"] }],
    ["retryable failures, when none is", { type: "retryable_failures" }],
  ])("%s choose nothing", async (_name, selection) => {
    const run = await runOf({ failEvery: 10, code: "content_rejected" });
    await expectRefusal(run, { selection }, 422, "nothing_to_retry");
  });

  test("nothing is unfinished in a run that succeeded", async () => {
    const run = await runOf({});
    for (const type of ["unfinished", "failures", "retryable_failures"])
      await expectRefusal(run, { selection: { type } }, 422, "nothing_to_retry");
  });

  test("unfinished rows are also those that a cancel left over, and failures are not", async () => {
    const spec = await newJobSpec(
      api,
      { type: "mock", failEvery: 2, failUntilRetry: 1, delayMs: 1_000 },
      { concurrency: 1 },
    );
    const started = await newRun(api, { datasetId: dataset.id, jobSpecId: spec.id });
    await waitFor(async () => (await getRun(api, started.id)).rows.failed > 1);
    await api("POST", `/v1/runs/${started.id}/cancel`);
    const canceled = await finishedRun(api, started.id);
    const failed = (await readAll<Failure>(api, `/v1/runs/${started.id}/failures`)).map(({ index }) => index);
    const quick = { jobSpecVersion: 2 };
    await api("POST", `/v1/job-specs/${spec.id}/versions`, { body: { processor: { type: "mock" } } });
    const failures = await retry(canceled, { ...quick, selection: { type: "failures" } });
    expect(await rowsOf(failures)).toEqual(failed);
    const rest = await retry(canceled, quick);
    expect(rest).toMatchObject({ jobSpecVersion: 2, retryNumber: 2, rows: { total: canceled.rows.canceled } });
    expect((await resolvedOf(rest)).every(({ resultState }) => resultState === "succeeded")).toBe(true);
  });

  test("a row that succeeded anywhere in the family is not chosen again", async () => {
    const first = await runOf({ failEvery: 5, failUntilRetry: 1 });
    await retry(first);
    await expectRefusal(first, {}, 422, "nothing_to_retry");
    await expectRefusal(first, { selection: { type: "failures" } }, 422, "nothing_to_retry");
    expect(await rowsOf(await retry(first, { selection: { type: "rows", rowIds: [rowIds[4]] } }))).toEqual([4]);
  });
});

test("only an ended run can be retried", async () => {
  const spec = await newJobSpec(api, { type: "mock", delayMs: 60_000 });
  const run = await newRun(api, { datasetId: dataset.id, jobSpecId: spec.id });
  await expectRefusal(run, {}, 409, "invalid_state");
  await api("POST", `/v1/runs/${run.id}/cancel`);
  await finishedRun(api, run.id);
});

test("lineage reports the family in order, from any of its runs", async () => {
  const first = await runOf({ failEvery: 5, failUntilRetry: 3 });
  const second = await retry(first);
  const third = await retry(second);
  const fourth = await retry(first, { selection: { type: "failures" } });
  expect(fourth).toMatchObject({ state: "succeeded", parentRunId: first.id, retryNumber: 3 });
  for (const run of [first, second, third, fourth]) {
    const { body } = await api<{ rootRunId: string; runs: Run[] }>("GET", `/v1/runs/${run.id}/lineage`);
    expect(body.rootRunId).toBe(first.id);
    expect(body.runs.map(({ id, parentRunId, retryNumber, state }) => [id, parentRunId, retryNumber, state])).toEqual([
      [first.id, null, 0, "partially_succeeded"],
      [second.id, first.id, 1, "failed"],
      [third.id, second.id, 2, "failed"],
      [fourth.id, first.id, 3, "succeeded"],
    ]);
  }
});

test("retries made at once get different numbers", async () => {
  const first = await runOf({ failEvery: 5 });
  const retries = await Promise.all(indexes(5).map(() => startRetry(first, { selection: { type: "failures" } })));
  expect(retries.map(({ retryNumber }) => retryNumber).toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5]);
  for (const run of retries) await finishedRun(api, run.id);
});

describe("resolved results", () => {
  test("have every row of the root run once: the success of whichever run", async () => {
    const first = await runOf({ failEvery: 4, failUntilRetry: 1 }, { scope: { type: "range", from: 5, to: 33 } });
    const second = await retry(first);
    const before = await resolvedOf(first);
    const after = await resolvedOf(second);
    expect(after.map(({ index }) => index)).toEqual(indexes(33).slice(5));
    for (const [i, { index, resultState, runId, output, failure }] of after.entries()) {
      const failedAtFirst = (index + 1) % 4 === 0;
      expect(resultState).toBe("succeeded");
      expect(runId).toBe(failedAtFirst ? second.id : first.id);
      expect(output?.data).toEqual({ echo: { n: index } });
      expect(failure).toBeUndefined();
      // Up to the first run, the retry has not happened.
      expect(before[i]).toMatchObject({ index, resultState: failedAtFirst ? "failed" : "succeeded", runId: first.id });
    }
    expect(await readAll(api, `/v1/runs/${second.id}/resolved-results?resultState=failed`)).toEqual([]);
    const failedBefore = await readAll(api, `/v1/runs/${first.id}/resolved-results?resultState=failed`, 2);
    expect(failedBefore).toEqual(before.filter(({ resultState }) => resultState === "failed"));
    expect(await readAll(api, `/v1/runs/${first.id}/resolved-results?resultState=failed,succeeded`)).toEqual(before);
  });

  test("that are failures are looked for among the rows that have failed in one of the runs", async () => {
    const first = await runOf({ failEvery: 4, failUntilRetry: 2 });
    const second = await retry(first);
    const third = await retry(second);
    const sent = vi.spyOn(Connection.prototype, "bind");
    const failedOf = (run: Run) =>
      readAll<ResolvedResult>(api, `/v1/runs/${run.id}/resolved-results?resultState=failed`);
    expect((await failedOf(second)).map(({ index, runId }) => [index, runId])).toEqual(
      multiplesOf(4).map((index) => [index, second.id]),
    );
    expect(await failedOf(third)).toEqual([]);
    const lookedFor = sent.mock.calls.flatMap(([statement]) => indexesLookedFor(statement));
    expect(lookedFor.length).toBeGreaterThan(0);
    for (const rows of lookedFor) expect(multiplesOf(4)).toEqual(expect.arrayContaining(rows));
  });

  test("a later failure hides no success, and a later success that was asked for replaces it", async () => {
    const spec = await newJobSpec(api);
    const first = await finishedRun(api, (await newRun(api, { datasetId: dataset.id, jobSpecId: spec.id })).id);
    const addVersion = async (processor: object): Promise<number> => {
      const { body } = await api<{ version: number }>("POST", `/v1/job-specs/${spec.id}/versions`, {
        body: { processor },
      });
      return body.version;
    };
    const failing = await addVersion({ type: "mock", failEvery: 1 });
    const failed = await retry(first, { selection: { type: "all" }, jobSpecVersion: failing });
    expect(failed).toMatchObject({ state: "failed", rows: { failed: ROWS } });
    expect((await resolvedOf(failed)).every((row) => row.resultState === "succeeded" && row.runId === first.id)).toBe(
      true,
    );
    const other = await addVersion({ type: "transform", code: "export default ({ n }) => ({ version: 3, n })" });
    const again = await retry(first, { selection: { type: "all" }, jobSpecVersion: other });
    const resolved = await resolvedOf(again);
    expect(resolved.map(({ output }) => output?.data)).toEqual(indexes(ROWS).map((n) => ({ version: 3, n })));
    expect(resolved.every(({ runId }) => runId === again.id)).toBe(true);
    const last = await retry(again, { selection: { type: "rows", rowIds: [rowIds[2]] }, jobSpecVersion: failing });
    expect((await resolvedOf(last))[2]).toMatchObject({ resultState: "succeeded", runId: again.id });
  });

  test("are pending while nothing has finished them, and canceled when a run was", async () => {
    const spec = await newJobSpec(api, { type: "mock", delayMs: 60_000 });
    const run = await newRun(api, { datasetId: dataset.id, jobSpecId: spec.id });
    await waitFor(async () => (await getRun(api, run.id)).rows.running > 0);
    const pending = await resolvedOf(run);
    expect(pending).toHaveLength(ROWS);
    expect(pending.every((row) => row.resultState === "pending" && row.runId === null)).toBe(true);
    await api("POST", `/v1/runs/${run.id}/cancel`);
    await finishedRun(api, run.id);
    const canceled = await resolvedOf(run);
    expect(canceled.every((row) => row.resultState === "canceled" && row.runId === run.id)).toBe(true);
  });

  test("a retry under way hides nothing, and a canceled one hides no success", async () => {
    const first = await runOf({ failEvery: 4 });
    const failing = await resolvedOf(first);
    await api("POST", `/v1/job-specs/${first.jobSpecId}/versions`, {
      body: { processor: { type: "mock", delayMs: 60_000 } },
    });
    const second = await startRetry(first, { selection: { type: "all" }, jobSpecVersion: 2 });
    await waitFor(async () => (await getRun(api, second.id)).rows.running > 0);
    expect(await resolvedOf(second)).toEqual(failing);
    await api("POST", `/v1/runs/${second.id}/cancel`);
    await finishedRun(api, second.id);
    expect((await resolvedOf(second)).map(({ resultState }) => resultState)).toEqual(
      indexes(ROWS).map((index) => ((index + 1) % 4 === 0 ? "canceled" : "succeeded")),
    );
  });

  test("do not flip when two retries record the same rows within the same millisecond", async () => {
    const first = await runOf({ failEvery: 1 });
    await api("POST", `/v1/job-specs/${first.jobSpecId}/versions`, { body: { processor: { type: "mock" } } });
    const body = { selection: { type: "unfinished" }, jobSpecVersion: 2 };
    // Neither has finished a row when the other is made.
    const make = () => Promise.all([startRetry(first, body), startRetry(first, body)]);
    const [one, two] = await makeTogether(service, owner, dataset.id, make);
    await Promise.all([finishedRun(api, one.id), finishedRun(api, two.id)]);
    const [older, newer] = one.retryNumber < two.retryNumber ? [one, two] : [two, one];
    // The newer run was first, by microseconds.
    await service.query(
      `update run_segments set finished_at = '2026-11-20T10:00:00Z'::timestamptz +
         case when run_id = $1 then interval '900 microseconds' else interval '100 microseconds' end
       where run_id in ($1, $2)`,
      [parseId("run", older.id), parseId("run", newer.id)],
    );
    const resolved = await resolvedOf(newer);
    expect(resolved.every((row) => row.resultState === "succeeded" && row.runId === newer.id)).toBe(true);
  });
});

describe("a run that others build on", () => {
  test("can only be deleted after them, and they are then gone from the family", async () => {
    const first = await runOf({ failEvery: 4, failUntilRetry: 1 });
    const second = await retry(first);
    const refused = await api("DELETE", `/v1/runs/${first.id}`);
    expectStatus(refused, 409);
    expect(refused.body.error.code).toBe("resource_in_use");
    expectStatus(await api("DELETE", `/v1/runs/${second.id}`), 204);
    const { body } = await api<{ runs: Run[] }>("GET", `/v1/runs/${first.id}/lineage`);
    expect(body.runs.map(({ id }) => id)).toEqual([first.id]);
    expect((await resolvedOf(first)).filter(({ resultState }) => resultState === "failed")).toHaveLength(10);
    // Its rows may be chosen again, and its number is not used twice.
    const third = await retry(first);
    expect(third).toMatchObject({ state: "succeeded", retryNumber: 2, rows: { total: 10 } });
    expectStatus(await api("DELETE", `/v1/runs/${third.id}`), 204);
    expectStatus(await api("DELETE", `/v1/runs/${first.id}`), 204);
  });

  test("is not deleted while a retry of it is being made, or the other way round", async () => {
    for (let round = 0; round < 5; round++) {
      const first = await runOf({ failEvery: 4, failUntilRetry: 1 });
      const [made, deleted] = await Promise.all([
        api<Run>("POST", `/v1/runs/${first.id}/retry`, { body: {} }),
        api("DELETE", `/v1/runs/${first.id}`),
      ]);
      expect([
        [201, 409],
        [404, 204],
      ]).toContainEqual([made.status, deleted.status]);
    }
  });
});
