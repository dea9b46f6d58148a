/**
 * Pages of others (DNS rebinding). A page whose name is made to point at this machine sends its own name as `Host` and `Origin`. No
 * key comes with it, since keys are not kept by browsers; but the protocol wants the check, and a key that a page got hold of is
 * worth less with it.
 */
import { isIP } from "node:net";
import type { IncomingHttpHeaders } from "node:http";
import { ApiError } from "../platform/http/errors.ts";

/** Names that nobody can register in public: of this machine, of a container network, of a private zone. */
const PRIVATE_NAME = /^[^.]+$|\.(localhost|local|internal)$/;

export function requireKnownHost(headers: IncomingHttpHeaders, publicUrl: string, origins: readonly string[]): void {
  const own = new URL(publicUrl);
  const { host = "", origin } = headers;
  const name = URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : "";
  const isKnown = name === own.hostname || isIP(name.replace(/^\[|\]$/g, "")) !== 0 || PRIVATE_NAME.test(name);
  if (!isKnown || name === "")
    throw new ApiError(
      "origin_not_allowed",
      `The name in Host is not that of this service (${own.host}): set ROWMILL_PUBLIC_URL to the address that clients use.`,
      { param: "Host" },
    );
  if (origin === undefined || origins.includes("*") || origins.includes(origin)) return;
  const asked = URL.canParse(origin) ? new URL(origin) : undefined;
  if (asked !== undefined && (asked.origin === own.origin || asked.host === host)) return;
  throw new ApiError(
    "origin_not_allowed",
    "Pages of this origin may not use the tools: the operator can name it in ROWMILL_CORS_ORIGINS.",
    { param: "Origin" },
  );
}
