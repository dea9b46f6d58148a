/** What a connection may be, beyond the shape of its members. */
import type { ConnectionPrices, ConnectionType } from "@rowmill/contract/connections";
import { judgeConnectionUrl } from "../../platform/egress/allowed-origins.ts";
import { ApiError } from "../../platform/http/errors.ts";

/** The base URL as it is stored, shown and called: without a slash at the end, since paths are put behind it. */
export function acceptBaseUrl(raw: string, allowedOrigins: ReadonlySet<string>): string {
  const judgement = judgeConnectionUrl(raw, allowedOrigins);
  if (!judgement.accepted) throw notAllowed(judgement.reason, judgement.message);
  // Also an empty one, which the parser would keep.
  if (judgement.href.includes("?"))
    throw notAllowed(
      "query",
      "The base URL must not contain a query, for paths are put behind it; remove the ? and what follows.",
    );
  return judgement.href.replace(/\/+$/, "");
}

const notAllowed = (reason: string, message: string): ApiError =>
  new ApiError("connection_url_not_allowed", message, { param: "baseUrl", extra: { reason } });

/**
 * Who may change a connection could otherwise read its secret, by sending it to a server of their own: it is theirs only to
 * use where it was meant for.
 */
export function checkSecretMayMove(before: { baseUrl: string; secret: string | null }, baseUrl: string): void {
  const { origin } = new URL(before.baseUrl);
  if (before.secret === null || new URL(baseUrl).origin === origin) return;
  throw invalid(
    "secret",
    "missing",
    `The secret was given for ${origin}. To change to another origin, send the secret for it, too, or null to have none.`,
  );
}

/** What is written and never looked at would seem to hold. */
export function checkPrices(type: ConnectionType, prices: ConnectionPrices | null | undefined): void {
  if (type === "http" && prices?.models !== undefined)
    throw invalid(
      "prices.models",
      "not_of_this_type",
      "An `http` connection has no models: its price is `requestUsd`.",
    );
  if (type !== "http" && prices?.requestUsd !== undefined)
    throw invalid("prices.requestUsd", "not_of_this_type", "Models are priced by their tokens: give `prices.models`.");
}

export function checkRateLimit(type: ConnectionType, rateLimit: { tokensPerMinute?: number | null } | undefined): void {
  if (type === "http" && typeof rateLimit?.tokensPerMinute === "number")
    throw invalid("rateLimit.tokensPerMinute", "not_of_this_type", "An `http` connection has no tokens to be limited.");
}

const invalid = (param: string, code: string, message: string): ApiError =>
  new ApiError("invalid_request", message, {
    param,
    details: [{ path: `/${param.replaceAll(".", "/")}`, code, message }],
  });
