/**
 * How a webhook delivery is signed (specification 6.2). Every delivery carries two sets of headers over the same bytes:
 *
 *     Service-Webhook-Signature: v1=<hex>      HMAC-SHA256(key: the secret's UTF-8 bytes, "<seconds>.<body>")
 *     webhook-signature: v1,<base64> …         HMAC-SHA256(key: the decoded part of the secret, "<id>.<seconds>.<body>")
 *
 * The first is ours and single-valued: the newest secret signs it. The second is https://www.standardwebhooks.com, whose
 * list also carries the signatures of the secrets that a rotation has not yet retired. The timestamp is that of the
 * attempt, the id that of the event, so that a late retry verifies and a receiver can distinguish it from a new event.
 */
import { createHmac, createSecretKey, randomBytes } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { tokenPrefixes } from "../../platform/tokens.ts";

/** As long as the digest; a longer key adds nothing to HMAC-SHA256. */
const SECRET_BYTES = 32;

const SECRET_PREFIX = tokenPrefixes.signingSecret;

/** A new `signingSecret`: `whsec_` and the standard base64 of 32 random bytes. */
export function newSigningSecret(): string {
  return SECRET_PREFIX + randomBytes(SECRET_BYTES).toString("base64");
}

export interface Attempt {
  /** What the headers of our own scheme begin with, `Service` by default. */
  prefix: string;
  /** Newest first. Those after the first are valid for a while after a rotation. */
  secrets: readonly [string, ...string[]];
  eventId: string;
  /** The bytes that are sent. */
  body: Buffer;
  /** When the attempt is made, in milliseconds since 1970. */
  nowMs: number;
}

/** The headers of one attempt, content type included. */
export function signedHeaders({ prefix, secrets, eventId, body, nowMs }: Attempt): Record<string, string> {
  const seconds = String(Math.floor(nowMs / 1000));
  const hex = hmacSha256(createSecretKey(secrets[0], "utf8"), `${seconds}.`, body).toString("hex");
  const list = secrets.map((s) => `v1,${hmacSha256(decodedKey(s), `${eventId}.${seconds}.`, body).toString("base64")}`);
  return {
    "content-type": "application/json",
    [`${prefix}-Webhook-Id`]: eventId,
    [`${prefix}-Webhook-Timestamp`]: seconds,
    [`${prefix}-Webhook-Signature`]: `v1=${hex}`,
    "webhook-id": eventId,
    "webhook-timestamp": seconds,
    "webhook-signature": list.join(" "),
  };
}

const decodedKey = (secret: string): KeyObject => createSecretKey(secret.slice(SECRET_PREFIX.length), "base64");

/** `key` is no buffer: Node takes longer to examine one than to compute the digest. */
function hmacSha256(key: KeyObject, head: string, body: Buffer): Buffer {
  return createHmac("sha256", key).update(head, "utf8").update(body).digest();
}
