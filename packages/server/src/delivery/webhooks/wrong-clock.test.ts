/** Processes whose clock is an hour off: what is due, and who gets an event, follows the clock of the database. */
import { afterEach, expect, test, vi } from "vitest";
import { receiverSettings, startReceiver } from "../../testing/receiver.ts";
import { startTestService } from "../../testing/service.ts";
import { deliveriesOf, deliveryWith, newEndpoint, recordTestEvent } from "../../testing/webhooks.ts";
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
  await expect.poll(() => deliveriesOf(api, id), { timeout: 60_000 }).toMatchObject([{ status: "succeeded" }]);
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
  await expect
    .poll(async () => (await deliveriesOf(api, id, eventId))[0]?.attempts.length, { timeout: 60_000 })
    .toBeGreaterThan(0);
  vi.useRealTimers();
  await deliveryWith(api, id, eventId, "succeeded");
});
