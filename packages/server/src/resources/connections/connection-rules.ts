/** What a connection may be, beyond the shape of its members. */
import type { ConnectionType } from "@rowmill/contract/connections";
import type { ConnectionPrices } from "@rowmill/contract/connection-prices";
import { checkConnectionUrl } from "../../platform/egress/allowed-origins.ts";
import { ApiError } from "../../platform/http/errors.ts";

import { listPricesFor, listedHosts } from "../model-prices/model-prices.ts";

/** The base URL as it is stored, shown and called: without a slash at the end, since paths are put behind it. */
export function acceptBaseUrl(raw: string, allowedOrigins: ReadonlySet<string>): string {
  const checked = checkConnectionUrl(raw, allowedOrigins);
  if (!checked.accepted) throw notAllowed(checked.reason, checked.message);
  // Also an empty one, which the parser would keep.
  if (checked.href.includes("?"))
    throw notAllowed(
      "query",
      "The base URL must not contain a query, for paths are put behind it; remove the ? and what follows.",
    );
  return checked.href.replace(/\/+$/, "");
}

const notAllowed = (reason: string, message: string): ApiError =>
  new ApiError("connection_url_not_allowed", message, { param: "baseUrl", extra: { reason } });

/**
 * Who may change a connection could otherwise read its secret, by sending it to a server of their own, or to another service
 * on the same host that repeats what it gets: it is theirs only to use where it was meant for.
 */
export function checkSecretMayMove(before: { baseUrl: string; secret: string | null }, baseUrl: string): void {
  if (before.secret === null || isBelow(new URL(baseUrl), new URL(before.baseUrl))) return;
  throw invalid(
    "secret",
    "missing",
    `The secret was given for ${before.baseUrl} and what is below it. To change to another URL, send the secret for it, too, or null to have none.`,
  );
}

/** The same, or a path further down. Some servers take an escaped slash or dot for a plain one, and leave the path again. */
function isBelow(url: URL, above: URL): boolean {
  if (url.origin !== above.origin) return false;
  if (url.pathname === above.pathname) return true;
  const parent = above.pathname.replace(/\/$/, "");
  return url.pathname.startsWith(`${parent}/`) && !/%(?:2e|2f|5c|25)/i.test(url.pathname.slice(parent.length));
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

/** A list without the provider would leave every call without a price. */
export function checkListed(type: ConnectionType, baseUrl: string): void {
  if (listPricesFor(type, baseUrl) !== undefined) return;
  throw invalid(
    "prices",
    "not_in_price_list",
    `The price list has nothing for ${type} connections at ${new URL(baseUrl).hostname}: it knows ${listedHosts().join(", ")}. Give \`prices.models\`.`,
  );
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
