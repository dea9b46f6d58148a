import { beforeAll, describe, expect, test } from "vitest";
import { failureCodeNames } from "@rowmill/contract/failures";
import type { Failure, Output, RunRow } from "@rowmill/contract/run-results";
import type { Run } from "@rowmill/contract/runs";
import type { Dataset, DatasetRow } from "@rowmill/contract/datasets";
import { expectStatus } from "../../testing/api.ts";
import type { Api } from "../../testing/api.ts";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "../../testing/factories.ts";
import { startTestService } from "../../testing/service.ts";
import type { TestService } from "../../testing/service.ts";
import { eventTypes, expectCountsToAddUp, getRun, readAll, readStream } from "./runs-testing.ts";

const ROWS = 250;
const FAIL_EVERY = 10;

let service: TestService;
let api: Api;
let dataset: Dataset;
let jobSpecId: string;

beforeAll(async () => {
  // Many chunks, the last of which is shorter.
  service = await startTestService({ ROWMILL_CHUNK_ROWS: "7" });
  ({ api } = await service.newOrganization());
  dataset = await newDataset(api, numberedRows(ROWS));
  jobSpecId = (await newJobSpec(api, { type: "mock", failEvery: FAIL_EVERY })).id;
});

const indexes = (count: number): number[] => Array.from({ length: count }, (_unused, i) => i);
const fails = (index: number): boolean => (index + 1) % FAIL_EVERY === 0;

/** Every row's result in both forms of the lists, and as the run counts them. */
async function expectResults(run: Run, expected: number[]): Promise<void> {
  const outputs = await readAll<Output>(api, `/v1/runs/${run.id}/outputs`);
  const failures = await readAll<Failure>(api, `/v1/runs/${run.id}/failures`);
  expect(outputs.map(({ index, data }) => ({ index, data }))).toEqual(
    expected.filter((index) => !fails(index)).map((n) => ({ index: n, data: { echo: { n } } })),
  );
  expect(failures.map(({ index }) => index)).toEqual(expected.filter(fails));
  expect(run.rows).toEqual({
    total: expected.length,
    pending: 0,
    running: 0,
    succeeded: outputs.length,
    failed: failures.length,
    canceled: 0,
    skipped: 0,
  });
}

describe("a run over all rows", () => {
  let run: Run;
  beforeAll(async () => {
    run = await finishedRun(api, (await newRun(api, { datasetId: dataset.id, jobSpecId })).id);
  });

  test("gives every row its own result, and counts it once", async () => {
    expect(run).toMatchObject({
      state: "partially_succeeded",
      error: null,
      progress: { percent: 100, etaSeconds: null },
    });
    expect(run.usage.attempts).toBe(ROWS);
    await expectResults(run, indexes(ROWS));
  });

  test("reports its course in events without gaps", async () => {
    expect(await eventTypes(api, run.id)).toEqual([
      "run.created",
      "run.started",
      "run.partially_succeeded",
      "run.finished",
    ]);
    const [started] = await readAll<{ type: string }>(api, `/v1/runs/${run.id}/events?type=run.started,run.paused`);
    expect(started).toMatchObject({ type: "run.started", data: { object: "run", id: run.id, state: "running" } });
  });

  test("describes failures by their code", async () => {
    const [first] = await readAll<Failure>(api, `/v1/runs/${run.id}/failures`);
    expect(first).toMatchObject({
      index: 9,
      code: "provider_overloaded",
      class: "transient",
      retryable: true,
      attempts: 1,
      details: null,
    });
    expect(await readAll(api, `/v1/runs/${run.id}/failures?retryable=false`)).toEqual([]);
    const { code } = (await readAll<Failure>(api, `/v1/runs/${run.id}/failures`))[0] ?? { code: "none" };
    const others = failureCodeNames.filter((other) => other !== code);
    for (const query of [`code=${code}`, `code=${failureCodeNames.join(",")}`, `code=${code}&retryable=true`])
      expect(await readAll(api, `/v1/runs/${run.id}/failures?${query}`)).toHaveLength(ROWS / FAIL_EVERY);
    for (const query of [`code=${others.join(",")}`, `code=${code}&retryable=false`])
      expect(await readAll(api, `/v1/runs/${run.id}/failures?${query}`)).toEqual([]);
    const failedRows = await readAll<RunRow>(api, `/v1/runs/${run.id}/rows?code=${code}`);
    expect(failedRows).toEqual(await readAll(api, `/v1/runs/${run.id}/rows?state=failed`));
    expect(await readAll(api, `/v1/runs/${run.id}/rows?code=${code}&state=failed,pending`)).toEqual(failedRows);
    expect(await readAll(api, `/v1/runs/${run.id}/rows?code=${code}&state=succeeded`)).toEqual([]);
    expect(await readAll(api, `/v1/runs/${run.id}/rows?code=${others.join(",")}`)).toEqual([]);
    expect(await readAll(api, `/v1/runs/${run.id}/failures?retryable=true`)).toHaveLength(ROWS / FAIL_EVERY);
  });

  test.each(["rows", "outputs", "failures", "resolved-results"])(
    "returns the same %s in small pages, large pages and as a stream",
    async (list) => {
      const path = `/v1/runs/${run.id}/${list}`;
      const large = await readAll<{ index: number }>(api, path);
      expect(large.length).toBeGreaterThan(0);
      expect(await readAll(api, path, 3)).toEqual(large);
      expect(await readAll(api, path, 17)).toEqual(large);
      expect(await readStream(api, path)).toEqual(large);
    },
  );

  test("ends a list exactly at its last item", async () => {
    const count = ROWS / FAIL_EVERY;
    const page = await api("GET", `/v1/runs/${run.id}/failures?limit=${count}`);
    expect(page.body.data).toHaveLength(count);
    expect(page.body.nextCursor).toBeNull();
  });

  test("lists rows by state", async () => {
    const rows = await readAll<RunRow>(api, `/v1/runs/${run.id}/rows`);
    expect(rows.map(({ index }) => index)).toEqual(indexes(ROWS));
    expect(rows[9]).toMatchObject({ state: "failed", attempts: 1, error: { code: "provider_overloaded" } });
    expect(rows[8]).toMatchObject({ state: "succeeded", attempts: 1, error: null });
    const failed = await readAll<RunRow>(api, `/v1/runs/${run.id}/rows?state=failed`, 4);
    expect(failed).toEqual(rows.filter(({ state }) => state === "failed"));
    expect(await readAll(api, `/v1/runs/${run.id}/rows?state=failed,succeeded`)).toEqual(rows);
    expect(await readAll(api, `/v1/runs/${run.id}/rows?state=pending,running,canceled,skipped`)).toEqual([]);
  });

  test("returns the output of one row", async () => {
    const { body: row } = await api<{ data: DatasetRow[] }>("GET", `/v1/datasets/${dataset.id}/rows?limit=10`);
    const [good, bad] = [row.data[3], row.data[9]];
    const one = await readAll<Output>(api, `/v1/runs/${run.id}/outputs?datasetRowId=${good?.id}`);
    expect(one).toEqual([expect.objectContaining({ index: 3, datasetRowId: good?.id })]);
    expect(await readAll(api, `/v1/runs/${run.id}/outputs?datasetRowId=${bad?.id}`)).toEqual([]);
    const other = await newDataset(api, numberedRows(5));
    const { body: otherRow } = await api<{ data: DatasetRow[] }>("GET", `/v1/datasets/${other.id}/rows?limit=4`);
    expect(await readAll(api, `/v1/runs/${run.id}/outputs?datasetRowId=${otherRow.data[3]?.id}`)).toEqual([]);
  });
});

describe("the scope", () => {
  const scoped = async (scope: NonNullable<Run["scope"]>): Promise<Run> =>
    finishedRun(api, (await newRun(api, { datasetId: dataset.id, jobSpecId, scope })).id);

  test.each([
    ["limit within a chunk", { type: "limit", count: 5 }, indexes(5)],
    ["limit at a chunk's end", { type: "limit", count: 14 }, indexes(14)],
    ["limit past a chunk's end", { type: "limit", count: 15 }, indexes(15)],
    ["limit past the dataset's end", { type: "limit", count: 1_000_000 }, indexes(ROWS)],
    ["range within one chunk", { type: "range", from: 8, to: 12 }, [8, 9, 10, 11]],
    ["range over chunks' edges", { type: "range", from: 6, to: 22 }, indexes(22).slice(6)],
    ["range of whole chunks", { type: "range", from: 7, to: 21 }, indexes(21).slice(7)],
    ["range of the last row and beyond", { type: "range", from: ROWS - 1, to: ROWS + 500 }, [ROWS - 1]],
    ["sample of more than there is", { type: "sample", count: ROWS + 1, seed: 1 }, indexes(ROWS)],
  ] as const)("%s", async (_name, scope, expected) => {
    await expectResults(await scoped(scope), [...expected]);
  });

  test("a sample is as large as asked, the same for the same seed, and another for another", async () => {
    const draw = async (seed: number): Promise<number[]> => {
      const run = await scoped({ type: "sample", count: 40, seed });
      return (await readAll<RunRow>(api, `/v1/runs/${run.id}/rows`)).map(({ index }) => index);
    };
    const first = await draw(1);
    expect(new Set(first).size).toBe(40);
    expect(await draw(1)).toEqual(first);
    expect(await draw(2)).not.toEqual(first);
  });

  test("named rows are taken once each, in the order of the dataset", async () => {
    const { body } = await api<{ data: DatasetRow[] }>("GET", `/v1/datasets/${dataset.id}/rows?limit=250`);
    const wanted = [249, 0, 6, 7, 20, 6];
    const run = await scoped({ type: "rows", rowIds: wanted.map((index) => body.data[index]?.id ?? "") });
    await expectResults(run, [0, 6, 7, 20, 249]);
  });

  test.each([
    ["a range past the end", { type: "range", from: ROWS, to: ROWS + 1 }, "scope.from"],
    ["a range the wrong way round", { type: "range", from: 5, to: 5 }, "scope.from"],
  ])("%s can select nothing", async (_name, scope, param) => {
    const response = await api("POST", "/v1/runs", { body: { datasetId: dataset.id, jobSpecId, scope } });
    expectStatus(response, 422);
    expect(response.body.error).toMatchObject({ code: "scope_invalid", param });
  });

  test("rows of another dataset, or behind the end, can not be selected", async () => {
    const other = await newDataset(api, numberedRows(3));
    const { body } = await api<{ data: DatasetRow[] }>("GET", `/v1/datasets/${other.id}/rows`);
    const beyond = `row_${dataset.id.slice("ds_".length)}${ROWS.toString(16).padStart(8, "0")}`;
    for (const rowId of [body.data[0]?.id, beyond]) {
      const response = await api("POST", "/v1/runs", {
        body: { datasetId: dataset.id, jobSpecId, scope: { type: "rows", rowIds: [rowId] } },
      });
      expectStatus(response, 422);
      expect(response.body.error).toMatchObject({ code: "scope_invalid", param: "scope.rowIds.0" });
    }
  });
});

test("the counters of a run under way always add up, and finished rows never become fewer", async () => {
  // Seconds, in which a busy machine responds to more than a few requests, too.
  const slow = await newJobSpec(api, { type: "mock", failEvery: 3, delayMs: 200 });
  const run = await newRun(api, { datasetId: dataset.id, jobSpecId: slow.id, concurrency: 8 });
  let finished = 0;
  let samples = 0;
  for (let now = run; now.finishedAt === null; now = await getRun(api, run.id)) {
    expectCountsToAddUp(now);
    expect(now.rows.canceled + now.rows.skipped).toBe(0);
    expect(now.rows.succeeded + now.rows.failed).toBeGreaterThanOrEqual(finished);
    expect(now.progress.percent).toBeLessThan(100);
    finished = now.rows.succeeded + now.rows.failed;
    samples++;
  }
  expect(samples).toBeGreaterThan(3);
  expect((await getRun(api, run.id)).rows).toMatchObject({ succeeded: 167, failed: 83, pending: 0, running: 0 });
});

test("runs are listed newest first and filtered by state, dataset, job spec and time", async () => {
  const { api: own } = await service.newOrganization();
  const [one, two] = [await newDataset(own, numberedRows(3)), await newDataset(own, numberedRows(3))];
  const [good, bad] = [await newJobSpec(own), await newJobSpec(own, { type: "mock", failEvery: 1 })];
  const first = await finishedRun(own, (await newRun(own, { datasetId: one.id, jobSpecId: good.id })).id);
  const second = await finishedRun(own, (await newRun(own, { datasetId: two.id, jobSpecId: good.id })).id);
  const third = await finishedRun(own, (await newRun(own, { datasetId: two.id, jobSpecId: bad.id })).id);
  const ids = async (query: string): Promise<string[]> =>
    (await readAll<Run>(own, `/v1/runs?${query}`)).map(({ id }) => id);
  expect(await ids("")).toEqual([third.id, second.id, first.id]);
  expect((await readAll<Run>(own, "/v1/runs", 1)).map(({ id }) => id)).toEqual([third.id, second.id, first.id]);
  expect(await ids("state=failed")).toEqual([third.id]);
  expect(await ids("state=succeeded,failed")).toEqual([third.id, second.id, first.id]);
  expect(await ids(`datasetId=${two.id}`)).toEqual([third.id, second.id]);
  expect(await ids(`jobSpecId=${good.id}&datasetId=${two.id}`)).toEqual([second.id]);
  expect(await ids(`createdAfter=${second.createdAt}`)).toEqual([third.id, second.id]);
  expect(await ids(`createdBefore=${second.createdAt}`)).toEqual([first.id]);
  // A cursor belongs to the filter and not to how it was written.
  const page = await own<{ nextCursor: string }>("GET", "/v1/runs?state=failed,succeeded&limit=2");
  expect(await ids(`state=succeeded,failed&cursor=${encodeURIComponent(page.body.nextCursor)}`)).toEqual([first.id]);
  // A plus sign is a space in a query: the error says how it is written.
  const local = "2020-01-01T10:00:00+01:00";
  expect(await ids(`createdBefore=${encodeURIComponent(local)}`)).toEqual([]);
  const lost = await own("GET", `/v1/runs?createdBefore=${local}`);
  expect([lost.status, lost.body.error.message]).toEqual([400, expect.stringContaining("write `%2B`")]);
  const wrong = await own("GET", "/v1/runs?createdBefore=yesterday+evening");
  expect(wrong.body.error.message).not.toContain("%2B");
  const { api: stranger } = await service.newOrganization();
  expect(await readAll(stranger, `/v1/runs?datasetId=${two.id}`)).toEqual([]);
});

test("a page of large outputs is cut short, and reading on gives them all", async () => {
  const large = await newDataset(api, numberedRows(40));
  const code = "export default (row) => ({ n: row.n, text: 'x'.repeat(1_000_000) })";
  const spec = await newJobSpec(api, { type: "transform", code });
  const run = await finishedRun(api, (await newRun(api, { datasetId: large.id, jobSpecId: spec.id })).id);
  expect(run.state).toBe("succeeded");
  const page = await api<{ data: Output[]; nextCursor: string | null }>("GET", `/v1/runs/${run.id}/outputs?limit=1000`);
  expect(page.body.data.length).toBeLessThan(40);
  expect(page.text.length).toBeLessThan(40_000_000);
  const outputs = await readAll<Output>(api, `/v1/runs/${run.id}/outputs`);
  expect(outputs.map(({ data }) => (data as { n: number }).n)).toEqual(indexes(40));
});
