/** The libraries that customers have already: they verify what the service signs, and our client what they sign. */
import { verifyWebhook } from "@rowmill/client/webhooks";
import { newSigningSecret } from "@rowmill/server/resources/webhook-endpoints/signing";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { Stripe } from "stripe";
import { Webhook as SvixWebhook } from "svix";
import { describe, expect, test } from "vitest";
import * as standardWebhooks from "../examples/receivers/libraries/standard-webhooks.ts";
import * as stripe from "../examples/receivers/libraries/stripe.ts";
import * as svix from "../examples/receivers/libraries/svix.ts";
import { forgedDeliveries, signDelivery } from "./support/signed-deliveries.ts";

const secret = newSigningSecret();
const newer = newSigningSecret();

describe.each([
  ["stripe", stripe],
  ["standardwebhooks", standardWebhooks],
  ["svix", svix],
])("%s", (_name, { readEvent }) => {
  test("reads what the service signs", () => {
    const { headers, body, event } = signDelivery([secret]);
    const read = readEvent(body, headers, secret);
    expect(`${read.id} ${read.type}`).toBe(event);
    expect(read).toEqual(JSON.parse(body));
  });

  test("reads it with the new secret while a rotation is under way", () => {
    const { headers, body } = signDelivery([newer, secret]);
    expect(readEvent(body, headers, newer)).toEqual(JSON.parse(body));
  });

  test.each(forgedDeliveries(secret))("refuses a delivery %s", (_name, { headers, body }) => {
    expect(() => readEvent(body, headers, secret)).toThrow(/signature|timestamp|header|secureCompare/i);
  });
});

describe("with the secret from before the rotation", () => {
  const { headers, body } = signDelivery([newer, secret]);

  test.each([
    ["standardwebhooks", standardWebhooks],
    ["svix", svix],
  ])("%s still reads what the service signs", (_name, { readEvent }) => {
    expect(readEvent(body, headers, secret)).toEqual(JSON.parse(body));
  });

  test("stripe does not: its header has the newest signature only", () => {
    expect(() => stripe.readEvent(body, headers, secret)).toThrow(/No signatures found/);
  });
});

describe("our client verifies what is signed by", () => {
  const event = { id: "evt_1", type: "run.failed", data: { object: "run", state: "fehlgeschlagen ü 🧨" } };
  const payload = JSON.stringify(event);
  const now = new Date();
  const seconds = Math.floor(now.getTime() / 1_000);

  const standard = (signature: string) => ({
    "webhook-id": event.id,
    "webhook-timestamp": String(seconds),
    "webhook-signature": signature,
  });
  const stripeHeader = Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp: seconds });
  const signed: [name: string, headers: Record<string, string>][] = [
    ["standardwebhooks", standard(new StandardWebhook(secret).sign(event.id, now, payload))],
    ["svix", standard(new SvixWebhook(secret).sign(event.id, now, payload))],
    [
      "stripe",
      {
        "service-webhook-timestamp": String(seconds),
        "service-webhook-signature": stripeHeader.replace(/^t=[0-9]+,/, ""),
      },
    ],
  ];

  test.each(signed)("%s", async (_name, headers) => {
    await expect(verifyWebhook({ payload, headers, secret })).resolves.toEqual(event);
    const reasonOf = (more: object) =>
      verifyWebhook({ payload, headers, secret, ...more }).then(
        () => "verified",
        (error: unknown) => (error as { reason: string }).reason,
      );
    expect(await reasonOf({ secret: newer })).toBe("signature_mismatch");
    expect(await reasonOf({ payload: payload.replace("run.failed", "run.passed") })).toBe("signature_mismatch");
    expect(await reasonOf({ now: new Date(now.getTime() + 600_000) })).toBe("timestamp_too_old");
    expect(await reasonOf({ now: new Date(now.getTime() - 600_000) })).toBe("timestamp_in_future");
  });
});
