/** An organization whose transforms never end keeps neither runs nor checks of others waiting, and its own runs are ended. */
import { beforeAll, expect, test } from "vitest";
import type { AlertRule } from "@rowmill/contract/alert-rules";
import type { Dataset } from "@rowmill/contract/datasets";
import type { Api } from "../../testing/api.ts";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "../../testing/factories.ts";
import { startTestService } from "../../testing/service.ts";
import type { TestService } from "../../testing/service.ts";
import { waitFor } from "../../testing/wait.ts";
import { getRun } from "../../resources/runs/runs-testing.ts";

const PLACES = 4;
const ENDLESS = "export default () => { for (;;); }";
const ENDLESS_ROWS = 2_000;
/** Each of their rows takes up to a second of a processor that others use as well. */
const SLOW = { timeoutMs: 600_000, what: "rows of endless code have ended" };

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ ROWMILL_WORKER_CONCURRENCY: String(PLACES), ROWMILL_CHUNK_ROWS: "500" });
});

async function startRuns(api: Api, dataset: Dataset, code: string, count: number): Promise<string[]> {
  const spec = await newJobSpec(api, { type: "transform", language: "javascript", code });
  const runs = Array.from({ length: count }, () => newRun(api, { datasetId: dataset.id, jobSpecId: spec.id }));
  return (await Promise.all(runs)).map(({ id }) => id);
}

test("endless transforms leave others their share of the threads, and are ended with what to do next", async () => {
  const [{ api: theirs }, { api: ours }] = [await service.newOrganization(), await service.newOrganization()];
  const ourDataset = await newDataset(ours, numberedRows(500));
  const theirDataset = await newDataset(theirs, numberedRows(ENDLESS_ROWS));
  const endless = await startRuns(theirs, theirDataset, ENDLESS, 3);
  await waitFor(async () => {
    const runs = await Promise.all(endless.map((id) => getRun(theirs, id)));
    return runs.some(({ rows }) => rows.failed > 0);
  }, SLOW);

  // The first ones may be about to be ended.
  const later = await startRuns(theirs, theirDataset, ENDLESS, 3);
  const [quick = ""] = await startRuns(ours, ourDataset, "export default (row) => row.n * 2", 1);
  const rule = await ours<AlertRule>("POST", "/v1/alert-rules", {
    body: {
      name: "Failed runs",
      eventType: "run.failed",
      filter: "event.data.state == 'failed'",
      destination: { type: "webhook", url: "https://alerts.example.com/in" },
    },
  });
  expect(rule.status).toBe(201);
  expect(await finishedRun(ours, quick, SLOW.timeoutMs)).toMatchObject({
    state: "succeeded",
    rows: { succeeded: 500 },
  });
  // They were at it all the time, and have much left.
  const runs = await Promise.all(later.map((id) => getRun(theirs, id)));
  expect(runs.some(({ finishedAt }) => finishedAt === null)).toBe(true);

  for (const id of [...endless.slice(1), ...later]) await theirs("POST", `/v1/runs/${id}/cancel`);
  const ended = await finishedRun(theirs, endless[0] ?? "", SLOW.timeoutMs);
  expect(ended).toMatchObject({
    state: "failed",
    error: { code: "time_limit_exceeded", message: expect.stringContaining("retry the run") as string },
  });
  expect(ended.rows.failed).toBeGreaterThanOrEqual(20);
  expect(ended.rows.skipped).toBeGreaterThan(ENDLESS_ROWS / 2);
}, 1_800_000);
