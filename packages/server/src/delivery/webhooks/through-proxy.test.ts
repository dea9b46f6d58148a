/** A service whose operator has set a proxy for outgoing calls. */
import { expect, test } from "vitest";
import { startConnectProxy } from "../../testing/connect-proxy.ts";
import { receiverSettings, startReceiver } from "../../testing/receiver.ts";
import { startTestService } from "../../testing/service.ts";
import { deliveryWith, newEndpoint, recordTestEvent, verify } from "../../testing/webhooks.ts";

/** A literal needs no name server; nothing is ever sent to it. */
const ADDRESS = "93.184.215.14";

test("deliveries go through the proxy, to the address and under its user, and what it refuses is reported as such", async () => {
  const receiver = await startReceiver(ADDRESS);
  const { ROWMILL_EGRESS_CONNECT_OVERRIDES: override = "", ...trust } = receiverSettings(receiver);
  const { proxy, connects } = await startConnectProxy(Number(override.split(":").at(-1)), {
    "8.8.8.8:443": "HTTP/1.1 403 Forbidden\r\n\r\n",
  });
  const service = await startTestService({
    ...trust,
    ROWMILL_EGRESS_PROXY: `http://rowmill:pass@${proxy.host}:${proxy.port}`,
    ROWMILL_WEBHOOK_RETRY_SCHEDULE: "0",
  });
  const { api, ...own } = await service.newOrganization();
  const reached = await newEndpoint(api, receiver.url);
  const refused = await newEndpoint(api, "https://8.8.8.8/hook");
  const eventId = await recordTestEvent(service, own);

  await deliveryWith(api, reached.id, eventId, "succeeded");
  const [request] = await receiver.waitForRequests(1);
  expect((await verify(request!, reached.signingSecret)).id).toBe(eventId);
  const { attempts } = await deliveryWith(api, refused.id, eventId, "failed");
  expect(attempts).toMatchObject([
    { outcome: "connect", responseStatus: null, message: "The proxy of the service made no connection (403)." },
  ]);
  const authorization = `Basic ${Buffer.from("rowmill:pass").toString("base64")}`;
  expect(connects).toHaveLength(2);
  for (const target of [`${ADDRESS}:443`, "8.8.8.8:443"])
    expect(connects).toContainEqual({ target, host: target, authorization });
});
