import { expect, test } from "vitest";
import { Rowmill } from "@rowmill/client";
import type { ServerSentEvent } from "@rowmill/client";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "../../testing/factories.ts";
import { startTestService } from "../../testing/service.ts";

const service = await startTestService();
const { api, apiKey } = await service.newOrganization();
const rowmill = new Rowmill({ apiKey, baseUrl: service.url });
const dataset = await newDataset(api, numberedRows(20));

test("the stream tells every event of a run in order, with progress in between, and ends with the run", async () => {
  const jobSpec = await newJobSpec(api, { type: "mock", delayMs: 1500 });
  const run = await newRun(api, { datasetId: dataset.id, jobSpecId: jobSpec.id });
  const messages: ServerSentEvent[] = await Array.fromAsync(rowmill.runs.streamEvents(run.id));
  const events = messages.filter((message) => message.id !== undefined);
  expect(events.map(({ event }) => event)).toEqual(["run.created", "run.started", "run.succeeded", "run.finished"]);
  expect(events.map(({ id }) => id)).toEqual(["1", "2", "3", "4"]);
  const progress = messages.filter(({ event }) => event === "run.progress");
  expect(progress.length).toBeGreaterThan(0);
  expect(progress[0]).toMatchObject({ id: undefined, data: { runId: run.id, rows: { total: 20 } } });
});

test("Last-Event-ID takes the stream up after that event", async () => {
  const jobSpec = await newJobSpec(api);
  const run = await newRun(api, { datasetId: dataset.id, jobSpecId: jobSpec.id });
  await finishedRun(api, run.id);
  const rest = await Array.fromAsync(rowmill.runs.streamEvents(run.id, { lastEventId: "2" }));
  expect(rest.map(({ id }) => id)).toEqual(["3", "4"]);
});

test("a Last-Event-ID that is none is refused; a stranger's run is not found", async () => {
  const jobSpec = await newJobSpec(api);
  const run = await newRun(api, { datasetId: dataset.id, jobSpecId: jobSpec.id });
  await expect(rowmill.runs.streamEvents(run.id, { lastEventId: "x" }).next()).rejects.toMatchObject({
    status: 400,
    code: "invalid_parameter",
  });
  const stranger = await service.newOrganization();
  const strange = new Rowmill({ apiKey: stranger.apiKey, baseUrl: service.url });
  await expect(strange.runs.streamEvents(run.id).next()).rejects.toMatchObject({ status: 404 });
});
