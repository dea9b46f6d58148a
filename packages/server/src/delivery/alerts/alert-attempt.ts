/** One attempt to deliver an alert to its destination, with its outcome as data. */
import type { AlertDelivery } from "@rowmill/contract/alert-deliveries";
import type { Alert } from "@rowmill/contract/event-payloads";
import { SMALL_RESPONSE_BYTES } from "../../platform/egress/egress.ts";
import type { Egress, EgressOutcome } from "../../platform/egress/egress.ts";
import { parseRetryAfterSeconds } from "../../platform/egress/retry-after.ts";
import type { Log } from "../../platform/log.ts";
import type { Mailer, RefusedRecipient } from "../../platform/mail/mailer.ts";
import { openUrl } from "../../platform/secrets/bearer-urls.ts";
import { openUnlessLost } from "../../platform/secrets/sealing.ts";
import type { Sealer } from "../../platform/secrets/sealing.ts";
import { signedHeaders } from "../../resources/webhook-endpoints/signing.ts";
import { openSecrets } from "../../resources/webhook-endpoints/signing-secrets.ts";
import type { LostSecret } from "../../resources/webhook-endpoints/signing-secrets.ts";
import type { AlertedRule } from "../claims/claim-alerts.ts";
import { renderAlert, toMail, toSlackMessage } from "./alert.ts";
import { present } from "../../platform/present.ts";
import { sharedNow } from "../../platform/shared-time.ts";

/** A receiver that has not responded by then is treated as down; longer would let one slow receiver keep a slot. */
const ATTEMPT_TIMEOUT_MS = 15_000;

const SECRET_IS_LOST: LostSecret = {
  outcome: "failed",
  reason: "secret_lost",
  message:
    "The URL or the signing secret of the destination was sealed with an encryption key that the service no longer has: set the destination again, and rotate the secret.",
  durationMs: 0,
};

/** A mail server looks a message through before it takes it. */
const MAIL_TIMEOUT_MS = 30_000;

export type AttemptRecord = AlertDelivery["attempts"][number];

export interface AttemptParts {
  egress: Egress;
  sealer: Sealer;
  mailer: Mailer | undefined;
  headerPrefix: string;
  publicUrl: () => string;
  log: Log;
}

export interface OutgoingAlert {
  /** As the rule's row holds it just now. */
  rule: AlertedRule;
  /** JSON, as it was stored. */
  alert: string;
}

/** The record without its number, and what follows from the outcome. */
export interface AttemptResult {
  record: Omit<AttemptRecord, "number">;
  isSuccess: boolean;
  /** The same again would end the same. */
  isFinal: boolean;
  retryAfterSeconds: number | undefined;
}

/** Undefined: it was canceled by `signal`, and nobody can say whether it has arrived. */
export async function attemptAlert(
  parts: AttemptParts,
  { rule, alert }: OutgoingAlert,
  signal?: AbortSignal,
): Promise<AttemptResult | undefined> {
  const { destination } = rule;
  const rendered = renderAlert(alert, parts.publicUrl());
  switch (destination.type) {
    case "webhook": {
      const { signingSecret } = rule;
      if (signingSecret === null) throw new Error("a webhook destination has no signing secret");
      const now = sharedNow();
      const secrets = openUnlessLost(() => openSecrets(parts.sealer, "alert_rules", { ...rule, signingSecret }, now));
      if (secrets === undefined) return describeOutcome(SECRET_IS_LOST, now);
      const body = Buffer.from(JSON.stringify(rendered), "utf8");
      const prefix = parts.headerPrefix;
      const headers = signedHeaders({ prefix, secrets, eventId: rendered.id, body, nowMs: Date.now() });
      return post(parts, rule, { headers, body, signal });
    }
    case "slack": {
      const body = Buffer.from(JSON.stringify(toSlackMessage(rendered)), "utf8");
      return post(parts, rule, { headers: { "content-type": "application/json" }, body, signal });
    }
    case "email":
      return sendMail(parts, destination.to, rendered);
  }
}

function urlOf(sealer: Sealer, rule: AlertedRule): string {
  if (rule.sealedUrl === null) throw new Error("the destination of an alert has no URL");
  return openUrl(sealer, "alert_rules", rule, rule.sealedUrl);
}

async function post(
  { egress, sealer }: AttemptParts,
  rule: AlertedRule,
  { headers, body, signal }: { headers: Record<string, string>; body: Buffer; signal: AbortSignal | undefined },
): Promise<AttemptResult | undefined> {
  const startedAt = sharedNow();
  const url = openUnlessLost(() => urlOf(sealer, rule));
  if (url === undefined) return describeOutcome(SECRET_IS_LOST, startedAt);
  const outcome = await egress.send({
    method: "POST",
    url,
    headers: { ...headers, "user-agent": "Rowmill-Alerts/1" },
    body,
    timeoutMs: ATTEMPT_TIMEOUT_MS,
    maxResponseBytes: SMALL_RESPONSE_BYTES,
    ...present({ signal }),
  });
  return describeOutcome(outcome, startedAt);
}

function describeOutcome(outcome: EgressOutcome | LostSecret, startedAt: Date): AttemptResult | undefined {
  const common = { startedAt: startedAt.toISOString(), durationMs: outcome.durationMs };
  if (outcome.outcome === "response") {
    const { status, headers } = outcome;
    return {
      record: { ...common, outcome: "response", responseStatus: status, message: sayStatus(status) },
      isSuccess: status >= 200 && status <= 299,
      isFinal: status === 410,
      retryAfterSeconds: parseRetryAfterSeconds(headers["retry-after"], new Date()),
    };
  }
  if (outcome.reason === "canceled") return undefined;
  return {
    record: { ...common, outcome: outcome.reason, responseStatus: null, message: outcome.message },
    isSuccess: false,
    isFinal: false,
    retryAfterSeconds: undefined,
  };
}

function sayStatus(status: number): string {
  if (status >= 200 && status <= 299) return `The destination accepted the alert (${status}).`;
  if (status >= 300 && status <= 399)
    return `The destination responded with a redirect (${status}), which is never followed. Change its URL to where it leads.`;
  if (status === 404) return "The destination has nothing at this path (404). Check its URL.";
  if (status === 410) return "The destination is gone for good (410).";
  if (status === 429) return "The destination is rate limiting (429).";
  return status >= 500 ? `The destination had an error (${status}).` : `The destination refused the alert (${status}).`;
}

/** What the mail server said stays in the operator's log: it may name machines of the operator's network. */
async function sendMail({ mailer, log }: AttemptParts, to: readonly string[], alert: Alert): Promise<AttemptResult> {
  const startedAt = sharedNow();
  const begun = performance.now();
  const result = (
    record: Pick<AttemptRecord, "outcome" | "responseStatus" | "message">,
    isSuccess: boolean,
    isFinal: boolean,
  ): AttemptResult => ({
    record: { startedAt: startedAt.toISOString(), durationMs: Math.round(performance.now() - begun), ...record },
    isSuccess,
    isFinal,
    retryAfterSeconds: undefined,
  });
  if (mailer === undefined)
    return result(
      { outcome: "connect", responseStatus: null, message: "The service has no mail server any more." },
      false,
      false,
    );
  let timer: NodeJS.Timeout | undefined;
  const timeUp = new Promise<"timeout">((resolve) => {
    timer = setTimeout(() => resolve("timeout"), MAIL_TIMEOUT_MS);
  });
  // The same id on every attempt, so that a mail program recognizes a repetition.
  const mail = { to, ...toMail(alert), messageId: `${alert.id}@rowmill` };
  const outcome = await Promise.race([mailer.send(mail), timeUp]).finally(() => clearTimeout(timer));
  if (outcome === "timeout")
    return result(
      { outcome: "timeout", responseStatus: null, message: "The mail server did not respond in time." },
      false,
      false,
    );
  if (outcome.outcome === "sent") {
    const { refused } = outcome;
    if (refused.length > 0)
      log.warn({ alertDelivery: alert.id, refused }, "the mail server did not accept an alert for some recipients");
    return result({ outcome: "response", responseStatus: null, message: sayAccepted(to, refused) }, true, true);
  }
  log.warn({ alertDelivery: alert.id, reason: outcome.reason }, "the mail server did not accept an alert");
  return outcome.isPermanent
    ? result(
        { outcome: "response", responseStatus: null, message: "The mail server refused the alert for good." },
        false,
        true,
      )
    : result(
        {
          outcome: "connect",
          responseStatus: null,
          message: "The mail server could not be reached, or does not take the alert at the moment.",
        },
        false,
        false,
      );
}

/** The attempt counts as a success if anybody gets the alert: sent again, it would come twice to those who have it. */
function sayAccepted(to: readonly string[], refused: readonly RefusedRecipient[]): string {
  if (refused.length === 0) return "The mail server accepted the alert.";
  const addresses = refused.map(({ address }) => address).join(", ");
  return `The mail server accepted the alert for ${to.length - refused.length} of ${to.length} recipients. It refused: ${addresses}.`;
}
