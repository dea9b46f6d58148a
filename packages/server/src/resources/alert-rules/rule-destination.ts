/** Where the alerts of a rule go: what is accepted, stored and shown. */
import type { AlertDestination } from "@rowmill/contract/alert-destinations";
import { checkUrl } from "../../platform/egress/check-url.ts";
import { ApiError } from "../../platform/http/errors.ts";
import type { Mailer } from "../../platform/mail/mailer.ts";
import { sealUrl, showUrl } from "../../platform/secrets/bearer-urls.ts";
import type { Sealer } from "../../platform/secrets/sealing.ts";
import { refuseShownUrl } from "../webhook-endpoints/webhook-endpoints.ts";

export interface DestinationParts {
  /** Undefined where there is no mail server. */
  mailer: Mailer | undefined;
  /** Receivers on this machine, in development. */
  receiverOrigins: ReadonlySet<string>;
}

/** The destination as it is stored, shown and called. */
export function acceptDestination(
  { mailer, receiverOrigins }: DestinationParts,
  destination: AlertDestination,
): AlertDestination {
  if (destination.type === "email") {
    if (mailer !== undefined) return destination;
    throw new ApiError(
      "invalid_request",
      "This service has no mail server (ROWMILL_SMTP_URL), so it cannot send alerts by e-mail: choose a webhook or Slack.",
      { param: "destination.type" },
    );
  }
  refuseShownUrl(destination.url, "destination.url");
  const checked = checkUrl(destination.url, receiverOrigins);
  if (checked.accepted) return { ...destination, url: checked.href };
  throw new ApiError("webhook_url_not_allowed", checked.message, {
    param: "destination.url",
    extra: { reason: checked.reason },
  });
}

/** The path of an incoming webhook is its secret. */
export function shownDestination(destination: AlertDestination): AlertDestination {
  return destination.type === "email" ? destination : { ...destination, url: showUrl(destination.url) };
}

export const destinationColumns = (
  sealer: Sealer,
  key: { organizationId: string; id: string },
  destination: AlertDestination,
) => ({
  destination: JSON.stringify(shownDestination(destination)),
  sealedUrl: destination.type === "email" ? null : sealUrl(sealer, "alert_rules", key, destination.url),
});
