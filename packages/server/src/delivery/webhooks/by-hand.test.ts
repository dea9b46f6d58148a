/** What people do with deliveries: look for them, send one again, replay a period, test an endpoint. */
import { beforeAll, describe, expect, test } from "vitest";
import { deliverableEventTypes, eventTypePatterns, matchesEventType } from "@rowmill/contract/events";
import type { EventType } from "@rowmill/contract/events";
import type {
  WebhookDelivery,
  WebhookDeliveryContent,
  WebhookDeliveryWithResponse,
} from "@rowmill/contract/webhook-deliveries";
import type { WebhookReplay } from "@rowmill/contract/webhook-endpoints";
import { parseId } from "../../platform/ids.ts";
import { expectStatus } from "../../testing/api.ts";
import type { Api } from "../../testing/api.ts";
import { receiverSettings, startReceiver } from "../../testing/receiver.ts";
import type { Receiver } from "../../testing/receiver.ts";
import { startTestService } from "../../testing/service.ts";
import type { TestService } from "../../testing/service.ts";
import {
  deliveriesOf,
  deliveryWith,
  newEndpoint,
  recordTestEvent,
  recordTestEvents,
  verify,
} from "../../testing/webhooks.ts";

let service: TestService;
let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver();
  service = await startTestService({ ...receiverSettings(receiver), ROWMILL_WEBHOOK_RETRY_SCHEDULE: "0" });
});

const requestsOf = (eventId: string) =>
  receiver.requests.filter((request) => request.headers["service-webhook-id"] === eventId);

async function allOf(api: Api, query: string, limit: number): Promise<string[]> {
  const ids: string[] = [];
  let cursor = "";
  for (;;) {
    const { body } = await api<{ data: WebhookDelivery[]; nextCursor: string | null }>(
      "GET",
      `/v1/webhook-deliveries?limit=${limit}${query}${cursor}`,
    );
    ids.push(...body.data.map(({ id }) => id));
    if (body.nextCursor === null) return ids;
    cursor = `&cursor=${encodeURIComponent(body.nextCursor)}`;
  }
}

describe("the list of deliveries", () => {
  test("has every combination of filters, newest first, whatever the size of its pages", async () => {
    const { api, ...own } = await service.newOrganization();
    receiver.respond(({ path }) => ({ status: path.endsWith("/list-0") ? 200 : 500 }));
    const endpoints = [
      await newEndpoint(api, `${receiver.url}/list-0`),
      await newEndpoint(api, `${receiver.url}/list-1`),
    ];
    const types = ["run.succeeded", "run.failed", "export.ready"] as const;
    for (const type of types) await recordTestEvents(service, own, 4, type);
    const ended = async () =>
      (await api("GET", "/v1/webhook-deliveries?status=succeeded,failed&limit=1000")).body.data.length;
    await expect.poll(ended).toBe(24);
    const all = (await api<{ data: WebhookDelivery[] }>("GET", "/v1/webhook-deliveries?limit=1000")).body.data;
    expect(all.map(({ id }) => id)).toEqual(all.map(({ id }) => id).toSorted((a, b) => (a < b ? 1 : -1)));
    const expected = (isWanted: (delivery: WebhookDelivery) => boolean) => all.filter(isWanted).map(({ id }) => id);
    const [first, second] = endpoints.map(({ id }) => id);
    const cases: [string, (delivery: WebhookDelivery) => boolean, number][] = [
      ["", () => true, 24],
      [`&webhookEndpointId=${first}`, (d) => d.webhookEndpointId === first, 12],
      ["&status=failed", (d) => d.status === "failed", 12],
      ["&status=failed,succeeded,failed", () => true, 24],
      ["&eventType=run.failed", (d) => d.eventType === "run.failed", 8],
      ["&eventType=run.failed,export.ready", (d) => d.eventType !== "run.succeeded", 16],
      [`&webhookEndpointId=${second}&status=failed`, (d) => d.webhookEndpointId === second, 12],
      [`&webhookEndpointId=${second}&status=succeeded`, () => false, 0],
      [
        `&webhookEndpointId=${first}&eventType=export.ready`,
        (d) => d.webhookEndpointId === first && d.eventType === "export.ready",
        4,
      ],
      ["&status=succeeded&eventType=run.failed", (d) => d.status === "succeeded" && d.eventType === "run.failed", 4],
      [
        `&webhookEndpointId=${first}&status=succeeded&eventType=run.failed,run.succeeded`,
        (d) => d.webhookEndpointId === first && d.eventType !== "export.ready",
        8,
      ],
      ["&status=canceled", () => false, 0],
    ];
    for (const [query, isWanted, count] of cases) {
      expect(expected(isWanted)).toHaveLength(count);
      for (const limit of [1, 5, 1000])
        expect([query, await allOf(api, query, limit)]).toEqual([query, expected(isWanted)]);
    }
  });

  test.each(["status=done", "eventType=run.*", "webhookEndpointId=whd_1", "webhookEndpointId=x", "kind=test"])(
    "refuses %s",
    async (query) => {
      const { api } = await service.newOrganization();
      const response = await api("GET", `/v1/webhook-deliveries?${query}`);
      expectStatus(response, 400);
      expect(response.body.error.code).toBe("invalid_parameter");
    },
  );
});

test("the content of a delivery is what was sent and what came back, and the list has none of it", async () => {
  const { api, ...own } = await service.newOrganization();
  receiver.respond({
    status: 422,
    headers: { "x-trace": "t-1", "set-cookie": "a=b" },
    body: `no\0 ${"é".repeat(600)}`,
  });
  const endpoint = await newEndpoint(api, `${receiver.url}/content`);
  const eventId = await recordTestEvent(service, own);
  const failed = await deliveryWith(api, endpoint.id, eventId, "failed");
  expect(Object.keys(failed.attempts[0] ?? {})).not.toContain("response");
  const content = await api<WebhookDeliveryContent>("GET", `/v1/webhook-deliveries/${failed.id}/content`);
  expectStatus(content, 200);
  const [request] = requestsOf(eventId);
  expect(content.body.body).toBe(request?.body.toString("utf8"));
  const [attempt] = content.body.attempts;
  const sent = Object.entries(attempt?.request?.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
  expect(request?.headers).toMatchObject(Object.fromEntries(sent));
  expect(sent.map(([name]) => name)).toContain("webhook-signature");
  expect(attempt?.response).toMatchObject({ headers: { "x-trace": "t-1" }, isCut: true });
  expect(attempt?.response?.headers).not.toHaveProperty("set-cookie");
  expect(attempt?.response?.body).toMatch(/^no\uFFFD é+/);
});

describe("a redelivery", () => {
  test("is a new delivery of the same event, attempted once and recorded", async () => {
    const { api, ...own } = await service.newOrganization();
    receiver.respond({ status: 500 });
    const endpoint = await newEndpoint(api, `${receiver.url}/redelivery`);
    const eventId = await recordTestEvent(service, own);
    const failed = await deliveryWith(api, endpoint.id, eventId, "failed");
    const path = `/v1/webhook-deliveries/${failed.id}/redeliver`;
    const again = await api<WebhookDelivery>("POST", path);
    expectStatus(again, 200);
    expect(again.body).toMatchObject({ kind: "redelivery", eventId, status: "failed", attempts: [{ number: 1 }] });
    expect(again.body.id).not.toBe(failed.id);
    receiver.respond({ status: 200 });
    const third = await api<WebhookDelivery>("POST", path, { idempotencyKey: "once-more" });
    expect(third.body).toMatchObject({ status: "succeeded", nextAttemptAt: null });
    const replayed = await api<WebhookDelivery>("POST", path, { idempotencyKey: "once-more" });
    expect(replayed.body).toEqual(third.body);
    const requests = requestsOf(eventId);
    expect(requests).toHaveLength(3);
    for (const request of requests) {
      await verify(request, endpoint.signingSecret);
      expect(request.body.equals(requests[0]!.body)).toBe(true);
    }
    expect(await deliveriesOf(api, endpoint.id, eventId)).toHaveLength(3);
    const audit = await service.query("select type from audit_events where target_id = $1", [third.body.id]);
    expect(audit).toEqual([{ type: "webhook_delivery.redelivered" }]);
  });

  test("of a test works, and to a disabled endpoint does not", async () => {
    const { api } = await service.newOrganization();
    const endpoint = await newEndpoint(api, `${receiver.url}/test-again`);
    receiver.respond({ status: 200 });
    const tested = await api<WebhookDelivery>("POST", `/v1/webhook-endpoints/${endpoint.id}/test`);
    const path = `/v1/webhook-deliveries/${tested.body.id}/redeliver`;
    const again = await api<WebhookDelivery>("POST", path);
    expect(again.body).toMatchObject({ kind: "redelivery", eventId: tested.body.eventId, status: "succeeded" });
    const [first, second] = requestsOf(tested.body.eventId);
    expect(second!.body.equals(first!.body)).toBe(true);
    await api("PATCH", `/v1/webhook-endpoints/${endpoint.id}`, { body: { enabled: false } });
    const refused = await api("POST", path);
    expectStatus(refused, 409);
    expect(refused.body.error.code).toBe("invalid_state");
  });
});

describe("a test of an endpoint", () => {
  test.each(deliverableEventTypes)(
    "imitates %s in an envelope that verifies and says that it is a test",
    async (type) => {
      const { api, organizationId } = await service.newOrganization();
      receiver.respond({ status: 200 });
      const endpoint = await newEndpoint(api, `${receiver.url}/imitation`, { eventTypes: ["export.failed"] });
      const response = await api<WebhookDeliveryWithResponse>("POST", `/v1/webhook-endpoints/${endpoint.id}/test`, {
        body: { eventType: type },
      });
      expectStatus(response, 200);
      expect(response.body).toMatchObject({ kind: "test", eventType: type, status: "succeeded" });
      const [request] = requestsOf(response.body.eventId);
      const event = await verify(request!, endpoint.signingSecret);
      expect(event).toMatchObject({ id: response.body.eventId, type, apiVersion: "v1", organizationId, test: true });
      expect(event.data.url).toMatch(/^http:/);
      expect(request!.body.length).toBeLessThanOrEqual(4096);
      const { response: _, ...delivery } = response.body;
      expect(await deliveriesOf(api, endpoint.id)).toEqual([delivery]);
    },
  );

  test.each([
    [{ status: 302, headers: { location: "https://example.com/" } }, "response", 302, "redirect"],
    [{ status: 401 }, "response", 401, "authentication"],
    [{ status: 503 }, "response", 503, "error"],
    [{ status: 200, body: "x".repeat(70_000) }, "response_too_large", null, "larger than 65536 bytes"],
    ["hang_up", "connect", null, "closed before the response"],
  ] as const)("says in words what happened: %j", async (next, outcome, responseStatus, words) => {
    const { api } = await service.newOrganization();
    receiver.respond(next);
    const endpoint = await newEndpoint(api, `${receiver.url}/words`);
    const { body } = await api<WebhookDelivery>("POST", `/v1/webhook-endpoints/${endpoint.id}/test`);
    expect(body).toMatchObject({ status: "failed", attempts: [{ outcome, responseStatus }] });
    expect(body.attempts[0]!.message).toContain(words);
    receiver.respond({ status: 200 });
  });

  test("is not begun while too many others of the organization are under way", async () => {
    const { api } = await service.newOrganization();
    const endpoint = await newEndpoint(api, `${receiver.url}/too-many`);
    const before = receiver.requests.length;
    const isRefused = Promise.withResolvers<void>();
    receiver.respond({ status: 200, after: isRefused.promise });
    const path = `/v1/webhook-endpoints/${endpoint.id}/test`;
    const running = Promise.all(Array.from({ length: 8 }, () => api("POST", path)));
    await receiver.waitForRequests(before + 8);
    const refused = await api("POST", path);
    isRefused.resolve();
    expectStatus(refused, 429);
    for (const response of await running) expectStatus(response, 200);
    receiver.respond({ status: 200 });
    expectStatus(await api("POST", path), 200);
  });
});

describe("a replay", () => {
  const replay = (api: Api, id: string, body: Record<string, unknown>) =>
    api<WebhookReplay>("POST", `/v1/webhook-endpoints/${id}/replay`, { body });
  const since = () => new Date(Date.now() - 3_600_000).toISOString();

  test("delivers what failed and what was missed while the endpoint was disabled, once each", async () => {
    const { api, ...own } = await service.newOrganization();
    receiver.respond({ status: 500 });
    const endpoint = await newEndpoint(api, `${receiver.url}/replay`, { eventTypes: ["run.*"] });
    const failed = await recordTestEvent(service, own);
    await deliveryWith(api, endpoint.id, failed, "failed");
    receiver.respond({ status: 200 });
    const succeeded = await recordTestEvent(service, own);
    await deliveryWith(api, endpoint.id, succeeded, "succeeded");
    await api("PATCH", `/v1/webhook-endpoints/${endpoint.id}`, { body: { enabled: false } });
    const missed = await recordTestEvent(service, own, "run.failed");
    const unwanted = await recordTestEvent(service, own, "export.ready");
    const fannedOut = () =>
      service.query("select 1 from events where not is_fanned_out and organization_id = $1", [
        parseId("organization", own.organizationId),
      ]);
    await expect.poll(fannedOut).toEqual([]);

    expect((await replay(api, endpoint.id, { since: since() })).body).toMatchObject({
      error: { code: "invalid_state" },
    });
    expect((await replay(api, endpoint.id, { since: since(), dryRun: true })).body).toEqual({
      dryRun: true,
      deliveries: 2,
    });
    await api("PATCH", `/v1/webhook-endpoints/${endpoint.id}`, { body: { enabled: true } });
    const [one, other] = await Promise.all([
      replay(api, endpoint.id, { since: since() }),
      replay(api, endpoint.id, { since: since() }),
    ]);
    expect([one.body.deliveries, other.body.deliveries].toSorted((a, b) => a - b)).toEqual([0, 2]);
    for (const eventId of [failed, missed]) {
      const delivered = async () => (await deliveriesOf(api, endpoint.id, eventId)).at(-1);
      await expect.poll(delivered).toMatchObject({ kind: "replay", status: "succeeded" });
    }
    expect(requestsOf(failed)).toHaveLength(2);
    expect(requestsOf(missed)).toHaveLength(1);
    expect(requestsOf(succeeded)).toHaveLength(1);
    expect(requestsOf(unwanted)).toHaveLength(0);
    // Nothing is left to replay, but what succeeded can be asked for.
    expect((await replay(api, endpoint.id, { since: since() })).body.deliveries).toBe(0);
    const count = async (body: object) =>
      (await replay(api, endpoint.id, { since: since(), dryRun: true, ...body })).body.deliveries;
    expect(await count({ statuses: ["succeeded"] })).toBe(3);
    expect(await count({ statuses: ["succeeded"], eventTypes: ["run.failed"] })).toBe(1);
    expect(await count({ statuses: ["succeeded"], eventTypes: ["export.*"] })).toBe(0);
    const earlier = new Date(Date.now() - 1_800_000).toISOString();
    expect(await count({ statuses: ["succeeded"], until: earlier })).toBe(0);
    const audit = await service.query<{ changes: { deliveries: number } }>(
      "select changes from audit_events where type = 'webhook_endpoint.replayed' and target_id = $1",
      [endpoint.id],
    );
    expect(audit.map(({ changes }) => changes.deliveries)).toContain(2);
  });

  test.each([
    {},
    { since: "yesterday" },
    { since: "2026-13-01T00:00:00Z" },
    { since: "2026-01-01T00:00:00Z", statuses: ["pending"] },
    { since: "2026-01-02T00:00:00Z", until: "2026-01-01T00:00:00Z" },
  ])("of %j is refused", async (body) => {
    const { api } = await service.newOrganization();
    const { id } = await newEndpoint(api, "https://hooks.example.com/");
    expectStatus(await replay(api, id, body), 400);
  });

  test("of an event type that does not exist is refused", async () => {
    const { api } = await service.newOrganization();
    const { id } = await newEndpoint(api, "https://hooks.example.com/");
    const response = await api("POST", `/v1/webhook-endpoints/${id}/replay`, {
      body: { since: "2026-01-01T00:00:00Z", eventTypes: ["run.exploded"] },
    });
    expect([response.status, response.body.error.code]).toEqual([422, "event_type_unknown"]);
  });
});

test("the database matches event types as the contract does", async () => {
  const { api, ...own } = await service.newOrganization();
  receiver.respond({ status: 200 });
  const subscriptions = [...deliverableEventTypes, ...eventTypePatterns].map((type) => [type]);
  const endpoints: { id: string; eventTypes: string[] }[] = [];
  for (const eventTypes of [...subscriptions, ["row.failed", "export.*"]])
    endpoints.push(await newEndpoint(api, `${receiver.url}/matching`, { eventTypes }));
  const eventIds = new Map<EventType, string>();
  for (const type of deliverableEventTypes) eventIds.set(type, await recordTestEvent(service, own, type));
  const pairs = deliverableEventTypes.flatMap((type) =>
    endpoints
      .filter(({ eventTypes }) => matchesEventType(eventTypes, type))
      .map(({ id }) => `${eventIds.get(type)} ${id}`),
  );
  const delivered = async () => {
    const { body } = await api<{ data: WebhookDelivery[] }>(
      "GET",
      "/v1/webhook-deliveries?status=succeeded&limit=1000",
    );
    return body.data.map(({ eventId, webhookEndpointId }) => `${eventId} ${webhookEndpointId}`).toSorted();
  };
  await expect.poll(delivered).toEqual(pairs.toSorted());
});
