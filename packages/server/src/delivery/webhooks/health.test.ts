import { describe, expect, test } from "vitest";
import type { WebhookDelivery } from "@rowmill/contract/webhook-deliveries";
import type { WebhookEndpoint } from "@rowmill/contract/webhook-endpoints";
import type { DeliverableEventType } from "@rowmill/contract/events";
import type { WebhookEvent } from "@rowmill/client/webhooks";
import { newUuid, parseId } from "../../platform/ids.ts";
import { receiverSettings, startReceiver } from "../../testing/receiver.ts";
import { startTestService } from "../../testing/service.ts";
import {
  deliveriesOf,
  deliveryWith,
  newEndpoint,
  readEndpoint,
  recordTestEvent,
  recordTestEvents,
  verify,
} from "../../testing/webhooks.ts";
import { makeTestPayload } from "./test-events.ts";
import { summarizeHealth } from "./health.ts";
import type { HealthObservation } from "./health.ts";

const at = (second: number) => new Date(Date.UTC(2026, 10, 20, 0, 0, second));
const success = (second: number): HealthObservation => ({
  at: at(second),
  isSuccess: true,
  hasResponse: true,
  isTimeout: false,
  isFirstAttempt: true,
});
const refusal = (second: number, isFirstAttempt = true): HealthObservation => ({
  ...success(second),
  isSuccess: false,
  isFirstAttempt,
});
const timeout = (second: number): HealthObservation => ({ ...refusal(second), hasResponse: false, isTimeout: true });
const refused = (second: number): HealthObservation => ({ ...refusal(second), hasResponse: false });

test.each<[string, HealthObservation[], object]>([
  ["nothing", [], { clearsFailures: false, failingSince: null, clearsTimeouts: false, consecutiveTimeouts: 0 }],
  ["a success", [success(1)], { clearsFailures: true, failingSince: null, failedDeliveries: 0, lastSuccessAt: at(1) }],
  [
    "failures",
    [refusal(1), refused(2)],
    { clearsFailures: false, failingSince: at(1), failedDeliveries: 2, lastAnswerAt: at(1), clearsTimeouts: true },
  ],
  ["retries that fail", [refusal(1, false), refusal(2, false)], { failingSince: at(1), failedDeliveries: 0 }],
  [
    "failures, then a success",
    [refusal(1), success(2)],
    { clearsFailures: true, failingSince: null, failedDeliveries: 0 },
  ],
  [
    "a success, then failures",
    [success(1), refusal(2), refusal(3)],
    { clearsFailures: true, failingSince: at(2), failedDeliveries: 2, lastSuccessAt: at(1) },
  ],
  ["timeouts", [timeout(1), timeout(2)], { clearsTimeouts: false, consecutiveTimeouts: 2, lastAnswerAt: null }],
  [
    "an answer among timeouts",
    [timeout(1), refusal(2), timeout(3)],
    { clearsTimeouts: true, consecutiveTimeouts: 1, lastAnswerAt: at(2) },
  ],
  [
    "a refused connection among timeouts",
    [timeout(1), refused(2)],
    { clearsTimeouts: true, consecutiveTimeouts: 0, lastAnswerAt: null },
  ],
])("the health after %s", (_name, observations, expected) => {
  expect(summarizeHealth(observations)).toMatchObject(expected);
});

describe("an endpoint whose receiver fails", async () => {
  const receiver = await startReceiver();
  const service = await startTestService({ ...receiverSettings(receiver), ROWMILL_WEBHOOK_RETRY_SCHEDULE: "0,3600" });
  const DAY_MS = 86_400_000;
  /** As if it had begun so long ago. */
  const backdate = (id: string, days: number, failed: number) =>
    service.query(
      "update webhook_endpoints set failing_since = $2, failed_deliveries = $3 where id = $1 and failing_since is not null",
      [parseId("webhookEndpoint", id), new Date(Date.now() - days * DAY_MS), failed],
    );
  const attempted = async (api: Parameters<typeof deliveriesOf>[0], endpointId: string, eventId: string) => {
    const attempts = async () => (await deliveriesOf(api, endpointId, eventId))[0]?.attempts.length;
    await expect.poll(attempts).toBe(1);
  };
  const untilReported = async (path: string, type: string) => {
    const isIt = (request: (typeof receiver.requests)[number]) =>
      request.path === path && (JSON.parse(request.body.toString()) as { type: string }).type === type;
    await expect.poll(() => receiver.requests.filter(isIt).length).toBeGreaterThan(0);
    return receiver.requests.filter(isIt);
  };

  const membersOf = (data: object) => Object.keys(data).toSorted();
  /** Tests imitate what is really sent. */
  const membersOfTest = (type: DeliverableEventType) => {
    const uuid = newUuid();
    const payload = makeTestPayload(uuid, uuid, type, uuid, new Date());
    return membersOf((JSON.parse(payload) as WebhookEvent).data);
  };

  test("shows since when, and one success clears it", async () => {
    const { api, ...own } = await service.newOrganization();
    const { id } = await newEndpoint(api, `${receiver.url}/flaky`);
    receiver.respond({ status: 500 });
    await attempted(api, id, await recordTestEvent(service, own));
    const failing = await readEndpoint(api, id);
    expect(Date.parse(failing.failingSince!)).toBeGreaterThan(Date.now() - 600_000);
    await attempted(api, id, await recordTestEvent(service, own));
    expect((await readEndpoint(api, id)).failingSince).toBe(failing.failingSince);
    receiver.respond({ status: 202 });
    await deliveryWith(api, id, await recordTestEvent(service, own), "succeeded");
    const well = await readEndpoint(api, id);
    expect(well.failingSince).toBeNull();
    expect(Date.parse(well.lastSuccessAt!)).toBeGreaterThan(Date.parse(failing.failingSince!));
  });

  test("is warned of at 50, 70 and 90 percent, and then disabled, each reported once to listeners", async () => {
    const { api, ...own } = await service.newOrganization();
    const path = "/hook/watching-failing";
    const watcher = await newEndpoint(api, `https://${receiver.host}${path}`, {
      eventTypes: ["webhook_endpoint.failing", "webhook_endpoint.disabled"],
    });
    const { id } = await newEndpoint(api, `${receiver.url}/failing`, { eventTypes: ["run.*"] });
    receiver.respond((request) => ({ status: request.path === path ? 200 : 500 }));
    await attempted(api, id, await recordTestEvent(service, own));
    for (const [days, count] of [
      [2.6, 1],
      [3.6, 2],
      [4.6, 3],
    ] as const) {
      await backdate(id, days, 3);
      // Two failures at the same stage make one warning.
      for (let i = 0; i < 2; i += 1) await attempted(api, id, await recordTestEvent(service, own));
      await expect
        .poll(async () => (await deliveriesOf(api, watcher.id)).filter(({ status }) => status === "succeeded").length)
        .toBe(count);
    }
    const warnings = await untilReported(path, "webhook_endpoint.failing");
    const events = await Promise.all(warnings.map((request) => verify(request, watcher.signingSecret)));
    expect(events.map(({ data }) => data)).toMatchObject(
      [50, 70, 90].map((percentOfLimit) => ({ object: "webhook_endpoint", id, percentOfLimit })),
    );
    for (const { data } of events) expect(membersOf(data)).toEqual(membersOfTest("webhook_endpoint.failing"));

    // Long enough, but too few deliveries: it stays.
    await backdate(id, 6, 10);
    await attempted(api, id, await recordTestEvent(service, own));
    expect(await readEndpoint(api, id)).toMatchObject({ enabled: true });
    await backdate(id, 6, 19);
    const last = await recordTestEvent(service, own);
    const [warning] = await untilReported(path, "webhook_endpoint.disabled");
    const { data } = await verify(warning!, watcher.signingSecret);
    expect(data).toMatchObject({ id, disabledReason: "failing" });
    expect(membersOf(data)).toEqual(membersOfTest("webhook_endpoint.disabled"));
    expect(await readEndpoint(api, id)).toMatchObject({ enabled: false, disabledReason: "failing" });
    expect((await deliveriesOf(api, id)).map(({ status }) => status)).not.toContain("pending");
    expect(await deliveriesOf(api, id, last)).toMatchObject([{ status: "canceled" }]);
    const audit = await service.query(
      "select actor_type, changes from audit_events where type = 'webhook_endpoint.disabled' and target_id = $1",
      [id],
    );
    expect(audit).toEqual([{ actor_type: "system", changes: { enabled: false, disabledReason: "failing" } }]);

    // Events of the time when it was disabled are not delivered, until a replay.
    const missed = await recordTestEvent(service, own);
    await deliveryWith(api, watcher.id, await recordTestEvent(service, own, "webhook_endpoint.failing"), "succeeded");
    expect(await deliveriesOf(api, id, missed)).toEqual([]);
  });

  test("is disabled at once by a 410, and its waiting deliveries are canceled", async () => {
    const { api, ...own } = await service.newOrganization();
    const { id } = await newEndpoint(api, `${receiver.url}/gone`, { eventTypes: ["run.*"] });
    receiver.respond({ status: 500 });
    const waiting = await recordTestEvent(service, own);
    await attempted(api, id, waiting);
    receiver.respond({ status: 410 });
    const gone = await recordTestEvent(service, own);
    const delivery = await deliveryWith(api, id, gone, "failed");
    expect(delivery.attempts).toMatchObject([{ outcome: "response", responseStatus: 410 }]);
    expect(await readEndpoint(api, id)).toMatchObject({ enabled: false, disabledReason: "receiver_gone" });
    await deliveryWith(api, id, waiting, "canceled");
    const audit = await service.query(
      "select changes from audit_events where type = 'webhook_endpoint.disabled' and target_id = $1",
      [id],
    );
    expect(audit).toEqual([{ changes: { enabled: false, disabledReason: "receiver_gone" } }]);
  });

  test("is neither disabled nor counted by tests and redeliveries", async () => {
    const { api, ...own } = await service.newOrganization();
    const { id } = await newEndpoint(api, `${receiver.url}/by-hand`);
    receiver.respond({ status: 200 });
    const delivery = await deliveryWith(api, id, await recordTestEvent(service, own), "succeeded");
    const before = await readEndpoint(api, id);
    receiver.respond({ status: 410 });
    for (const path of [`/v1/webhook-endpoints/${id}/test`, `/v1/webhook-deliveries/${delivery.id}/redeliver`]) {
      const response = await api<WebhookDelivery>("POST", path);
      expect(response.body).toMatchObject({ status: "failed", attempts: [{ responseStatus: 410 }] });
    }
    expect(await readEndpoint(api, id)).toEqual<WebhookEndpoint>(before);
    receiver.respond({ status: 200 });
    const [next] = await recordTestEvents(service, own, 1);
    await deliveryWith(api, id, next!, "succeeded");
  });
});
