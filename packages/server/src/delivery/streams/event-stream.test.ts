import { expect, onTestFinished, test, vi } from "vitest";
import { Rowmill } from "@rowmill/client";
import type { ServerSentEvent } from "@rowmill/client";
import type { CreatedApiKey } from "@rowmill/contract/api-keys";
import type { Run } from "@rowmill/contract/runs";
import { parseId } from "../../platform/ids.ts";
import { renderEnvelope } from "../../resources/events/events.ts";
import { expectStatus } from "../../testing/api.ts";
import { cleanUpLater } from "../../testing/cleanup.ts";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "../../testing/factories.ts";
import { startServiceProcess } from "../../testing/service-process.ts";
import type { TestOrganization } from "../../testing/service.ts";
import { startTestService } from "../../testing/service.ts";
import { waitFor } from "../../testing/wait.ts";
import { findFreePort } from "../../platform/free-port.ts";

const service = await startTestService();

const clientOf = ({ apiKey }: Pick<TestOrganization, "apiKey">, baseUrl = service.url) =>
  new Rowmill({ apiKey, baseUrl });
const uuidOf = ({ organizationId }: TestOrganization): string => parseId("organization", organizationId) ?? "";

/** Follows in the background: what has come so far, and the end. */
async function follow(rowmill: Rowmill, options: Parameters<Rowmill["events"]["stream"]>[0] = {}) {
  const messages: ServerSentEvent[] = [];
  const ids: string[] = [];
  const leaving = new AbortController();
  const connected = Promise.withResolvers<void>();
  const ended = (async () => {
    const stream = rowmill.events.stream({
      signal: leaving.signal,
      ...options,
      onId: (id) => {
        ids.push(id);
        connected.resolve();
      },
    });
    for await (const message of stream) messages.push(message);
  })();
  ended.catch(connected.reject);
  await connected.promise;
  return {
    messages,
    ids,
    ended,
    types: () => messages.map(({ event }) => event),
    leave: async () => {
      leaving.abort();
      await ended.catch(() => undefined);
    },
  };
}

const allSoFar = (rowmill: Rowmill, lastEventId = "0", types?: string[]) =>
  Array.fromAsync(rowmill.events.stream({ follow: false, lastEventId, types }));

test("a stream shows that it lives also where the clock of its process is set back", async () => {
  const stream = await follow(clientOf(await service.newOrganization()), { types: ["run.progress"] });
  onTestFinished(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
    return stream.leave();
  });
  const monotonic = performance.now.bind(performance);
  vi.spyOn(performance, "now").mockImplementation(() => monotonic() + 16_000);
  vi.useFakeTimers({ now: Date.now() - 3_600_000, toFake: ["Date"] });
  await expect.poll(() => stream.ids.length).toBeGreaterThan(1);
});

async function runOnce(of: TestOrganization, rows = 5): Promise<string> {
  const dataset = await newDataset(of.api, numberedRows(rows));
  const jobSpec = await newJobSpec(of.api);
  const run = await newRun(of.api, { datasetId: dataset.id, jobSpecId: jobSpec.id });
  await finishedRun(of.api, run.id);
  await waitFor(
    async () => {
      const waiting = "select 1 from events where organization_id = $1 and position is null";
      return (await service.query(waiting, [uuidOf(of)])).length === 0;
    },
    { what: "all events have a position" },
  );
  return run.id;
}

/** Nothing happens on it while the other tests run, which take longer than the pause between two heartbeats. */
const quiet = await follow(clientOf(await service.newOrganization()));
cleanUpLater(quiet.leave);

const RUN_EVENTS = ["run.created", "run.started", "run.succeeded", "run.finished"];

test("a stream has every event from its beginning on, as webhooks deliver them, and no earlier one", async () => {
  const own = await service.newOrganization();
  await runOnce(own);
  const stream = await follow(clientOf(own));
  const runId = await runOnce(own);
  await waitFor(() => stream.types().includes("run.finished"));
  expect(stream.types()).toEqual(["dataset.ready", ...RUN_EVENTS]);
  const ids = stream.messages.map(({ id }) => Number(id));
  expect(ids).toEqual(ids.map((_, i) => (ids[0] ?? 0) + i));
  const [finished] = await service.query<{ payload: string }>(
    "select payload from events where type = 'run.finished' and run_id = $1",
    [parseId("run", runId)],
  );
  expect(JSON.stringify(stream.messages.at(-1)?.data)).toBe(renderEnvelope(finished?.payload ?? "", service.url));
  await stream.leave();
});

test("types and patterns choose; ids move on beyond what is not chosen", async () => {
  const own = await service.newOrganization();
  await runOnce(own);
  const rowmill = clientOf(own);
  expect((await allSoFar(rowmill, "0", ["run.finished", "dataset.*"])).map(({ event }) => event)).toEqual([
    "dataset.ready",
    "run.finished",
  ]);
  const stream = await follow(rowmill, { types: ["export.*"], lastEventId: "0" });
  expect(stream.ids[0]).toBe("0");
  expect(stream.messages).toEqual([]);
  await stream.leave();
  const later = await follow(rowmill, { types: ["export.*"] });
  expect(Number(later.ids[0])).toBeGreaterThanOrEqual(5);
  await later.leave();
});

test("Last-Event-ID takes the stream up after that event, on another process too", async () => {
  const own = await service.newOrganization();
  await runOnce(own);
  const all = await allSoFar(clientOf(own));
  expect(all.map(({ event }) => event)).toEqual(["dataset.ready", ...RUN_EVENTS]);
  const second = await startTestService({ ...service.settings, ROWMILL_ROLE: "api", ROWMILL_PUBLIC_URL: service.url });
  const rest = await follow(clientOf(own, second.url), { lastEventId: all[1]?.id });
  await waitFor(() => rest.messages.length === 3);
  expect(rest.messages).toEqual(all.slice(2));
  await runOnce(own);
  await waitFor(() => rest.types().filter((type) => type === "run.finished").length === 2);
  await rest.leave();

  // A read that waits is woken by the process that works on the run, and a stream ends by a revocation elsewhere.
  const { id, key } = await keyOf(own, ["runs:read"]);
  const stream = await follow(clientOf({ apiKey: key }, second.url));
  const dataset = await newDataset(own.api, numberedRows(1));
  const jobSpec = await newJobSpec(own.api, { type: "mock", delayMs: 1_000 });
  const run = await newRun(own.api, { datasetId: dataset.id, jobSpecId: jobSpec.id });
  const read = async () =>
    (await second.api<Run>("GET", `/v1/runs/${run.id}?waitSeconds=30`, { key: own.apiKey })).body.state;
  await waitFor(async () => (await read()) === "succeeded");
  expectStatus(await own.api("DELETE", `/v1/organizations/${own.organizationId}/api-keys/${id}`), 204);
  await expect(stream.ended).rejects.toThrow("broke off");
  await second.stop();
});

test("ten thousand events of transactions that commit in any order come once each, in one order, live and replayed", async () => {
  const own = await service.newOrganization();
  const [count, writers] = [10_000, 20];
  const stream = await follow(clientOf(own));
  const insert = (writer: number) =>
    service.query(
      `insert into events (organization_id, id, type, payload)
       select $1, gen_random_uuid(), case when n % 2 = 0 then 'run.created' else 'dataset.ready' end,
         json_build_object('id', $2::int * 1000000 + n, 'type', 'x', 'data', json_build_object('url', '/v1'))::text
       from generate_series(1, $3::int) n, pg_sleep($2::int * 0.05)`,
      [uuidOf(own), writer, count / writers],
    );
  await Promise.all(Array.from({ length: writers }, (_, i) => insert(i)));
  await waitFor(() => stream.messages.length >= count, { what: "all events have come" });
  const ids = stream.messages.map(({ id }) => Number(id));
  expect(ids).toEqual(Array.from({ length: count }, (_, i) => i + 1));
  expect(new Set(stream.messages.map(({ data }) => JSON.stringify(data))).size).toBe(count);
  await stream.leave();
  expect(await allSoFar(clientOf(own))).toEqual(stream.messages);
  expect(await allSoFar(clientOf(own), "5000")).toEqual(stream.messages.slice(5000));
  expect(await allSoFar(clientOf(own), "0", ["dataset.*"])).toHaveLength(count / 2);
});

test("events that are no longer stored are reported, at the beginning, in the middle and at the end", async () => {
  const own = await service.newOrganization();
  await service.query(
    `insert into events (organization_id, id, type, payload)
     select $1, gen_random_uuid(), 'dataset.ready', '{"data":{"url":"/v1"}}' from generate_series(1, 1200)`,
    [uuidOf(own)],
  );
  const rowmill = clientOf(own);
  await waitFor(async () => (await allSoFar(rowmill)).length === 1200);
  await service.query("delete from events where organization_id = $1 and position in (1, 2, 7, 1199, 1200)", [
    uuidOf(own),
  ]);
  const all = await allSoFar(rowmill);
  expect(all.filter(({ event }) => event === "stream.gap")).toEqual([
    { id: "2", event: "stream.gap", data: { missedFrom: 1, missedTo: 2, missed: 2 } },
    { id: "7", event: "stream.gap", data: { missedFrom: 7, missedTo: 7, missed: 1 } },
    { id: "1200", event: "stream.gap", data: { missedFrom: 1199, missedTo: 1200, missed: 2 } },
  ]);
  expect(all).toHaveLength(1195 + 3);
  await service.query("delete from events where organization_id = $1", [uuidOf(own)]);
  expect((await allSoFar(rowmill, "3")).map(({ data }) => data)).toEqual([
    { missedFrom: 4, missedTo: 1200, missed: 1197 },
  ]);
});

test("kill -9 of the process in the middle: the client's follow goes on without a gap", async () => {
  const own = await service.newOrganization();
  const port = String(await findFreePort());
  // Both show events with the same URLs.
  const settings = { ...service.settings, ROWMILL_ROLE: "api", ROWMILL_PORT: port, ROWMILL_PUBLIC_URL: service.url };
  const killed = await startServiceProcess(settings);
  const seen: ServerSentEvent[] = [];
  const leaving = new AbortController();
  const connections: string[] = [];
  const connected = Promise.withResolvers<void>();
  const following = (async () => {
    const events = clientOf(own, killed.url).events.follow({
      signal: leaving.signal,
      onConnected: () => {
        connections.push("connected");
        connected.resolve();
      },
      onDisconnected: () => connections.push("disconnected"),
    });
    for await (const event of events) seen.push(event);
  })();
  following.catch(connected.reject);
  await connected.promise;
  await runOnce(own);
  await waitFor(() => seen.length >= 2);
  killed.kill("SIGKILL");
  await killed.exited;
  await runOnce(own);
  const again = await startServiceProcess(settings);
  await runOnce(own);
  await waitFor(() => seen.filter(({ event }) => event === "run.finished").length === 3);
  expect(seen).toEqual(await allSoFar(clientOf(own)));
  expect(connections.slice(0, 2)).toEqual(["connected", "disconnected"]);
  expect(connections.at(-1)).toBe("connected");
  leaving.abort();
  await following.catch(() => undefined);
  await again.stop();
});

test("events of rows are written while a stream asks for them, and not without one", async () => {
  const own = await service.newOrganization();
  await runOnce(own, 3);
  const rowmill = clientOf(own);
  expect(await allSoFar(rowmill, "0", ["row.*"])).toEqual([]);
  const stream = await follow(rowmill, { types: ["*"] });
  const succeeded = await follow(rowmill, { types: ["row.succeeded"] });
  await runOnce(own, 3);
  await waitFor(() => stream.types().includes("run.finished"));
  expect(stream.types().filter((type) => type === "row.succeeded")).toHaveLength(3);
  await waitFor(() => succeeded.messages.length === 3);
  await stream.leave();
  await succeeded.leave();
  await waitFor(async () => (await service.query("select 1 from event_listeners")).length === 0);
});

test("run.progress comes when it is named, for every run in progress", async () => {
  const own = await service.newOrganization();
  const stream = await follow(clientOf(own), { types: ["run.progress"] });
  const dataset = await newDataset(own.api, numberedRows(20));
  const slow = await newJobSpec(own.api, { type: "mock", delayMs: 60_000 });
  const runs: Run[] = [];
  for (let n = 0; n < 2; n++) runs.push(await newRun(own.api, { datasetId: dataset.id, jobSpecId: slow.id }));
  const named = (): unknown[] => stream.messages.map(({ data }) => (data as { runId: string }).runId);
  await waitFor(() => runs.every(({ id }) => named().includes(id)));
  expect(stream.messages[0]).toMatchObject({ id: undefined, event: "run.progress", data: { rows: { total: 20 } } });
  for (const { id } of runs) expectStatus(await own.api("POST", `/v1/runs/${id}/cancel`), 200);
  await stream.leave();
});

const keyOf = async (own: TestOrganization, scopes: string[]): Promise<CreatedApiKey> => {
  const response = await own.api<CreatedApiKey>("POST", `/v1/organizations/${own.organizationId}/api-keys`, {
    body: { name: "Narrow", scopes },
  });
  expectStatus(response, 201);
  return response.body;
};

test("a key follows what it may read", async () => {
  const own = await service.newOrganization();
  await runOnce(own);
  const rowmill = clientOf({ apiKey: (await keyOf(own, ["datasets:read"])).key });
  expect((await allSoFar(rowmill)).map(({ event }) => event)).toEqual(["dataset.ready"]);
  expect((await allSoFar(rowmill, "0", ["*"])).map(({ event }) => event)).toEqual(["dataset.ready"]);
  for (const types of [["run.*"], ["run.finished"], ["dataset.ready", "run.progress"], ["webhook_endpoint.*"]])
    await expect(allSoFar(rowmill, "0", types)).rejects.toMatchObject({ status: 403, code: "insufficient_scope" });
  const blind = clientOf({ apiKey: (await keyOf(own, ["audit:read"])).key });
  await expect(allSoFar(blind)).rejects.toMatchObject({ status: 403, code: "insufficient_scope" });
});

test("a stream ends when its key is revoked, and strangers see nothing of each other", async () => {
  const [own, stranger] = [await service.newOrganization(), await service.newOrganization()];
  const { id, key } = await keyOf(own, ["runs:read"]);
  const stream = await follow(clientOf({ apiKey: key }));
  const theirs = await follow(clientOf(stranger), { lastEventId: "0" });
  await runOnce(own);
  await waitFor(() => stream.types().includes("run.finished"));
  expect(theirs.messages).toEqual([]);
  expectStatus(await own.api("DELETE", `/v1/organizations/${own.organizationId}/api-keys/${id}`), 204);
  await expect(stream.ended).rejects.toThrow("broke off");
  await theirs.leave();
});

test("what cannot be followed is refused with what can", async () => {
  const own = await service.newOrganization();
  const ask = (path: string, lastEventId?: string) =>
    own.api("GET", `/v1/events/stream${path}`, {
      headers: lastEventId === undefined ? {} : { "Last-Event-ID": lastEventId },
    });
  for (const [path, param] of [
    ["?type=run.finishd", "type"],
    ["?type=", "type"],
    ["?type=test.*", "type"],
    [`?type=${"x".repeat(1001)}`, "type"],
    ["?follow=no", "follow"],
  ] as const) {
    const response = await ask(path);
    expect([path.slice(0, 30), response.status, response.body.error.param]).toEqual([path.slice(0, 30), 400, param]);
  }
  expect((await ask("?type=run.finishd")).text).toContain("run.finished");
  // Of another database, or of a log that was restored from a backup.
  for (const id of ["x", "-1", "1", "9007199254740993"])
    expect([id, (await ask("?follow=false", id)).body.error?.param]).toEqual([id, "Last-Event-ID"]);
});

test("a key has as many streams as it may have", async () => {
  const own = await service.newOrganization();
  const streams = [];
  for (let n = 0; n < 20; n++) streams.push(await follow(clientOf(own)));
  expectStatus(await own.api("GET", "/v1/events/stream"), 429);
  for (const stream of streams) await stream.leave();
});

test("a stream on which nothing happens has a heartbeat", async () => {
  await waitFor(() => quiet.ids.length >= 2);
  expect(quiet.messages).toEqual([]);
});
