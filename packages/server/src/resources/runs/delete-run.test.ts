import { expect, test } from "vitest";
import type { Run } from "@rowmill/contract/runs";
import { expectStatus } from "../../testing/api.ts";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "../../testing/factories.ts";
import { startTestService } from "../../testing/service.ts";

test("a run with retries is refused with the names of all, in the order in which they can be deleted", async () => {
  const { api } = await (await startTestService()).newOrganization();
  const dataset = await newDataset(api, numberedRows(4));
  const spec = await newJobSpec(api, { type: "mock", failEvery: 4 });
  const first = await finishedRun(api, (await newRun(api, { datasetId: dataset.id, jobSpecId: spec.id })).id);
  const retry = async (run: Run): Promise<Run> => {
    const response = await api<Run>("POST", `/v1/runs/${run.id}/retry`, { body: {} });
    expectStatus(response, 201);
    return finishedRun(api, response.body.id);
  };
  const older = await retry(first);
  const newer = await retry(first);
  const refused = await api("DELETE", `/v1/runs/${first.id}`);
  expectStatus(refused, 409);
  expect(refused.body.error.message).toBe(
    `2 retry runs build on this run: delete them first, in this order: ${newer.id}, ${older.id}.`,
  );
  for (const { id } of [newer, older, first]) expectStatus(await api("DELETE", `/v1/runs/${id}`), 204);
});
