/** What the tests of webhooks share: events made directly in the database, endpoints made through the API. */
import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import type { DeliverableEventType } from "@rowmill/contract/events";
import type { WebhookDelivery } from "@rowmill/contract/webhook-deliveries";
import type { WebhookEndpoint, WebhookEndpointWithSecret } from "@rowmill/contract/webhook-endpoints";
import { verifyWebhook } from "@rowmill/client/webhooks";
import type { WebhookEvent } from "@rowmill/client/webhooks";
import { formatId, newUuid, parseId } from "../platform/ids.ts";
import { sampleEvent } from "../delivery/webhooks/test-events.ts";
import { expectStatus } from "./api.ts";
import type { Api } from "./api.ts";
import { checkEvent } from "./contract-check.ts";
import type { ReceivedRequest } from "./receiver.ts";
import type { TestOrganization, TestService } from "./service.ts";
import { waitFor } from "./wait.ts";
import { EVENTS_CHANNEL, makeEnvelope } from "../resources/events/events.ts";

export async function newEndpoint(
  api: Api,
  url: string,
  more: Record<string, unknown> = {},
): Promise<WebhookEndpointWithSecret> {
  const created = await api<WebhookEndpointWithSecret>("POST", "/v1/webhook-endpoints", {
    body: { url, eventTypes: ["*"], ...more },
  });
  expectStatus(created, 201);
  return created.body;
}

export async function readEndpoint(api: Api, id: string): Promise<WebhookEndpoint> {
  const response = await api<WebhookEndpoint>("GET", `/v1/webhook-endpoints/${id}`);
  expectStatus(response, 200);
  return response.body;
}

/** Commits events of a run as the service itself does; returns their ids, in their order. */
export async function recordTestEvents(
  service: Pick<TestService, "query">,
  { organizationId }: Pick<TestOrganization, "organizationId">,
  count: number,
  type: DeliverableEventType = "run.succeeded",
): Promise<string[]> {
  const organization = parseId("organization", organizationId) ?? "";
  const now = new Date();
  const events = Array.from({ length: count }, () => {
    const id = newUuid();
    const envelope = makeEnvelope(sampleEvent(organization, randomUUID(), type, now), id, now, false);
    return { organization, id, type, payload: JSON.stringify(envelope), now };
  });
  await service.query(
    `with inserted as (
       insert into events (organization_id, id, type, payload, created_at)
       select organization, id, type, payload, now from jsonb_to_recordset($1::jsonb)
         as e (organization uuid, id uuid, type text, payload text, now timestamptz) returning 1)
     select pg_notify($2, '') from (select count(*) from inserted) done`,
    [JSON.stringify(events), EVENTS_CHANNEL],
  );
  return events.map(({ id }) => formatId("event", id));
}

export async function recordTestEvent(
  service: Pick<TestService, "query">,
  organization: Pick<TestOrganization, "organizationId">,
  type?: DeliverableEventType,
): Promise<string> {
  const [id] = await recordTestEvents(service, organization, 1, type);
  return id ?? "";
}

/** All deliveries of an event to an endpoint, oldest first. */
export async function deliveriesOf(api: Api, endpointId: string, eventId?: string): Promise<WebhookDelivery[]> {
  const { body } = await api<{ data: WebhookDelivery[] }>(
    "GET",
    `/v1/webhook-deliveries?webhookEndpointId=${endpointId}&limit=1000`,
  );
  return body.data.filter((delivery) => eventId === undefined || delivery.eventId === eventId).toReversed();
}

/** Waits until the only delivery of the event to the endpoint has this status. */
export async function deliveryWith(
  api: Api,
  endpointId: string,
  eventId: string,
  status: WebhookDelivery["status"],
): Promise<WebhookDelivery> {
  return waitFor(async () => {
    const deliveries = await deliveriesOf(api, endpointId, eventId);
    expect(deliveries).toMatchObject([{ status }]);
    return deliveries[0];
  });
}

/** Verified as a customer does, with either set of headers alone. */
export async function verify(request: ReceivedRequest, secret: string): Promise<WebhookEvent> {
  const own = Object.fromEntries(Object.entries(request.headers).filter(([name]) => name.startsWith("service-")));
  const standard = Object.fromEntries(Object.entries(request.headers).filter(([name]) => name.startsWith("webhook-")));
  checkEvent(request.body.toString());
  const event = await verifyWebhook({ payload: request.body, headers: own, secret });
  expect(event.data.url).toMatch(/^https?:/);
  expect(await verifyWebhook({ payload: request.body, headers: standard, secret })).toEqual(event);
  return event;
}
