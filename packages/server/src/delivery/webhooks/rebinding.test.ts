/**
 * A name that leads to a public address when the endpoint is made, and into the operator's network later. The proxy stands for
 * the public network: whatever is connected goes through it, and it notes that.
 */
import { expect, test } from "vitest";
import type { WebhookDelivery } from "@rowmill/contract/webhook-deliveries";
import { expectStatus } from "../../testing/api.ts";
import { startConnectProxy } from "../../testing/connect-proxy.ts";
import { nameServer, TYPE_A } from "../../testing/name-server.ts";
import { receiverSettings, startReceiver } from "../../testing/receiver.ts";
import { startTestService } from "../../testing/service.ts";
import { deliveryWith, newEndpoint, readEndpoint, recordTestEvent } from "../../testing/webhooks.ts";
import { endedAlerts, newRule } from "../alerts/alerts-testing.ts";

const PUBLIC = [93, 184, 215, 14];

test("a name that leads into the network at delivery is not connected to, though it was public when the endpoint was made", async () => {
  let leadsTo = PUBLIC;
  let questions = 0;
  const server = await nameServer((type) => {
    questions += 1;
    return { addresses: type === TYPE_A ? [leadsTo] : [] };
  });
  const receiver = await startReceiver();
  const { ROWMILL_EGRESS_CONNECT_OVERRIDES: override = "", ...trust } = receiverSettings(receiver);
  const { proxy, connects } = await startConnectProxy(Number(override.split(":").at(-1)));
  const service = await startTestService({
    ...trust,
    ROWMILL_EGRESS_NAME_SERVERS: server,
    ROWMILL_EGRESS_PROXY: `http://${proxy.host}:${proxy.port}`,
    ROWMILL_WEBHOOK_RETRY_SCHEDULE: "0",
    ROWMILL_ALERT_RETRY_SCHEDULE: "0",
  });
  const { api, ...own } = await service.newOrganization();
  const endpoint = await newEndpoint(api, receiver.url);
  const rule = await newRule(api, { type: "webhook", url: receiver.url }, { enabled: false });
  await deliveryWith(api, endpoint.id, await recordTestEvent(service, own), "succeeded");
  expect(connects.map(({ target }) => target)).toEqual(["93.184.215.14:443"]);
  await receiver.waitForRequests(1);

  leadsTo = [10, 0, 0, 5];
  const asked = questions;
  const blocked = {
    outcome: "dns",
    // The words for a name that does not exist.
    responseStatus: null,
    message: "The name of the host has no public address.",
  };
  await api("PATCH", `/v1/alert-rules/${rule.id}`, { body: { enabled: true } });
  const { attempts } = await deliveryWith(api, endpoint.id, await recordTestEvent(service, own), "failed");
  expect(attempts).toMatchObject([blocked]);
  expect((await endedAlerts(api, rule.id, 1))[0]).toMatchObject({ status: "failed", attempts: [blocked] });
  const byHand = await api<WebhookDelivery>("POST", `/v1/webhook-endpoints/${endpoint.id}/test`, { body: {} });
  expectStatus(byHand, 200);
  expect(byHand.body.attempts).toMatchObject([blocked]);
  expect(questions).toBeGreaterThan(asked);
  expect(connects).toHaveLength(1);
  expect(receiver.requests).toHaveLength(1);
  expect((await readEndpoint(api, endpoint.id)).failingSince).not.toBeNull();
});
