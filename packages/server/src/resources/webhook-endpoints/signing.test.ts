import { createHmac } from "node:crypto";
import { verifyWebhook } from "@rowmill/client/webhooks";
import { describe, expect, test } from "vitest";
import { newSigningSecret, signedHeaders } from "./signing.ts";

const event = { id: "evt_1", type: "run.failed", data: { object: "run", id: "run_1", state: "fehlgeschlagen ü 🧨" } };
const body = Buffer.from(JSON.stringify(event));
const nowMs = 1_790_000_000_999;

test("a signing secret is whsec_ and the base64 of 32 bytes, a new one each time", () => {
  const secret = newSigningSecret();
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(Buffer.from(secret.slice(6), "base64")).toHaveLength(32);
  expect(newSigningSecret()).not.toBe(secret);
});

test("the signatures are those of a computation by hand", () => {
  const secret = `whsec_${Buffer.from("0123456789abcdef0123456789abcdef").toString("base64")}`;
  const headers = signedHeaders({
    prefix: "Service",
    secrets: [secret],
    eventId: "evt_1",
    body: Buffer.from("{}"),
    nowMs,
  });
  expect(headers).toEqual({
    "content-type": "application/json",
    "Service-Webhook-Id": "evt_1",
    "Service-Webhook-Timestamp": "1790000000",
    "Service-Webhook-Signature": `v1=${createHmac("sha256", secret).update("1790000000.{}").digest("hex")}`,
    "webhook-id": "evt_1",
    "webhook-timestamp": "1790000000",
    "webhook-signature": `v1,${createHmac("sha256", "0123456789abcdef0123456789abcdef").update("evt_1.1790000000.{}").digest("base64")}`,
  });
});

test("our own header is always one v1= and 64 lower-case hex digits", () => {
  for (let n = 0; n < 100; n += 1) {
    const headers = signedHeaders({
      prefix: "Acme",
      secrets: [newSigningSecret()],
      eventId: "evt_1",
      body,
      nowMs: n * 1e9,
    });
    expect(headers["Acme-Webhook-Signature"]).toMatch(/^v1=[0-9a-f]{64}$/);
  }
});

describe("what is signed here is accepted by the client", () => {
  const secret = newSigningSecret();
  const newer = newSigningSecret();
  const now = new Date(nowMs);
  const payload = body.toString();
  const only = (headers: Record<string, string>, own: boolean) =>
    Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith("Service-") === own));

  test("in either scheme", async () => {
    const headers = signedHeaders({ prefix: "Service", secrets: [secret], eventId: "evt_1", body, nowMs });
    for (const own of [true, false]) {
      await expect(verifyWebhook({ payload, headers: only(headers, own), secret, now })).resolves.toEqual(event);
    }
  });

  test("during a rotation by receivers with the old, the new, and both secrets", async () => {
    const headers = signedHeaders({ prefix: "Service", secrets: [newer, secret], eventId: "evt_1", body, nowMs });
    for (const secrets of [[secret], [newer], [secret, newer]]) {
      await expect(verifyWebhook({ payload, headers, secrets, now })).resolves.toEqual(event);
    }
    const ownAlone = { payload, headers: only(headers, true), now };
    await expect(verifyWebhook({ ...ownAlone, secret: newer })).resolves.toEqual(event);
    await expect(verifyWebhook({ ...ownAlone, secret })).rejects.toMatchObject({ reason: "signature_mismatch" });
  });
});
