import { createHmac } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import type { WebhookDelivery } from "@rowmill/contract/webhook-deliveries";
import type { WebhookEndpointWithSecret } from "@rowmill/contract/webhook-endpoints";
import { renderEnvelope } from "../events/events.ts";
import { expectStatus } from "../../testing/api.ts";
import { newDataset, newJobSpec, newRun, numberedRows } from "../../testing/factories.ts";
import { receiverSettings, startReceiver } from "../../testing/receiver.ts";
import type { Receiver } from "../../testing/receiver.ts";
import { startTestService } from "../../testing/service.ts";
import type { TestOrganization, TestService } from "../../testing/service.ts";
import {
  deliveriesOf,
  deliveryWith,
  newEndpoint,
  recordTestEvent,
  recordTestEvents,
  verify,
} from "../../testing/webhooks.ts";
import { waitFor } from "../../testing/wait.ts";

let service: TestService;
let receiver: Receiver;
let organization: TestOrganization;

beforeAll(async () => {
  receiver = await startReceiver();
  service = await startTestService({ ...receiverSettings(receiver), ROWMILL_WEBHOOK_RETRY_SCHEDULE: "0,1,1" });
  organization = await service.newOrganization();
});

const requestsOf = (eventId: string) =>
  receiver.requests.filter((request) => request.headers["service-webhook-id"] === eventId);

describe("a delivery", () => {
  test("carries the stored envelope with an absolute URL, signed in both schemes", async () => {
    const endpoint = await newEndpoint(organization.api, receiver.url);
    const eventId = await recordTestEvent(service, organization);
    const delivery = await deliveryWith(organization.api, endpoint.id, eventId, "succeeded");
    const [request] = requestsOf(eventId);
    expect(request).toMatchObject({ method: "POST", path: "/hook" });
    const [{ payload } = { payload: "" }] = await service.query<{ payload: string }>(
      "select payload from events where payload like $1",
      [`%${eventId}%`],
    );
    expect(request!.body.toString("utf8")).toBe(renderEnvelope(payload, service.url));
    const { headers } = request!;
    expect(headers["service-webhook-signature"]).toBe(
      `v1=${createHmac("sha256", endpoint.signingSecret).update(`${headers["service-webhook-timestamp"]}.`).update(request!.body).digest("hex")}`,
    );
    expect(headers["webhook-id"]).toBe(eventId);
    expect(headers["content-type"]).toBe("application/json");
    expect(await verify(request!, endpoint.signingSecret)).toMatchObject({ id: eventId, type: "run.succeeded" });
    expect(delivery).toMatchObject({
      webhookEndpointId: endpoint.id,
      eventType: "run.succeeded",
      kind: "event",
      attempts: [{ number: 1, outcome: "response", responseStatus: 200 }],
      nextAttemptAt: null,
    });
  });

  test("of a run that was paused says why", async () => {
    const own = await service.newOrganization();
    const endpoint = await newEndpoint(own.api, `${receiver.url}/paused`, { eventTypes: ["run.paused"] });
    const { id: datasetId } = await newDataset(own.api, numberedRows(10));
    const { id: jobSpecId } = await newJobSpec(own.api, { type: "mock", delayMs: 60_000 });
    const run = await newRun(own.api, { datasetId, jobSpecId, concurrency: 1 });
    expect((await own.api("POST", `/v1/runs/${run.id}/pause`)).status).toBe(200);
    const request = await waitFor(() => receiver.requests.find(({ path }) => path === "/hook/paused"));
    expect((await verify(request, endpoint.signingSecret)).data).toEqual({
      object: "run",
      id: run.id,
      url: `${service.url}/v1/runs/${run.id}`,
      state: "paused",
      reason: "by_user",
    });
    await own.api("POST", `/v1/runs/${run.id}/cancel`);
  });

  test("goes to the endpoints that subscribe to its type or pattern, and to no others", async () => {
    const types = { run: ["run.succeeded"], runs: ["run.*"], rows: ["row.*"], every: ["*"], exports: ["export.ready"] };
    const own = await service.newOrganization();
    const endpoints = Object.fromEntries(
      await Promise.all(
        Object.entries(types).map(async ([name, eventTypes]) => [
          name,
          await newEndpoint(own.api, `${receiver.url}/${name}`, { eventTypes }),
        ]),
      ),
    ) as Record<keyof typeof types, WebhookEndpointWithSecret>;
    const eventId = await recordTestEvent(service, own);
    for (const name of ["run", "runs", "every"] as const)
      await deliveryWith(own.api, endpoints[name].id, eventId, "succeeded");
    expect(
      requestsOf(eventId)
        .map(({ path }) => path)
        .sort(),
    ).toEqual(["/hook/every", "/hook/run", "/hook/runs"]);
    for (const name of ["rows", "exports"] as const)
      expect(await deliveriesOf(own.api, endpoints[name].id)).toEqual([]);
  });

  test("of a failing receiver follows the schedule, with the id kept and each attempt signed again", async () => {
    const own = await service.newOrganization();
    const endpoint = await newEndpoint(own.api, `${receiver.url}/failing`);
    receiver.respond(({ path }) => ({ status: path === "/hook/failing" ? 500 : 200 }));
    const eventId = await recordTestEvent(service, own);
    const delivery = await deliveryWith(own.api, endpoint.id, eventId, "failed");
    expect(delivery.attempts).toMatchObject([
      { number: 1, responseStatus: 500 },
      { number: 2, responseStatus: 500 },
      { number: 3, responseStatus: 500 },
    ]);
    const [first, second, third] = requestsOf(eventId);
    expect(second!.receivedAt.getTime() - first!.receivedAt.getTime()).toBeGreaterThanOrEqual(900);
    expect(third!.receivedAt.getTime() - second!.receivedAt.getTime()).toBeGreaterThanOrEqual(900);
    expect(third!.headers["service-webhook-timestamp"]).not.toBe(first!.headers["service-webhook-timestamp"]);
    expect(third!.body.equals(first!.body)).toBe(true);
    for (const request of [first, second, third]) await verify(request!, endpoint.signingSecret);
  });

  test("succeeds at a later attempt", async () => {
    const own = await service.newOrganization();
    const endpoint = await newEndpoint(own.api, `${receiver.url}/recovering`);
    receiver.respond(({ headers }) => ({
      status: requestsOf(headers["service-webhook-id"] ?? "").length < 2 ? 503 : 204,
    }));
    const eventId = await recordTestEvent(service, own);
    const delivery = await deliveryWith(own.api, endpoint.id, eventId, "succeeded");
    expect(delivery.attempts).toMatchObject([{ responseStatus: 503 }, { responseStatus: 204 }]);
  });

  test("of many events at once reaches the receiver once each", async () => {
    const own = await service.newOrganization();
    await newEndpoint(own.api, `${receiver.url}/many`);
    receiver.respond({ status: 200 });
    const ids = await recordTestEvents(service, own, 300);
    await receiver.waitForRequests(receiver.requests.length);
    const seen = async () => {
      const { body } = await own.api<{ data: WebhookDelivery[] }>(
        "GET",
        "/v1/webhook-deliveries?status=succeeded&limit=1000",
      );
      return body.data.map(({ eventId }) => eventId).sort();
    };
    await expect.poll(seen).toEqual([...ids].sort());
    expect(receiver.requests.filter(({ path }) => path === "/hook/many")).toHaveLength(300);
  });
});

test("a test delivery returns at once what happened", async () => {
  const own = await service.newOrganization();
  receiver.respond({ status: 404 });
  const endpoint = await newEndpoint(own.api, `${receiver.url}/test`, { enabled: false });
  const response = await own.api<WebhookDelivery>("POST", `/v1/webhook-endpoints/${endpoint.id}/test`);
  expectStatus(response, 200);
  expect(response.body).toMatchObject({ kind: "test", eventType: "test.ping", status: "failed" });
  expect(response.body.attempts[0]?.message).toContain("nothing at this path (404)");
});
