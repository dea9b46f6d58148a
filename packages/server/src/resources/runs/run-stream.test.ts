import { Client } from "pg";
import { expect, test, vi } from "vitest";
import { Rowmill } from "@rowmill/client";
import type { ServerSentEvent } from "@rowmill/client";
import { isTerminal } from "@rowmill/contract/runs";
import type { Run } from "@rowmill/contract/runs";
import { expectStatus } from "../../testing/api.ts";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "../../testing/factories.ts";
import { startHttpService } from "../../testing/http-service.ts";
import { startTestService } from "../../testing/service.ts";
import { waitFor } from "../../testing/wait.ts";

const http = await startHttpService();
const service = await startTestService({ ROWMILL_CONNECTION_ALLOWED_ORIGINS: http.origin });
const { api, apiKey } = await service.newOrganization();
const rowmill = new Rowmill({ apiKey, baseUrl: service.url });
const dataset = await newDataset(api, numberedRows(20));

test("the stream reports every event of a run in order, with progress in between, and ends with the run", async () => {
  // No row ends before the stream has reported how far the run is.
  const reported = Promise.withResolvers<void>();
  http.respond((_request, response) => void reported.promise.then(() => response.end("{}")));
  const jobSpec = await newJobSpec(api, { type: "http", method: "GET", url: `${http.origin}/{{row.n}}` });
  const run = await newRun(api, { datasetId: dataset.id, jobSpecId: jobSpec.id });
  const messages: ServerSentEvent[] = [];
  for await (const message of rowmill.runs.streamEvents(run.id)) {
    messages.push(message);
    if (message.event === "run.progress") reported.resolve();
  }
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

test("many streams and waiting requests of an organization share their looks at the database", async () => {
  const jobSpec = await newJobSpec(api, { type: "mock", delayMs: 60_000 });
  const runs = [];
  for (let n = 0; n < 3; n++) runs.push(await newRun(api, { datasetId: dataset.id, jobSpecId: jobSpec.id }));
  const streams = runs.flatMap(({ id }) => Array.from({ length: 6 }, () => rowmill.runs.streamEvents(id)));
  for (const stream of streams) await stream.next();
  // On a busy machine, thirty seconds may be over first: then it is asked again.
  const untilEnded = async (id: string): Promise<Run> => {
    for (;;) {
      const { body } = await api<Run>("GET", `/v1/runs/${id}?waitSeconds=30`);
      if (isTerminal(body.state)) return body;
    }
  };
  const waiting = runs.flatMap(({ id }) => Array.from({ length: 10 }, () => untilEnded(id)));
  const statements = vi.spyOn(Client.prototype, "query");
  const since = Date.now();
  const looks = (): string[] => statements.mock.calls.map(([query]) => textOf(query)).filter(isLook);
  await waitFor(() => looks().filter(isOfThreeRuns).length >= 20, { what: "twenty looks at all three runs" });
  // Fifty a second at first, and ever fewer; 48 requests on their own would make a hundred a second and more.
  expect(looks().length).toBeLessThanOrEqual(60 + ((Date.now() - since) / 1_000) * 4);
  for (const { id } of runs) expectStatus(await api("POST", `/v1/runs/${id}/cancel`), 200);
  for (const { state } of await Promise.all(waiting)) expect(state).toBe("canceled");
  for (const stream of streams) {
    const rest = await Array.fromAsync(stream);
    expect(rest.at(-1)).toMatchObject({ event: "run.finished" });
  }
});

/** The statement that reads the runs which are followed. */
const isLook = (text: string): boolean => /from "runs" where .*"id" in \(/.test(text);
const isOfThreeRuns = (text: string): boolean => /"id" in \(\$\d+(?:, \$\d+){2}\)/.test(text);
const textOf = (query: unknown): string =>
  typeof query === "object" && query !== null && "text" in query ? String(query.text) : "";

test("a key has twenty streams at most, and the next one gets an error with a cure", async () => {
  const own = await service.newOrganization();
  const follower = new Rowmill({ apiKey: own.apiKey, baseUrl: service.url });
  const rows = await newDataset(own.api, numberedRows(1));
  const jobSpec = await newJobSpec(own.api, { type: "mock", delayMs: 60_000 });
  const run = await newRun(own.api, { datasetId: rows.id, jobSpecId: jobSpec.id });
  const streams = Array.from({ length: 20 }, () => follower.runs.streamEvents(run.id));
  for (const stream of streams) await stream.next();
  const refused = await own.api("GET", `/v1/runs/${run.id}/events/stream`);
  expectStatus(refused, 429);
  expect(refused.body.error.message).toContain("20 streams");
  expect(
    (await own.api("GET", `/v1/runs/${run.id}/outputs`, { headers: { Accept: "application/x-ndjson" } })).status,
  ).toBe(429);
  await streams[0]?.return(undefined);
  await waitFor(async () => {
    const again = follower.runs.streamEvents(run.id);
    const first = await again.next().catch(() => undefined);
    await again.return(undefined);
    return first;
  });
  expectStatus(await own.api("POST", `/v1/runs/${run.id}/cancel`), 200);
  for (const stream of streams) await Array.fromAsync(stream);
});
