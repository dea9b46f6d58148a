/** One attempt to deliver: signed at this moment, sent through egress, with its outcome as data. */
import type { Egress, EgressOutcome } from "../../platform/egress/egress.ts";
import { SMALL_RESPONSE_BYTES } from "../../platform/egress/egress.ts";
import { parseRetryAfterSeconds } from "../../platform/egress/retry-after.ts";
import { formatId } from "../../platform/ids.ts";
import { openUrl } from "../../platform/secrets/bearer-urls.ts";
import { openUnlessLost } from "../../platform/secrets/sealing.ts";
import type { Sealer } from "../../platform/secrets/sealing.ts";
import type { LostSecret } from "../../resources/webhook-endpoints/signing-secrets.ts";
import { renderEnvelope } from "../../resources/events/events.ts";
import { cutText } from "../../platform/text.ts";
import type { StoredAttempt } from "../../platform/database/event-tables.ts";
import { openSecrets } from "../../resources/webhook-endpoints/signing-secrets.ts";
import type { StoredSecrets } from "../../resources/webhook-endpoints/signing-secrets.ts";
import { signedHeaders } from "../../resources/webhook-endpoints/signing.ts";
import { present } from "../../platform/present.ts";
import { sharedNow } from "../../platform/shared-time.ts";

/** A receiver that has not responded by then is treated as down; longer would let one slow receiver keep a slot. */
export const ATTEMPT_TIMEOUT_MS = 15_000;

/** An attempt as it is stored: what the list shows, and what the content of the delivery shows beside it. */
export type AttemptRecord = StoredAttempt;

export interface AttemptParts {
  egress: Egress;
  sealer: Sealer;
  headerPrefix: string;
  publicUrl: () => string;
}

export interface OutgoingDelivery {
  /** The endpoint, as it was read just now: its URL is sealed. */
  endpoint: StoredSecrets & { url: string };
  eventId: string;
  /** The envelope as it was stored. */
  payload: string;
}

const MAX_RESPONSE_HEADERS = 30;
const MAX_HEADER_CHARACTERS = 300;
const MAX_RESPONSE_BYTES = 1_024;

/** Without its number, which is that of the delivery's attempts. */
export type AttemptResult = Omit<AttemptRecord, "number"> & { retryAfterSeconds: number | undefined };

const SECRET_IS_LOST: LostSecret = {
  outcome: "failed",
  reason: "secret_lost",
  message:
    "The URL or the signing secret of the endpoint was sealed with an encryption key that the service no longer has: set the URL again, and rotate the secret.",
  durationMs: 0,
};

/** Undefined: it was canceled by `signal`, and nobody can say whether the receiver has got it. */
export async function attemptDelivery(
  parts: AttemptParts,
  outgoing: OutgoingDelivery,
  signal?: AbortSignal,
): Promise<AttemptResult | undefined> {
  const startedAt = sharedNow();
  const opened = openUnlessLost(() => ({
    url: openUrl(parts.sealer, "webhook_endpoints", outgoing.endpoint, outgoing.endpoint.url),
    secrets: openSecrets(parts.sealer, "webhook_endpoints", outgoing.endpoint, startedAt),
  }));
  if (opened === undefined) return describeOutcome(SECRET_IS_LOST, startedAt, { headers: {} });
  const body = Buffer.from(renderEnvelope(outgoing.payload, parts.publicUrl()), "utf8");
  const headers = {
    ...signedHeaders({
      prefix: parts.headerPrefix,
      secrets: opened.secrets,
      eventId: formatId("event", outgoing.eventId),
      body,
      // Receivers compare it with their own clock.
      nowMs: Date.now(),
    }),
    "user-agent": "Rowmill-Webhooks/1",
  };
  const outcome = await parts.egress.send({
    method: "POST",
    url: opened.url,
    headers,
    body,
    timeoutMs: ATTEMPT_TIMEOUT_MS,
    maxResponseBytes: SMALL_RESPONSE_BYTES,
    ...present({ signal }),
  });
  return describeOutcome(outcome, startedAt, { headers });
}

export const isSuccess = ({ responseStatus }: Pick<AttemptResult, "responseStatus">): boolean =>
  responseStatus !== null && responseStatus >= 200 && responseStatus <= 299;

/** By this status a receiver says that it will never want anything again. */
export const isGone = ({ responseStatus }: Pick<AttemptResult, "responseStatus">): boolean => responseStatus === 410;

function describeOutcome(
  outcome: EgressOutcome | LostSecret,
  startedAt: Date,
  request: { headers: Record<string, string> },
): AttemptResult | undefined {
  const common = { startedAt: startedAt.toISOString(), durationMs: outcome.durationMs, request };
  if (outcome.outcome === "response") {
    const { status, headers, body } = outcome;
    return {
      ...common,
      outcome: "response",
      responseStatus: status,
      message: sayStatus(status),
      response: showResponse(headers, body),
      retryAfterSeconds: parseRetryAfterSeconds(headers["retry-after"], new Date()),
    };
  }
  if (outcome.reason === "canceled") return undefined;
  return {
    ...common,
    outcome: outcome.reason,
    responseStatus: null,
    message: outcome.message,
    response: null,
    retryAfterSeconds: undefined,
  };
}

/** The beginning of what came back: enough for a message, and little beside the delivery itself. */
function showResponse(headers: Record<string, string>, body: Buffer): NonNullable<StoredAttempt["response"]> {
  const shown = Object.entries(headers)
    .filter(([name]) => name !== "set-cookie")
    .slice(0, MAX_RESPONSE_HEADERS)
    .map(([name, value]) => [name, cutText(value, MAX_HEADER_CHARACTERS)] as const);
  return {
    headers: Object.fromEntries(shown),
    body: body.subarray(0, MAX_RESPONSE_BYTES).toString("utf8"),
    isCut: body.length > MAX_RESPONSE_BYTES,
  };
}

function sayStatus(status: number): string {
  if (status >= 200 && status <= 299) return `The receiver accepted the event (${status}).`;
  if (status >= 300 && status <= 399)
    return `The receiver responded with a redirect (${status}), which is never followed. Change the URL of the endpoint to where it leads.`;
  switch (status) {
    case 401:
    case 403:
      return `The receiver refused the event (${status}). Check its authentication, or a firewall before it.`;
    case 404:
      return "The receiver has nothing at this path (404). Check the URL of the endpoint.";
    case 405:
      return "The receiver takes no POST at this path (405). Check the URL of the endpoint.";
    case 410:
      return "The receiver is gone for good (410).";
    case 429:
      return "The receiver is rate limiting (429).";
    default:
      return status >= 500
        ? `The receiver had an error (${status}). Its own log says more.`
        : `The receiver refused the event (${status}).`;
  }
}
