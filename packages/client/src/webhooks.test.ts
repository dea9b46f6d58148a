import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { verifyWebhook, type VerifyWebhookOptions, type WebhookEvent, type WebhookHeaders } from "./webhooks.ts";

const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const otherSecret = `whsec_${Buffer.alloc(32, 8).toString("base64")}`;
const signedAt = 1_790_000_000;
const now = new Date(signedAt * 1000);
const event = {
  id: "evt_1",
  type: "run.succeeded",
  apiVersion: "v1",
  createdAt: "2026-09-21T14:13:20.000Z",
  organizationId: "org_1",
  test: false,
  data: { object: "run", id: "run_1", url: "https://api.example.com/v1/runs/run_1", state: "succeeded ✓" },
};
const payload = JSON.stringify(event);

function ownHeaders(key = secret, body = payload, seconds = signedAt) {
  const hex = createHmac("sha256", key).update(`${seconds}.${body}`).digest("hex");
  return {
    "Service-Webhook-Id": "evt_1",
    "Service-Webhook-Timestamp": `${seconds}`,
    "Service-Webhook-Signature": `v1=${hex}`,
  };
}

function standardHeaders(key = secret, body = payload, seconds = signedAt) {
  const bytes = Buffer.from(key.slice(6), "base64");
  const signature = createHmac("sha256", bytes).update(`evt_1.${seconds}.${body}`).digest("base64");
  return { "webhook-id": "evt_1", "webhook-timestamp": `${seconds}`, "webhook-signature": `v1,${signature}` };
}

const verify = (headers: WebhookHeaders, more: Partial<VerifyWebhookOptions> = {}) =>
  // One of `secret` and `secrets` is always there.
  verifyWebhook({ payload, headers, secret, now, ...more } as VerifyWebhookOptions);

describe("a genuine delivery is accepted", () => {
  test.each<[string, WebhookHeaders]>([
    ["with the service's own headers alone", ownHeaders()],
    ["with the Standard Webhooks headers alone", standardHeaders()],
    ["with both", { ...ownHeaders(), ...standardHeaders() }],
    ["in a Headers", new Headers(ownHeaders())],
    ["in a Headers, standard", new Headers(standardHeaders())],
    ["in lower case", Object.fromEntries(Object.entries(ownHeaders()).map(([k, v]) => [k.toLowerCase(), v]))],
    ["in upper case", Object.fromEntries(Object.entries(ownHeaders()).map(([k, v]) => [k.toUpperCase(), v]))],
    ["as arrays", Object.fromEntries(Object.entries(ownHeaders()).map(([k, v]) => [k, [v]]))],
    ["while the other set is broken", { ...ownHeaders(), "webhook-signature": "v1,nonsense" }],
    ["while a proxy dropped webhook-id", { ...ownHeaders(), ...standardHeaders(), "webhook-id": undefined }],
    ["signed again with a secret not known yet, by the list", { ...ownHeaders(otherSecret), ...standardHeaders() }],
    [
      "with a list of signatures",
      {
        ...standardHeaders(),
        "webhook-signature": `v1a,AAAA ${standardHeaders(otherSecret)["webhook-signature"]} ${standardHeaders()["webhook-signature"]}`,
      },
    ],
    [
      "with the list repeated as two headers",
      {
        ...standardHeaders(),
        "webhook-signature": [
          standardHeaders(otherSecret)["webhook-signature"],
          standardHeaders()["webhook-signature"],
        ],
      },
    ],
  ])("%s", async (_name, headers) => {
    await expect(verify(headers)).resolves.toEqual(event);
  });

  test("with the payload as bytes", async () => {
    await expect(verify(ownHeaders(), { payload: new TextEncoder().encode(payload) })).resolves.toEqual(event);
    await expect(verify(ownHeaders(), { payload: Buffer.from(payload) })).resolves.toEqual(event);
  });

  test("with any of several secrets", async () => {
    const either = { secret: undefined, secrets: [otherSecret, secret] };
    await expect(verify(ownHeaders(), either)).resolves.toEqual(event);
    await expect(verify(standardHeaders(), either)).resolves.toEqual(event);
  });

  test("with the prefix of the service", async () => {
    const headers = Object.fromEntries(Object.entries(ownHeaders()).map(([k, v]) => [k.replace("Service", "Acme"), v]));
    await expect(verify(headers, { headerPrefix: "Acme" })).resolves.toEqual(event);
    await expect(verify(headers)).rejects.toMatchObject({ reason: "missing_headers" });
  });

  test("at both ends of the tolerance", async () => {
    await expect(verify(ownHeaders(), { now: new Date((signedAt + 300) * 1000) })).resolves.toEqual(event);
    await expect(verify(ownHeaders(), { now: new Date((signedAt - 300) * 1000) })).resolves.toEqual(event);
    await expect(
      verify(ownHeaders(), { now: new Date((signedAt + 10) * 1000), toleranceSeconds: 10 }),
    ).resolves.toEqual(event);
  });
});

describe("everything else is refused, with the reason", () => {
  const own = ownHeaders();
  const standard = standardHeaders();
  const mac = own["Service-Webhook-Signature"];
  const refusals: [string, string, WebhookHeaders, Partial<VerifyWebhookOptions>?][] = [
    ["another secret", "signature_mismatch", { ...own, ...standard }, { secret: otherSecret }],
    ["a changed payload", "signature_mismatch", { ...own, ...standard }, { payload: `${payload} ` }],
    ["a changed time", "signature_mismatch", { ...own, "Service-Webhook-Timestamp": `${signedAt + 1}` }],
    ["a changed id", "signature_mismatch", { ...standard, "webhook-id": "evt_2" }],
    [
      "the key of the other scheme",
      "signature_mismatch",
      { ...own, "Service-Webhook-Signature": `v1=${"0".repeat(64)}` },
    ],
    ["a time written differently", "signature_mismatch", { ...own, "Service-Webhook-Timestamp": `0${signedAt}` }],
    ["no headers", "missing_headers", {}],
    ["no headers in a Headers", "missing_headers", new Headers()],
    ["no timestamp", "missing_headers", { ...own, "Service-Webhook-Timestamp": undefined }],
    ["no id in the standard set", "missing_headers", { ...standard, "webhook-id": undefined }],
    ["an empty signature", "missing_headers", { ...own, "Service-Webhook-Signature": "" }],
    ["an upper-case digest", "malformed_headers", { ...own, "Service-Webhook-Signature": mac.toUpperCase() }],
    ["a cut digest", "malformed_headers", { ...own, "Service-Webhook-Signature": mac.slice(0, -1) }],
    ["another version", "malformed_headers", { ...own, "Service-Webhook-Signature": mac.replace("v1", "v0") }],
    ["a time in words", "malformed_headers", { ...own, "Service-Webhook-Timestamp": now.toISOString() }],
    ["two times", "malformed_headers", { ...own, "Service-Webhook-Timestamp": [`${signedAt}`, `${signedAt}`] }],
    ["a replay", "timestamp_too_old", { ...own, ...standard }, { now: new Date((signedAt + 301) * 1000) }],
    ["the future", "timestamp_in_future", { ...own, ...standard }, { now: new Date((signedAt - 301) * 1000) }],
    ["a tolerance that is no number", "timestamp_too_old", own, { toleranceSeconds: Number.NaN }],
    ["a clock that is none", "timestamp_too_old", own, { now: new Date(Number.NaN) }],
    ["no secret", "invalid_secret", own, { secret: undefined, secrets: [] }],
    ["an empty secret", "invalid_secret", own, { secret: "" }],
    ["an empty key", "invalid_secret", own, { secret: "whsec_" }],
    ["a secret with a line end", "invalid_secret", own, { secret: `${secret}\n` }],
    ["a secret without its prefix", "invalid_secret", own, { secret: secret.slice(6) }],
    ["one bad secret among good ones", "invalid_secret", own, { secret: undefined, secrets: [secret, "x"] }],
    ["signed text that is no JSON", "invalid_payload", ownHeaders(secret, "hello"), { payload: "hello" }],
    ["signed JSON that is no event", "invalid_payload", ownHeaders(secret, "[1]"), { payload: "[1]" }],
  ];
  test.each(refusals)("%s: %s", async (_name, reason, headers, more) => {
    await expect(verify(headers, more)).rejects.toMatchObject({ name: "WebhookVerificationError", reason });
  });

  test("a parsed payload", async () => {
    const parsed: unknown = event;
    await expect(verify(ownHeaders(), { payload: parsed as string })).rejects.toMatchObject({
      reason: "invalid_payload",
      message: expect.stringContaining("raw body") as string,
    });
  });
});

test("the type of an event says what its data has", async () => {
  const describeEvent = (event: WebhookEvent): string => {
    switch (event.type) {
      case "run.succeeded":
        return event.data.state satisfies "succeeded";
      case "run.paused":
        return event.data.reason;
      case "row.failed":
        return event.data.object === "run_row" ? event.data.code : `${event.data.count} rows`;
      case "alert.triggered":
        return event.data.alertRuleName;
      case "test.ping":
        // @ts-expect-error a test has no state
        return typeof event.data.state;
      default:
        return event.data.object;
    }
  };
  expect(describeEvent(await verify(ownHeaders()))).toBe("succeeded ✓");
});
