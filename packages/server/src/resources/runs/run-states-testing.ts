/** Runs that tests meet in a known state. */
import { expect } from "vitest";
import type { Output } from "@rowmill/contract/run-results";
import type { Run } from "@rowmill/contract/runs";
import { expectStatus } from "../../testing/api.ts";
import { newDataset, newJobSpec, newRun, numberedRows } from "../../testing/factories.ts";
import { startTestService } from "../../testing/service.ts";
import { waitFor } from "../../testing/wait.ts";
import { expectCountsToAddUp, getRun, readAll } from "./runs-testing.ts";

export const ROWS = 60;

/** A service with a dataset and job specs whose rows are quick, slow, or never end. */
export async function startStateService() {
  const service = await startTestService({ ROWMILL_CHUNK_ROWS: "7" });
  const { api } = await service.newOrganization();
  const dataset = await newDataset(api, numberedRows(ROWS));
  /** Takes about a quarter of a second for a row; with a concurrency of one, a run of it is easily met half-way. */
  const slowSpecId = (await newJobSpec(api, { type: "mock", delayMs: 250 }, { concurrency: 1 })).id;
  /** Its rows stay in flight until somebody abandons them. */
  const hangingSpecId = (await newJobSpec(api, { type: "mock", delayMs: 60_000 })).id;
  const quickSpecId = (await newJobSpec(api)).id;

  const start = (jobSpecId: string, more: object = {}): Promise<Run> =>
    newRun(api, { datasetId: dataset.id, jobSpecId, ...more });

  const act = async (run: Run, action: "cancel" | "pause" | "resume"): Promise<Run> => {
    const response = await api<Run>("POST", `/v1/runs/${run.id}/${action}`);
    expectStatus(response, 200);
    expectCountsToAddUp(response.body);
    return response.body;
  };

  const runWithFinishedRows = (run: Run): Promise<Run> =>
    waitFor(async () => {
      const now = await getRun(api, run.id);
      return now.rows.succeeded > 0 ? now : undefined;
    });

  const runWithRowsInFlight = (run: Run): Promise<Run> =>
    waitFor(async () => {
      const now = await getRun(api, run.id);
      return now.rows.running > 0 ? now : undefined;
    });

  /** Outputs stand at their rows, and there are as many as are counted. */
  async function expectOutputsToFit(run: Run): Promise<void> {
    const outputs = await readAll<Output>(api, `/v1/runs/${run.id}/outputs`);
    expect(outputs).toHaveLength(run.rows.succeeded);
    for (const { index, data } of outputs) expect(data).toEqual({ echo: { n: index } });
  }
  return {
    service,
    api,
    dataset,
    slowSpecId,
    hangingSpecId,
    quickSpecId,
    start,
    act,
    runWithFinishedRows,
    runWithRowsInFlight,
    expectOutputsToFit,
  };
}
