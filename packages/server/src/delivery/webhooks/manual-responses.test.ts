import { expect, test } from "vitest";
import type { WebhookDeliveryContent, WebhookDeliveryWithResponse } from "@rowmill/contract/webhook-deliveries";
import { receiverSettings, startReceiver } from "../../testing/receiver.ts";
import { startTestService } from "../../testing/service.ts";
import { newEndpoint } from "../../testing/webhooks.ts";

const receiver = await startReceiver();
const service = await startTestService(receiverSettings(receiver));

test("the test of an endpoint and a redelivery have what the receiver responded, as the content of the delivery has it", async () => {
  const { api } = await service.newOrganization();
  receiver.respond({
    status: 400,
    headers: { "x-trace": "t-2", "set-cookie": "a=b" },
    body: `bad signature ${"x".repeat(2000)}`,
  });
  const endpoint = await newEndpoint(api, `${receiver.url}/responses`);
  const tested = await api<WebhookDeliveryWithResponse>("POST", `/v1/webhook-endpoints/${endpoint.id}/test`);
  const again = await api<WebhookDeliveryWithResponse>("POST", `/v1/webhook-deliveries/${tested.body.id}/redeliver`);
  for (const { body } of [tested, again]) {
    expect(body.response).toMatchObject({ headers: { "x-trace": "t-2" }, isCut: true });
    expect(body.response?.body).toMatch(/^bad signature x{1010}$/);
    const content = await api<WebhookDeliveryContent>("GET", `/v1/webhook-deliveries/${body.id}/content`);
    expect(body.response).toEqual(content.body.attempts[0]?.response);
  }
  receiver.respond("hang_up");
  const unreachable = await api<WebhookDeliveryWithResponse>("POST", `/v1/webhook-endpoints/${endpoint.id}/test`);
  expect(unreachable.body).toMatchObject({ status: "failed", response: null, attempts: [{ outcome: "connect" }] });
});
