import { expect, onTestFinished, test } from "vitest";
import type { WebhookDelivery } from "@rowmill/contract/webhook-deliveries";
import { parseId } from "../../platform/ids.ts";
import type { Api } from "../../testing/api.ts";
import { receiverSettings, startReceiver } from "../../testing/receiver.ts";
import { startServiceProcess } from "../../testing/service-process.ts";
import { startTestService } from "../../testing/service.ts";
import { waitFor } from "../../testing/wait.ts";
import { deliveriesOf, newEndpoint, recordTestEvent, recordTestEvents } from "../../testing/webhooks.ts";

const receiver = await startReceiver();
const dead = await startReceiver();
const settings = receiverSettings(receiver, dead);
// On a busy machine, more than one attempt may find no connection in its five seconds.
const service = await startTestService({ ...settings, ROWMILL_WEBHOOK_RETRY_SCHEDULE: "0,1,1,1,1,3600" });

/** The delivery, once an attempt has got this status: one before it may have found no connection. */
const withStatus = (api: Api, id: string, eventId: string, status: number): Promise<WebhookDelivery> =>
  waitFor(async () => {
    const [delivery] = await deliveriesOf(api, id, eventId);
    return delivery?.attempts.some(({ responseStatus }) => responseStatus === status) ? delivery : undefined;
  });

const countAt = (path: string) => receiver.requests.filter((request) => request.path === path).length;

test("endpoints that never respond delay no other", async () => {
  const { api, ...own } = await service.newOrganization();
  dead.respond("never");
  const deadIds: string[] = [];
  for (let i = 0; i < 10; i += 1) deadIds.push((await newEndpoint(api, `${dead.url}/${i}`)).id);
  const well = await newEndpoint(api, `${receiver.url}/beside-dead`);
  const attemptsTo = async (id: string) => (await deliveriesOf(api, id)).flatMap(({ attempts }) => attempts);
  const whatIsFirst = (count: number, attempts: number) =>
    waitFor(async () => {
      if (countAt("/hook/beside-dead") === count) return "all are delivered";
      return (await attemptsTo(deadIds[0]!)).length >= attempts && "an attempt has timed out";
    });
  // Of each, an endpoint could have eight in flight, and the organization no more than thirty-two.
  await recordTestEvents(service, own, 8);
  expect(await whatIsFirst(8, 1)).toBe("all are delivered");
  await recordTestEvents(service, own, 8);
  expect(await whatIsFirst(16, 2)).toBe("all are delivered");
  // A receiver that has never responded has one attempt in flight at a time.
  const begun = dead.requests.length;
  const ended = (await Promise.all(deadIds.map(attemptsTo))).flat().length;
  expect(begun).toBeLessThanOrEqual(deadIds.length + ended);
  // An attempt is recorded a moment after it was received.
  const succeeded = async () => (await deliveriesOf(api, well.id)).filter(({ status }) => status === "succeeded");
  await expect.poll(async () => (await succeeded()).length).toBe(16);

  // What timed out is recorded as such, and tried again. On a busy machine another attempt may not even have had a connection.
  const timeouts = async () =>
    (await Promise.all(deadIds.map(attemptsTo)))
      .flat()
      .filter(({ message }) => message.startsWith("No complete response"));
  await expect.poll(async () => (await timeouts()).length).toBeGreaterThan(0);
  const [timedOut] = await timeouts();
  expect(timedOut).toMatchObject({ outcome: "timeout", responseStatus: null });
  expect(timedOut!.durationMs).toBeGreaterThanOrEqual(14_900);
  for (const id of deadIds) await api("DELETE", `/v1/webhook-endpoints/${id}`);
});

test("an endpoint has at most eight attempts in flight", async () => {
  const { api, ...own } = await service.newOrganization();
  let inFlight = 0;
  let most = 0;
  const path = "/hook/busy";
  receiver.respond((request) => {
    if (request.path !== path) return { status: 200 };
    most = Math.max(most, ++inFlight);
    setTimeout(() => (inFlight -= 1), 100);
    return { status: 200, delayMs: 100 };
  });
  const { id } = await newEndpoint(api, `https://${receiver.host}${path}`);
  await recordTestEvents(service, own, 60);
  const succeeded = async () => (await deliveriesOf(api, id)).filter(({ status }) => status === "succeeded").length;
  await expect.poll(succeeded).toBe(60);
  expect(most).toBeLessThanOrEqual(8);
  expect(most).toBeGreaterThan(1);
  receiver.respond({ status: 200 });
});

test("a Retry-After of the receiver lengthens the wait", async () => {
  const { api, ...own } = await service.newOrganization();
  receiver.respond({ status: 429, headers: { "retry-after": "120" } });
  const { id } = await newEndpoint(api, `${receiver.url}/limited`);
  const eventId = await recordTestEvent(service, own);
  const delivery = await withStatus(api, id, eventId, 429);
  const waitMs = Date.parse(delivery.nextAttemptAt!) - Date.parse(delivery.attempts.at(-1)!.startedAt);
  expect(waitMs).toBeGreaterThanOrEqual(120_000);
  // It counts from the end of the attempt, which is before now.
  expect(Date.parse(delivery.nextAttemptAt!)).toBeLessThanOrEqual(Date.now() + 120_000);
  receiver.respond({ status: 200 });
});

test("a redirect is a failure, and is not followed", async () => {
  const { api, ...own } = await service.newOrganization();
  receiver.respond(({ path }) =>
    path === "/hook/moved" ? { status: 301, headers: { location: `${receiver.url}/elsewhere` } } : { status: 200 },
  );
  const { id } = await newEndpoint(api, `${receiver.url}/moved`);
  const eventId = await recordTestEvent(service, own);
  const { attempts } = await withStatus(api, id, eventId, 301);
  expect(attempts.find(({ responseStatus }) => responseStatus === 301)!.message).toContain("never followed");
  expect(countAt("/hook/elsewhere")).toBe(0);
  receiver.respond({ status: 200 });
});

test("an attempt that hangs up, and a host that does not exist, are recorded with their reason", async () => {
  const { api, ...own } = await service.newOrganization();
  receiver.respond("hang_up");
  const hangsUp = await newEndpoint(api, `${receiver.url}/hangs-up`);
  const nowhere = await newEndpoint(api, "https://no-such-host.invalid/");
  const eventId = await recordTestEvent(service, own);
  for (const [id, outcome] of [
    [hangsUp.id, "connect"],
    [nowhere.id, "dns"],
  ] as const) {
    const attempts = async () => (await deliveriesOf(api, id, eventId)).flatMap((delivery) => delivery.attempts);
    await expect
      .poll(attempts)
      .toContainEqual(
        expect.objectContaining<Partial<WebhookDelivery["attempts"][number]>>({ outcome, responseStatus: null }),
      );
  }
  for (const { id } of [hangsUp, nowhere]) await api("DELETE", `/v1/webhook-endpoints/${id}`);
  receiver.respond({ status: 200 });
});

test("two workers deliver each event once", async () => {
  const second = await startTestService(service.settings);
  // Also where it fails: it would deliver for the tests behind it.
  onTestFinished(async () => {
    await second.stop();
    receiver.respond({ status: 200 });
  });
  const { api, ...own } = await service.newOrganization();
  const pathTo = (i: number) => `/hook/two-workers-${i}`;
  const endpoints: string[] = [];
  for (let i = 0; i < 4; i += 1) endpoints.push((await newEndpoint(api, `https://${receiver.host}${pathTo(i)}`)).id);
  receiver.respond({ status: 200, delayMs: 5 });
  const ids: string[] = [];
  for (let i = 0; i < 5; i += 1) ids.push(...(await recordTestEvents(service, own, 40)));
  const unfanned = () =>
    service.query("select id from events where not is_fanned_out and organization_id = $1", [
      parseId("organization", own.organizationId),
    ]);
  const pending = async () =>
    (await api<{ data: WebhookDelivery[] }>("GET", "/v1/webhook-deliveries?status=pending&limit=9")).body.data;
  // Each as it is, with its attempts: what is left says why.
  await expect.poll(async () => [...(await unfanned()), ...(await pending())]).toEqual([]);
  for (const [i, id] of endpoints.entries()) {
    const deliveries = await deliveriesOf(api, id);
    expect(deliveries.map(({ eventId }) => eventId).toSorted()).toEqual(ids.toSorted());
    expect(deliveries.filter(({ status }) => status !== "succeeded")).toEqual([]);
    const requests = receiver.requests.filter(({ path }) => path === pathTo(i));
    const received = Map.groupBy(requests, ({ headers }) => headers["service-webhook-id"]);
    // Once, but for an attempt whose response came too late. What another worker sends as well is an attempt of nobody.
    for (const { eventId, attempts } of deliveries) {
      const begun = attempts.filter(({ message }) => !message.startsWith("No connection")).length;
      expect([eventId, received.get(eventId)?.length]).toEqual([eventId, begun]);
    }
  }
});

test("a worker that dies between the sending and the record delivers again, with the same id", async () => {
  const { ROWMILL_DATABASE_URL = "", ROWMILL_ENCRYPTION_KEY = "", ROWMILL_ADMIN_KEY = "" } = service.settings;
  const { api, ...own } = await service.newOrganization();
  const path = "/hook/killed";
  const { id } = await newEndpoint(api, `https://${receiver.host}${path}`);
  // All other processes stand still, so the delivery is claimed by this one.
  await service.stop();
  const shared = {
    ...settings,
    ROWMILL_DATABASE_URL,
    ROWMILL_ENCRYPTION_KEY,
    ROWMILL_ADMIN_KEY,
    // Links in the body lead to the service, not to the process that delivers.
    ROWMILL_PUBLIC_URL: "https://rowmill.example.com",
  };
  receiver.respond("never");
  const doomed = await startServiceProcess(shared);
  const eventId = await recordTestEvent(service, own);
  await expect.poll(() => countAt(path)).toBe(1);
  doomed.kill("SIGKILL");
  await doomed.exited;
  receiver.respond({ status: 200 });
  // As if the lease had run out.
  const ended = await service.query(
    "update webhook_deliveries set claimed_until = now() - interval '1 second' where claimed_until is not null and event_id = $1 returning id",
    [parseId("event", eventId)],
  );
  expect(ended).toHaveLength(1);
  const heir = await startServiceProcess(shared);
  await expect.poll(() => countAt(path)).toBe(2);
  const requests = receiver.requests.filter((request) => request.path === path);
  expect(requests.map(({ headers }) => headers["service-webhook-id"])).toEqual([eventId, eventId]);
  expect(requests[1]!.body.equals(requests[0]!.body)).toBe(true);
  const recorded = async () => {
    const { body } = await heir.api<{ data: WebhookDelivery[] }>(
      "GET",
      `/v1/webhook-deliveries?webhookEndpointId=${id}`,
      { key: own.apiKey },
    );
    return body.data;
  };
  await expect.poll(recorded).toMatchObject([{ eventId, status: "succeeded" }]);
  // What the dead worker had begun is nobody's attempt.
  const [{ attempts } = { attempts: [] }] = await recorded();
  expect(attempts.filter(({ outcome }) => outcome === "response")).toHaveLength(1);
  expect(attempts.filter(({ message }) => message.startsWith("No complete response"))).toEqual([]);
  await heir.stop();
});
