/**
 * Verifies the webhooks of the service, with nothing but WebCrypto: Node 20 and later, browsers, edge runtimes.
 *
 * A delivery is signed twice over the same bytes: in headers of the service's own (`Service-Webhook-Signature`, the
 * prefix is a setting of the service) and in those of https://www.standardwebhooks.com (`webhook-signature`). One valid
 * signature is enough. The content of the event, its `id` included, is covered by both.
 *
 *     const event = await verifyWebhook({ payload: await request.text(), headers: request.headers, secret });
 */
import type { webhooks } from "./generated/openapi.ts";

/** The longest difference between the clocks of both sides and the delay on the way, together. */
const DEFAULT_TOLERANCE_SECONDS = 300;

/** A rotation makes two; more would only make us compute. */
const MAX_SIGNATURES = 16;

const SECRET_PREFIX = "whsec_";

/** The prefix and standard base64 with its padding. */
const SECRET = /^whsec_(?=.)(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export type VerifyWebhookOptions = {
  /** The body exactly as it was received, before any parsing. */
  payload: string | Uint8Array;
  /** A `Headers`, or an object with names in any letter case, as of Node, Express or a lambda. */
  headers: WebhookHeaders;
  /** How far the timestamp may be from `now`, in both directions. */
  toleranceSeconds?: number;
  /** `ROWMILL_WEBHOOK_HEADER_PREFIX` of the service. */
  headerPrefix?: string;
  now?: Date;
} & (
  | { /** The `signingSecret` of the endpoint: `whsec_…`. */ secret: string; secrets?: undefined }
  | { /** All that are valid, while a rotation is under way. */ secrets: readonly string[]; secret?: undefined }
);

/** The event of a genuine delivery. Rejects with a WebhookVerificationError for every other. */
export async function verifyWebhook(options: VerifyWebhookOptions): Promise<WebhookEvent> {
  const { payload, headers, headerPrefix = "Service", toleranceSeconds = DEFAULT_TOLERANCE_SECONDS } = options;
  const secrets = checkSecrets(options.secrets ?? [options.secret]);
  const bytes = payloadBytes(payload);
  const candidates = readCandidates(headers, headerPrefix);
  for (const candidate of candidates) {
    if (!(await isSigned(candidate, secrets, bytes))) continue;
    checkTimestamp(candidate.seconds, options.now ?? new Date(), toleranceSeconds);
    return parseEvent(bytes);
  }
  throw new WebhookVerificationError(
    "signature_mismatch",
    "No signature matches. Check that the secret belongs to this endpoint and that the payload is the unmodified body: " +
      "parsing and printing JSON again changes its bytes.",
  );
}

/**
 * - `invalid_secret`: no secret was given, or one that is not a `signingSecret`
 * - `invalid_payload`: the payload is not a string or bytes, or what was signed is no event
 * - `missing_headers`, `malformed_headers`: the signature headers
 * - `signature_mismatch`: not signed with any of the secrets
 * - `timestamp_too_old`, `timestamp_in_future`: signed, but not within the tolerance: a replay, or a wrong clock
 */
export type WebhookVerificationFailure =
  | "invalid_secret"
  | "invalid_payload"
  | "missing_headers"
  | "malformed_headers"
  | "signature_mismatch"
  | "timestamp_too_old"
  | "timestamp_in_future";

export class WebhookVerificationError extends Error {
  override readonly name: string = "WebhookVerificationError";
  readonly reason: WebhookVerificationFailure;

  constructor(reason: WebhookVerificationFailure, message: string) {
    super(message);
    this.reason = reason;
  }
}

type Deliveries = {
  [Type in keyof webhooks]: webhooks[Type]["post"]["requestBody"]["content"]["application/json"];
};

/**
 * What a delivery carries: which thing changed and how, and where to read it. It holds no contents of rows. `switch (event.type)` narrows
 * `event.data`. A service that is newer than this client may send other types and members: have a `default` that ignores them.
 */
export type WebhookEvent<Type extends keyof Deliveries = keyof Deliveries> = Deliveries[Type];

/** `data` of the events of these objects. */
type DataOf<Name extends WebhookEvent["data"]["object"]> = Extract<WebhookEvent["data"], { object: Name }>;
export type RunEventData = DataOf<"run">;
export type RunRowEventData = DataOf<"run_row">;
/** Stands for many row events of one type and run. */
export type RunRowDigestData = DataOf<"run_row_digest">;
export type ExportEventData = DataOf<"export">;
export type DatasetEventData = DataOf<"dataset">;
export type WebhookEndpointEventData = DataOf<"webhook_endpoint">;
export type BulkActionEventData = DataOf<"bulk_action">;
export type TestEventData = DataOf<"test">;
export type AlertData = DataOf<"alert">;

/** One set of signature headers. */
interface Candidate {
  seconds: string;
  /** What stands before the payload in the signed bytes. */
  head: string;
  signatures: Uint8Array[];
  keyOf(secret: string): Uint8Array<ArrayBuffer>;
}

/** The sets that can be checked; a broken or missing one does no harm while the other is whole. */
function readCandidates(headers: WebhookHeaders, headerPrefix: string): Candidate[] {
  const candidates: Candidate[] = [];
  const problems: unknown[] = [];
  for (const read of [() => readOwn(headers, headerPrefix), () => readStandard(headers)]) {
    try {
      candidates.push(read());
    } catch (error) {
      problems.push(error);
    }
  }
  if (candidates.length === 0) throw problems[0];
  return candidates;
}

function readOwn(headers: WebhookHeaders, headerPrefix: string): Candidate {
  const prefix = `${headerPrefix}-Webhook`;
  const list = requireHeader(headers, `${prefix}-Signature`).split(",");
  const signatures = list.flatMap((part) => decodeHex(/^\s*v1=([0-9a-f]{64})\s*$/.exec(part)?.[1]));
  const seconds = requireTimestamp(headers, `${prefix}-Timestamp`);
  return { seconds, head: `${seconds}.`, signatures: requireSome(signatures), keyOf: utf8 };
}

function readStandard(headers: WebhookHeaders): Candidate {
  const list = requireHeader(headers, "webhook-signature").split(/ +|,(?=v1,)/);
  const signatures = list.flatMap((part) => decodeBase64(/^v1,([A-Za-z0-9+/]{43}=)$/.exec(part)?.[1]));
  const seconds = requireTimestamp(headers, "webhook-timestamp");
  const head = `${requireHeader(headers, "webhook-id")}.${seconds}.`;
  return { seconds, head, signatures: requireSome(signatures), keyOf: decodedSecret };
}

function requireSome(signatures: Uint8Array[]): Uint8Array[] {
  if (signatures.length > 0) return signatures;
  throw new WebhookVerificationError("malformed_headers", "The signature header carries no signature of version v1.");
}

async function isSigned(candidate: Candidate, secrets: readonly string[], payload: Uint8Array): Promise<boolean> {
  const head = utf8(candidate.head);
  const content = new Uint8Array(head.length + payload.length);
  content.set(head);
  content.set(payload, head.length);
  let matches = 0;
  for (const secret of secrets) {
    const algorithm = { name: "HMAC", hash: "SHA-256" };
    const key = await crypto.subtle.importKey("raw", candidate.keyOf(secret), algorithm, false, ["sign"]);
    const expected = new Uint8Array(await crypto.subtle.sign("HMAC", key, content));
    for (const given of candidate.signatures.slice(0, MAX_SIGNATURES)) matches |= isEqual(expected, given);
  }
  return matches === 1;
}

/** 1 or 0, in a time that does not depend on where the two differ. */
function isEqual(expected: Uint8Array, given: Uint8Array): 0 | 1 {
  let difference = expected.length ^ given.length;
  for (const [index, byte] of expected.entries()) difference |= byte ^ (given[index] ?? 0);
  return difference === 0 ? 1 : 0;
}

function checkTimestamp(seconds: string, now: Date, toleranceSeconds: number): void {
  const age = Math.floor(now.getTime() / 1000) - Number(seconds);
  // Written so that a tolerance that is no number refuses, too.
  if (!(age <= toleranceSeconds)) {
    throw new WebhookVerificationError(
      "timestamp_too_old",
      `The delivery was signed ${age} seconds ago, more than ${toleranceSeconds}. It may be a replay; else check the clock.`,
    );
  }
  if (!(-age <= toleranceSeconds)) {
    throw new WebhookVerificationError(
      "timestamp_in_future",
      `The delivery was signed ${-age} seconds in the future, more than ${toleranceSeconds}. Check the clock.`,
    );
  }
}

function parseEvent(payload: Uint8Array): WebhookEvent {
  let event: unknown;
  try {
    event = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(payload));
  } catch {
    event = undefined;
  }
  if (!isEvent(event)) {
    throw new WebhookVerificationError(
      "invalid_payload",
      "The payload is signed, but it is not an event of the service.",
    );
  }
  return event;
}

/** Looks only at what distinguishes an event from something else: what is signed comes from the service. */
function isEvent(value: unknown): value is WebhookEvent {
  if (typeof value !== "object" || value === null) return false;
  const { id, type, data } = value as Partial<Record<keyof WebhookEvent, unknown>>;
  return typeof id === "string" && typeof type === "string" && typeof data === "object" && data !== null;
}

function checkSecrets(secrets: readonly (string | undefined)[]): string[] {
  const checked = secrets.flatMap((secret) => (secret !== undefined && SECRET.test(secret) ? [secret] : []));
  if (checked.length > 0 && checked.length === secrets.length) return checked;
  throw new WebhookVerificationError(
    "invalid_secret",
    "Pass the signingSecret of the endpoint as it was shown: whsec_ and base64, without quotes, spaces or line ends.",
  );
}

function payloadBytes(payload: unknown): Uint8Array {
  if (typeof payload === "string") return utf8(payload);
  if (payload instanceof Uint8Array) return payload;
  throw new WebhookVerificationError(
    "invalid_payload",
    "Pass the raw body as a string or Uint8Array, not the parsed object: the signature covers the bytes as they came.",
  );
}

function requireTimestamp(headers: WebhookHeaders, name: string): string {
  const text = requireHeader(headers, name);
  if (!/^[0-9]{1,12}$/.test(text)) {
    throw new WebhookVerificationError("malformed_headers", `The header ${name} is not a Unix time in seconds.`);
  }
  return text;
}

function requireHeader(headers: WebhookHeaders, name: string): string {
  const value = readHeader(headers, name.toLowerCase());
  if (value !== undefined && value !== "") return value;
  throw new WebhookVerificationError(
    "missing_headers",
    `The header ${name} is missing. Check that the request is a delivery, that a proxy passes its headers on, and headerPrefix.`,
  );
}

/** The value of a header; of a repeated one the values, joined as HTTP joins them. */
function readHeader(headers: WebhookHeaders, name: string): string | undefined {
  if (isHeaders(headers)) return headers.get(name) ?? undefined;
  const values = Object.entries(headers).flatMap(([key, value]) =>
    key.toLowerCase() === name ? [value ?? []].flat() : [],
  );
  return values.length === 0 ? undefined : values.join(",");
}

function isHeaders(headers: WebhookHeaders): headers is { get(name: string): string | null } {
  return typeof headers.get === "function";
}

function decodedSecret(secret: string): Uint8Array<ArrayBuffer> {
  return decodeBase64(secret.slice(SECRET_PREFIX.length))[0] ?? new Uint8Array();
}

/** The bytes in an array of one; an empty array for what is not base64. */
function decodeBase64(text: string | undefined): Uint8Array<ArrayBuffer>[] {
  if (text === undefined) return [];
  return [Uint8Array.from(atob(text), (character) => character.charCodeAt(0))];
}

function decodeHex(text: string | undefined): Uint8Array<ArrayBuffer>[] {
  if (text === undefined) return [];
  return [Uint8Array.from(text.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))];
}

function utf8(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}
