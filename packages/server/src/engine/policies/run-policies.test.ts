/** What ends or pauses a run early: the breaker and the failure policy. */
import { beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import type { FailurePolicy } from "@rowmill/contract/job-spec-policies";
import type { Run } from "@rowmill/contract/runs";
import type { Dataset } from "@rowmill/contract/datasets";
import { expectStatus } from "../../testing/api.ts";
import type { Api } from "../../testing/api.ts";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "../../testing/factories.ts";
import { startTestService } from "../../testing/service.ts";
import type { TestService } from "../../testing/service.ts";
import { brokenPolicy } from "../../resources/runs/failure-policy.ts";
import { checkPolicies, newPolicyWatch, noteOutcomes, probeRows } from "./run-policies.ts";
import { eventTypes, readAll, runWithoutClaims, runInState } from "../../resources/runs/runs-testing.ts";

const ROWS = 900;

describe.each([
  ["7", "small chunks"],
  ["24", "chunks of one row less than the breaker needs"],
  ["500", "the usual chunks"],
])("with %s rows a chunk (%s)", (chunkRows) => {
  let service: TestService;
  let api: Api;
  let dataset: Dataset;
  beforeAll(async () => {
    service = await startTestService({ ROWMILL_CHUNK_ROWS: chunkRows });
    ({ api } = await service.newOrganization());
    dataset = await newDataset(api, numberedRows(ROWS));
  });

  const start = async (processor: object, more: object = {}): Promise<Run> => {
    const spec = await newJobSpec(api, { type: "mock", ...processor });
    return newRun(api, { datasetId: dataset.id, jobSpecId: spec.id, ...more });
  };

  test("the breaker pauses a run that is misconfigured within 100 rows; resumed, it does not open again", async () => {
    const run = await start({ failEvery: 1, code: "provider_auth_failed" });
    const paused = await runInState(api, run.id, "paused");
    expect(paused).toMatchObject({
      stateReason: "breaker_open",
      stateReasonMessage: expect.stringContaining("first rows failed") as string,
      error: {
        code: "breaker_open",
        message: expect.stringMatching(
          /^25 of the first 25 rows failed .*: provider_auth_failed \(25\)\. One of them: /,
        ) as string,
      },
    });
    expect(paused.nextSteps[0]).toMatchObject({ action: "read_failures", path: `/v1/runs/${run.id}/failure-groups` });
    const { succeeded, failed } = (await runWithoutClaims(service, api, run.id)).rows;
    expect(succeeded).toBe(0);
    expect(failed).toBeGreaterThanOrEqual(25);
    expect(failed).toBeLessThanOrEqual(100);
    const [event] = await readAll(api, `/v1/runs/${run.id}/events?type=run.paused`);
    expect(event).toMatchObject({ data: { state: "paused", reason: "breaker_open" } });
    const resumed = await api<Run>("POST", `/v1/runs/${run.id}/resume`);
    expect(resumed.body).toMatchObject({ stateReason: null, stateReasonMessage: null, error: null, nextSteps: [] });
    const ended = await finishedRun(api, run.id);
    expect(ended).toMatchObject({ state: "failed", error: null, rows: { failed: ROWS } });
    expect(ended.nextSteps.map(({ action }) => action)).toEqual(["read_failures", "retry"]);
    expect((await eventTypes(api, run.id)).filter((type) => type === "run.paused")).toHaveLength(1);
  });

  test("the breaker opens in a run that a person had paused and resumed before", async () => {
    // One row after the other, the breaker has its rows after half a minute: the person comes before it, on a slow machine, too.
    const slow = { failEvery: 1, code: "model_not_found", delayMs: 1_000 };
    const run = await start(slow, { concurrency: 1 });
    const { body } = await api<Run>("POST", `/v1/runs/${run.id}/pause`);
    expect(body).toMatchObject({ state: "paused", stateReason: "by_user" });
    await api("POST", `/v1/runs/${run.id}/resume`);
    expectStatus(await api("PATCH", `/v1/runs/${run.id}`, { body: { concurrency: 60 } }), 200);
    expect(await runInState(api, run.id, "paused")).toMatchObject({ stateReason: "breaker_open" });
    await api("POST", `/v1/runs/${run.id}/cancel`);
  });

  test("the breaker leaves runs alone whose rows fail for other reasons, or not all", async () => {
    const other = await start({ failEvery: 1, code: "content_rejected" });
    const half = await start({ failEvery: 2, code: "provider_auth_failed" });
    expect(await finishedRun(api, other.id)).toMatchObject({ state: "failed", error: null, rows: { failed: ROWS } });
    expect(await finishedRun(api, half.id)).toMatchObject({ state: "partially_succeeded", rows: { failed: ROWS / 2 } });
  });

  test("the failure policy ends a run when too many rows fail", async () => {
    const run = await start({ failEvery: 2 }, { failurePolicy: { maxFailedRows: 5 } });
    const ended = await finishedRun(api, run.id);
    expect(ended).toMatchObject({
      state: "failed",
      error: { code: "failure_policy" },
      failurePolicy: { maxFailedRows: 5 },
    });
    expect(ended.error?.message).toMatch(/^\d+ rows failed, and the failure policy allows 5\.$/);
    expect(ended.rows.succeeded).toBeGreaterThan(0);
    expect(await readAll(api, `/v1/runs/${run.id}/outputs`)).toHaveLength(ended.rows.succeeded);
    expect(await readAll(api, `/v1/runs/${run.id}/rows?state=skipped`)).toHaveLength(ended.rows.skipped);
  });

  test("a failure policy that is kept changes nothing", async () => {
    const run = await start({ failEvery: 10 }, { failurePolicy: { maxFailedPercent: 20 } });
    expect(await finishedRun(api, run.id)).toMatchObject({
      state: "partially_succeeded",
      error: null,
      rows: { failed: 90 },
    });
  });

  test("a failure policy that only the last rows break fails the run, too", async () => {
    // One row after the other: otherwise the last chunk may end first, and the others need not.
    const run = await start({ failEvery: ROWS }, { failurePolicy: { maxFailedRows: 0 }, concurrency: 1 });
    expect(await finishedRun(api, run.id)).toMatchObject({
      state: "failed",
      error: { code: "failure_policy" },
      rows: { failed: 1, succeeded: ROWS - 1 },
    });
  });
});

describe("a failure policy", () => {
  test.each<[FailurePolicy | null, number, number, RegExp | undefined]>([
    [null, 0, 1000, undefined],
    [{}, 0, 1000, undefined],
    [{ maxFailedRows: 3 }, 0, 3, undefined],
    [{ maxFailedRows: 3 }, 0, 4, /4 rows failed/],
    [{ maxFailedPercent: 50 }, 50, 50, undefined],
    [{ maxFailedPercent: 50 }, 49, 51, /51\.0 % of 100 rows/],
    [{ maxFailedPercent: 50 }, 0, 99, undefined],
    [{ maxFailedPercent: 50, minEvaluatedRows: 1 }, 0, 1, /100\.0 % of 1 row\b/],
    [{ maxFailedPercent: 0 }, 999, 1, /0\.1 % of 1000 rows/],
    [{ maxFailedPercent: 0 }, 1000, 0, undefined],
  ])("%j with %i succeeded and %i failed rows", (failurePolicy, succeeded, failed, sentence) => {
    const broken = brokenPolicy({ failurePolicy }, succeeded, failed);
    expect(broken ?? "kept").toMatch(sentence ?? /^kept$/);
  });
});

test.each([
  [1, null],
  [2, null],
  [3, null],
  [4, null],
  [100, null],
  [100, 2],
])(
  "before the breaker is evaluated, %i chunks at a concurrency of %s spend at most 100 rows",
  (chunkCount, concurrency) => {
    const run = { chunkCount, concurrency };
    const lanes = Math.min(chunkCount, concurrency ?? 4, 4);
    const rows = probeRows(newPolicyWatch(), run) ?? Number.POSITIVE_INFINITY;
    expect(24 + lanes * rows).toBeLessThanOrEqual(100);
    expect(rows).toBeGreaterThan(10);
    expect(probeRows({ ...newPolicyWatch(), isPastBreaker: true }, run)).toBeUndefined();
  },
);

test("three rows that did not fail for the configuration keep the breaker closed, and two do not", () => {
  const rowThat = (code: "provider_auth_failed" | "refused" | undefined) => ({
    index: 0,
    attempts: 1,
    durationMs: 0,
    outcome:
      code === undefined ? { ok: true as const, output: "1" } : { ok: false as const, failure: { code, message: "" } },
    usage: undefined,
  });
  const watch = newPolicyWatch();
  noteOutcomes(watch, [rowThat("provider_auth_failed"), rowThat(undefined), rowThat("refused")]);
  expect(watch.isPastBreaker).toBe(false);
  noteOutcomes(watch, [rowThat("provider_auth_failed")]);
  expect(watch.isPastBreaker).toBe(false);
  noteOutcomes(watch, [rowThat(undefined)]);
  expect(watch.isPastBreaker).toBe(true);
});

test("rows are counted for the failure policy also where the clock of the process is set back", async () => {
  vi.useFakeTimers({ toFake: ["Date", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  let counts = 0;
  const executor = {
    transformQuery: (node: unknown) => node,
    compileQuery: () => ({}),
    executeQuery: () => {
      counts++;
      return Promise.resolve({ rows: [] });
    },
  };
  type Check = Parameters<typeof checkPolicies>;
  const database = { db: { getExecutor: () => executor } } as unknown as Check[0]; // a count uses no more of it
  const run = { id: "r", failurePolicy: { maxFailedRows: 5 } } as unknown as Check[1]; // nor of the run
  const watch = { ...newPolicyWatch(), isPastBreaker: true };
  const check = () => checkPolicies(database, run, watch, {} as Check[3]); // nothing is ended
  await check();
  await check();
  expect(counts).toBe(1);
  vi.setSystemTime(Date.now() - 4 * 3_600_000);
  vi.advanceTimersByTime(1_000);
  await check();
  expect(counts).toBe(2);
});
