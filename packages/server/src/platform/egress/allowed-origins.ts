/**
 * Origins that the operator admits for connections and job specs, and nobody else can: models and services inside the
 * operator's own network. A URL of such an origin is right whatever its scheme, port and host are.
 */
import { checkUrl } from "./check-url.ts";
import { isLoopbackHost } from "./loopback.ts";
import type { UrlCheck, UrlRejection } from "./check-url.ts";

/** What the operator can allow by listing an origin. */
const ADMISSIBLE: ReadonlySet<UrlRejection> = new Set(["scheme", "port", "address", "host_name", "local_name"]);

/** The entries as the WHATWG parser writes origins. Throws an Error that names the one it cannot read. */
export function parseAllowedOrigins(entries: readonly string[]): ReadonlySet<string> {
  return new Set(
    entries.map((entry) => {
      // A parser would read more than an origin; and * as a name, which admits nothing.
      if (!/^https?:\/\/[^\s/?#@\\*]+\/?$/i.test(entry) || !URL.canParse(entry))
        throw new Error(
          `An allowed origin is a scheme, a host and perhaps a port, such as http://127.0.0.1:11434; ${JSON.stringify(entry)} is not one.`,
        );
      return new URL(entry).origin;
    }),
  );
}

/** The rules of webhook URLs, and the origins that the operator has allowed. */
export function checkConnectionUrl(raw: unknown, allowedOrigins: ReadonlySet<string>): UrlCheck {
  const checked = checkUrl(raw, allowedOrigins);
  if (checked.accepted || !ADMISSIBLE.has(checked.reason)) return checked;
  const origin = originOf(raw);
  const onThisMachine = isLoopbackHost(hostOf(origin))
    ? " A service that is started with ROWMILL_MODE=development allows all models and services of its own machine."
    : "";
  return {
    ...checked,
    message: `${checked.message} The operator of the service can allow other origins: ROWMILL_CONNECTION_ALLOWED_ORIGINS=${origin}.${onThisMachine}`,
  };
}

const hostOf = (origin: string): string => (URL.canParse(origin) ? new URL(origin).hostname : "");

/** As the setting wants it, for copying; without credentials, path and query. */
function originOf(raw: unknown): string {
  const url = typeof raw === "string" && /^https?:/i.test(raw) && URL.canParse(raw) ? new URL(raw) : undefined;
  return url === undefined ? "http://host:port" : url.origin;
}
