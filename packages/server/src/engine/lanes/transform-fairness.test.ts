/** An organization whose transforms never end keeps neither runs nor checks of others waiting, and its own runs are ended. */
import { beforeAll, expect, test } from "vitest";
import type { AlertRule } from "@rowmill/contract/alert-rules";
import type { Dataset } from "@rowmill/contract/datasets";
import { isTerminal } from "@rowmill/contract/runs";
import type { Api } from "../../testing/api.ts";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "../../testing/factories.ts";
import { startTestService } from "../../testing/service.ts";
import type { TestService } from "../../testing/service.ts";
import { waitFor } from "../../testing/wait.ts";
import { getRun } from "../../resources/runs/runs-testing.ts";

const PLACES = 2;
const ENDLESS = "export default () => { for (;;); }";
const ENDLESS_ROWS = 2_000;
/** Each is ended after some rows; so many are there at any time. */
const ENDLESS_RUNS = 3;
/** Each of their rows takes up to a second of a processor that others use as well. */
const SLOW_MS = 1_200_000;

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ ROWMILL_WORKER_CONCURRENCY: String(PLACES), ROWMILL_CHUNK_ROWS: "500" });
});

async function startRuns(api: Api, dataset: Dataset, code: string, count: number): Promise<string[]> {
  const spec = await newJobSpec(api, { type: "transform", language: "javascript", code });
  const runs = Array.from({ length: count }, () => newRun(api, { datasetId: dataset.id, jobSpecId: spec.id }));
  return (await Promise.all(runs)).map(({ id }) => id);
}

test(
  "endless transforms leave others their share of the threads, and are ended with what to do next",
  async () => {
    const [{ api: theirs }, { api: ours }] = [await service.newOrganization(), await service.newOrganization()];
    const ourDataset = await newDataset(ours, numberedRows(500));
    const theirDataset = await newDataset(theirs, numberedRows(ENDLESS_ROWS));
    const endless = await startRuns(theirs, theirDataset, ENDLESS, ENDLESS_RUNS);
    const readEndless = () => Promise.all(endless.map((id) => getRun(theirs, id)));
    await waitFor(async () => (await readEndless()).some(({ rows }) => rows.failed > 0), {
      timeoutMs: SLOW_MS,
      what: "rows of endless code have ended",
    });

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
    const openEndless = async () => (await readEndless()).filter(({ finishedAt }) => finishedAt === null);
    const ofQuick = await waitFor(
      async () => {
        const run = await getRun(ours, quick);
        if (isTerminal(run.state)) return run;
        const ended = ENDLESS_RUNS - (await openEndless()).length;
        if (ended > 0) endless.push(...(await startRuns(theirs, theirDataset, ENDLESS, ended)));
        return undefined;
      },
      { timeoutMs: SLOW_MS, what: "the run beside endless ones has ended" },
    );
    expect(ofQuick).toMatchObject({ state: "succeeded", rows: { succeeded: 500 } });
    // They were at it all the time, and have much left.
    expect(await openEndless()).not.toEqual([]);

    for (const id of endless.slice(1)) await theirs("POST", `/v1/runs/${id}/cancel`);
    const ended = await finishedRun(theirs, endless[0] ?? "", SLOW_MS);
    expect(ended).toMatchObject({
      state: "failed",
      error: { code: "time_limit_exceeded", message: expect.stringContaining("retry the run") as string },
    });
    // Another lane may have seen one of the twenty that it had not recorded yet when the run ended.
    expect(ended.rows.failed).toBeGreaterThanOrEqual(20 - (PLACES - 1));
    expect(ended.rows.skipped).toBeGreaterThan(ENDLESS_ROWS / 2);
  },
  3 * SLOW_MS,
);
