/** Processes whose clock is an hour off: what is due, who gets an event, and its time follow the clock of the database. */
import { afterEach, expect, test, vi } from "vitest";
import { receiverSettings, startReceiver } from "../../testing/receiver.ts";
import { startTestService } from "../../testing/service.ts";
import { deliveriesOf, deliveryWith, newEndpoint, recordTestEvent } from "../../testing/webhooks.ts";
import type { RunEvent } from "@rowmill/contract/run-events";
import type { WebhookEndpoint, WebhookReplay } from "@rowmill/contract/webhook-endpoints";
import { parseId } from "../../platform/ids.ts";
import { newDataset, newJobSpec, newRun, numberedRows } from "../../testing/factories.ts";

const HOUR_MS = 3_600_000;

const receiver = await startReceiver();
const service = await startTestService({ ...receiverSettings(receiver), ROWMILL_WEBHOOK_RETRY_SCHEDULE: "0,1" });

afterEach(() => {
  vi.useRealTimers();
});

const setClockOff = (byMs: number) => vi.useFakeTimers({ now: Date.now() + byMs, toFake: ["Date"] });

test("an event that is recorded by a clock which is an hour behind reaches an endpoint that was made before", async () => {
  const { api } = await service.newOrganization();
  const dataset = await newDataset(api, numberedRows(1));
  const jobSpec = await newJobSpec(api, { type: "mock" });
  const { id } = await newEndpoint(api, `${receiver.url}/behind`, { eventTypes: ["run.created"] });
  setClockOff(-HOUR_MS);
  await newRun(api, { datasetId: dataset.id, jobSpecId: jobSpec.id });
  vi.useRealTimers();
  await expect.poll(() => deliveriesOf(api, id)).toMatchObject([{ status: "succeeded" }]);
});

test("an endpoint that is made by a clock which is an hour ahead gets the events that follow", async () => {
  const { api, ...own } = await service.newOrganization();
  setClockOff(HOUR_MS);
  const { id } = await newEndpoint(api, `${receiver.url}/ahead`);
  vi.useRealTimers();
  expect(await deliveryWith(api, id, await recordTestEvent(service, own), "succeeded")).toMatchObject({
    attempts: [{}],
  });
});

test("an attempt that fails by a clock which is an hour ahead is followed by the next as the schedule has it", async () => {
  const { api, ...own } = await service.newOrganization();
  const { id } = await newEndpoint(api, `${receiver.url}/retried`);
  let failed = 0;
  receiver.respond(({ path }) => (path === "/hook/retried" && failed++ === 0 ? { status: 500 } : { status: 200 }));
  setClockOff(HOUR_MS);
  const eventId = await recordTestEvent(service, own);
  await expect.poll(async () => (await deliveriesOf(api, id, eventId))[0]?.attempts.length).toBeGreaterThan(0);
  vi.useRealTimers();
  await deliveryWith(api, id, eventId, "succeeded");
});

test("a worker whose clock is days behind does not say that an endpoint has failed for days", async () => {
  const { api, ...own } = await service.newOrganization();
  const { id } = await newEndpoint(api, `${receiver.url}/failing`);
  // It is set back while an attempt is under way.
  receiver.respond(() => {
    setClockOff(-6 * 24 * HOUR_MS);
    return { status: 500 };
  });
  const eventId = await recordTestEvent(service, own);
  await deliveryWith(api, id, eventId, "failed");
  vi.useRealTimers();
  receiver.respond(() => ({ status: 200 }));
  const { body } = await api<WebhookEndpoint>("GET", `/v1/webhook-endpoints/${id}`);
  expect(Date.parse(String(body.failingSince))).toBeGreaterThan(Date.now() - HOUR_MS);
});

test("an event has one time, that of the database, in the list of its run and in what endpoints get", async () => {
  const { api } = await service.newOrganization();
  const dataset = await newDataset(api, numberedRows(1));
  const jobSpec = await newJobSpec(api, { type: "mock" });
  const { id } = await newEndpoint(api, `${receiver.url}/one-time`, { eventTypes: ["run.created"] });
  const before = Date.now();
  setClockOff(-HOUR_MS);
  const run = await newRun(api, { datasetId: dataset.id, jobSpecId: jobSpec.id });
  vi.useRealTimers();
  await expect.poll(() => deliveriesOf(api, id)).toMatchObject([{ status: "succeeded" }]);
  const { body } = await api<{ data: RunEvent[] }>("GET", `/v1/runs/${run.id}/events?type=run.created`);
  const received = receiver.requests.filter(({ path }) => path === "/hook/one-time");
  const envelopes = received.map((request) => JSON.parse(request.body.toString()) as RunEvent);
  expect(body.data).toHaveLength(1);
  expect(envelopes.map(({ createdAt }) => createdAt)).toEqual(body.data.map(({ createdAt }) => createdAt));
  expect(Date.parse(envelopes[0]!.createdAt)).toBeGreaterThan(before - HOUR_MS / 2);
});

test("a replay finds what was recorded by a clock which is an hour behind, whichever clock asks for it", async () => {
  const { api, organizationId } = await service.newOrganization();
  const dataset = await newDataset(api, numberedRows(1));
  const jobSpec = await newJobSpec(api, { type: "mock" });
  const { id } = await newEndpoint(api, `${receiver.url}/replayed`, { eventTypes: ["run.created"] });
  await api("PATCH", `/v1/webhook-endpoints/${id}`, { body: { enabled: false } });
  const since = new Date(Date.now() - HOUR_MS / 6).toISOString();
  setClockOff(-HOUR_MS);
  await newRun(api, { datasetId: dataset.id, jobSpecId: jobSpec.id });
  vi.useRealTimers();
  const waiting = "select 1 from events where type = 'run.created' and not is_fanned_out and organization_id = $1";
  const organization = parseId("organization", organizationId);
  await expect.poll(() => service.query(waiting, [organization])).toEqual([]);
  const replay = (body: Record<string, unknown>) =>
    api<WebhookReplay>("POST", `/v1/webhook-endpoints/${id}/replay`, { body: { since, dryRun: true, ...body } });
  const until = new Date(Date.now() + HOUR_MS / 6).toISOString();
  expect((await replay({ until })).body).toEqual({ dryRun: true, deliveries: 1 });
  setClockOff(-HOUR_MS);
  const byClockBehind = await replay({});
  vi.useRealTimers();
  expect(byClockBehind.body).toEqual({ dryRun: true, deliveries: 1 });
});
