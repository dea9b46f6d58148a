/**
 * Events go out. Each is delivered at least once, and each delivery names its event: so one fact has one event, every
 * event of an acknowledged run arrives, and nothing arrives that the service does not know.
 */
import { randomUUID } from "node:crypto";
import type { WebhookDelivery } from "@rowmill/contract/webhook-deliveries";
import type { WebhookEndpointWithSecret } from "@rowmill/contract/webhook-endpoints";
import { verifyWebhook } from "@rowmill/client/webhooks";
import { readList } from "../client.ts";
import { BOUND_MS } from "../deployment.ts";
import { compareOnce, until } from "../findings.ts";
import type { Finding } from "../findings.ts";
import type { ReceivedEvent } from "../outside.ts";
import type { Work } from "../work.ts";
import { endedRun, FAIL_EVERY, newRun, noteRun } from "../crash-world.ts";
import type { World } from "../crash-world.ts";

/** Every fifth row fails, and has an event. */
const DELIVERED_ROWS = 300;

interface EventBody {
  id: string;
  type: string;
  data: { runId?: string; id?: string; index?: number };
}

export function beginDelivery(world: World): Work {
  const { client, datasetId, mockSpecId, outside } = world;
  const url = outside.hookUrl(randomUUID());
  const received = (): ReceivedEvent[] => outside.received.filter((event) => event.url === url);
  const scope = { type: "limit", count: DELIVERED_ROWS };
  const endpoint = client.request<WebhookEndpointWithSecret>("POST", "/v1/webhook-endpoints", {
    body: { url, eventTypes: ["*"] },
  });
  const created = endpoint.then(() => newRun(client, { datasetId, jobSpecId: mockSpecId, scope }));
  const deliver = async (): Promise<void> => {
    const { id } = await created;
    noteRun(world, await endedRun(client, id));
    const path = deliveriesPath((await endpoint).id);
    await until(`the end of the deliveries of ${id}`, BOUND_MS, async () => {
      const isFinishedDelivered = eventsOf(received(), id).some(({ type }) => type === "run.finished");
      const pending = await client.request<{ data: unknown[] }>("GET", `${path}&status=pending&limit=1`);
      return isFinishedDelivered && pending.data.length === 0 ? true : undefined;
    });
  };
  return {
    begun: created,
    ended: deliver(),
    check: async () => {
      const { id, signingSecret } = await endpoint;
      const findings = await checkDeliveries(world, (await created).id, { id, secret: signingSecret }, received());
      await client.attempt("DELETE", `/v1/webhook-endpoints/${id}`);
      return findings;
    },
  };
}

const deliveriesPath = (endpointId: string): string => `/v1/webhook-deliveries?webhookEndpointId=${endpointId}`;

function eventsOf(received: readonly ReceivedEvent[], runId: string): EventBody[] {
  const byId = new Map<string, EventBody>();
  for (const { body } of received) {
    const event = JSON.parse(body) as EventBody; // an envelope of the service
    if (event.data.runId === runId || event.data.id === runId) byId.set(event.id, event);
  }
  return [...byId.values()];
}

async function checkDeliveries(
  { client }: World,
  runId: string,
  endpoint: { id: string; secret: string },
  received: readonly ReceivedEvent[],
): Promise<Finding[]> {
  const findings: Finding[] = [];
  const bodies = new Map<string, string>();
  for (const { id, body, headers } of received) {
    const before = bodies.get(id) ?? body;
    if (before !== body) findings.push({ kind: "wrong", what: `event ${id} was delivered with two bodies` });
    bodies.set(id, body);
    // The clock of a trial may jump by an hour; how old a delivery is, is not what is asked here.
    await verifyWebhook({ payload: body, headers, secret: endpoint.secret, toleranceSeconds: 2 * 3600 });
  }
  const events = eventsOf(received, runId);
  const failed = events.filter(({ type }) => type === "row.failed").map(({ data }) => data.index ?? -1);
  const expected = Array.from({ length: DELIVERED_ROWS / FAIL_EVERY }, (_unused, i) => (i + 1) * FAIL_EVERY - 1);
  findings.push(...compareOnce(`row.failed of ${runId}`, expected, failed));
  const recorded = await readList<{ type: string }>(client, `/v1/runs/${runId}/events`);
  const ofRun = events.filter(({ type }) => type.startsWith("run.")).map(({ type }) => type);
  findings.push(
    ...compareOnce(
      `run events of ${runId}`,
      recorded.map(({ type }) => type),
      ofRun,
    ),
  );
  const deliveries = await readList<WebhookDelivery>(client, deliveriesPath(endpoint.id));
  const known = new Set(deliveries.map(({ eventId }) => eventId));
  for (const id of bodies.keys())
    if (!known.has(id))
      findings.push({ kind: "orphan", what: `event ${id} arrived, and the service does not know it` });
  for (const { id, status, eventId } of deliveries) {
    if (status !== "succeeded") findings.push({ kind: "lost", what: `delivery ${id} of ${eventId} is ${status}` });
  }
  return findings;
}
