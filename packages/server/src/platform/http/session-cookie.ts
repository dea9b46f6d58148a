/**
 * The cookie of a browser's session. Scripts cannot read it (`HttpOnly`), and pages of other sites cannot send it
 * (`SameSite=Strict`). Cookies do not distinguish ports, so that the name has the port: two services on one machine do not sign
 * each other's users out. Over https at the root path it has the prefix `__Host-`: browsers then refuse one of that name that another
 * host of the domain, or a page without https, has set.
 */
import type { IncomingHttpHeaders } from "node:http";
import { SESSION_KEY_HEADER } from "@rowmill/contract/sessions";
import { formatId } from "../ids.ts";
import { ApiError } from "./errors.ts";
import { sharedMs } from "../shared-time.ts";

/** A cookie header of a browser with many cookies; a longer one is not searched. */
const MAX_COOKIE_HEADER_LENGTH = 16_384;

export function sessionTokenIn(header: string | undefined, publicUrl: string): string | undefined {
  if (header === undefined || header.length > MAX_COOKIE_HEADER_LENGTH) return undefined;
  const name = `${placeOf(publicUrl).name}=`;
  return header
    .split(";")
    .map((part) => part.trim())
    .find((part) => part.startsWith(name) && part.length > name.length)
    ?.slice(name.length);
}

/** `Max-Age`: an end as a time would be one by the clock of the browser, or by that of this machine, which the header `Date` has. */
export function cookieOf(token: string, expiresAt: Date, publicUrl: string): string {
  const seconds = Math.max(0, Math.round((expiresAt.getTime() - sharedMs()) / 1_000));
  return `${placeOf(publicUrl).name}=${token}; Max-Age=${seconds}; ${attributesOf(publicUrl)}`;
}

export const clearedCookie = (publicUrl: string): string =>
  `${placeOf(publicUrl).name}=; Max-Age=0; ${attributesOf(publicUrl)}`;

/**
 * A page of another origin in the same site (another port, another name below one domain) has the cookie sent, too: a request
 * that changes something must come from a page of the service. Throws `origin_not_allowed`.
 */
export function requireOwnOrigin(headers: IncomingHttpHeaders, publicUrl: string): void {
  const { origin, host } = headers;
  if (origin !== undefined && URL.canParse(origin)) {
    const [asked, own] = [new URL(origin), new URL(publicUrl)];
    // The service may have other names; but an attacker between a browser and a plain-HTTP page of its host writes that page.
    const isSecureEnough = own.protocol !== "https:" || asked.protocol === "https:";
    if (asked.origin === own.origin || (asked.host === host && isSecureEnough)) return;
  }
  throw new ApiError(
    "origin_not_allowed",
    `The cookie of a session is accepted from pages of this service only (${new URL(publicUrl).origin}); send an API key in place of it.`,
  );
}

/**
 * All tabs of a browser have one cookie: what a page that stays open sends after somebody else has signed in would be sent as theirs.
 * A page names the key that it was opened with. Throws `session_ended` where the session is that of another key.
 */
export function requireNamedKey(headers: IncomingHttpHeaders, apiKeyId: string | null): void {
  const named = headers[SESSION_KEY_HEADER.toLowerCase()];
  if (named === undefined || named === (apiKeyId === null ? "admin" : formatId("apiKey", apiKeyId))) return;
  throw new ApiError(
    "session_ended",
    "Another key has signed in in this browser since the page was opened: sign in again, or reload the page.",
    { headers: { "WWW-Authenticate": "Bearer" } },
  );
}

function placeOf(publicUrl: string): { name: string; path: string; isSecure: boolean } {
  const { port, pathname, protocol } = new URL(publicUrl);
  const path = pathname.endsWith("/") ? pathname : `${pathname}/`;
  const isSecure = protocol === "https:";
  // Browsers take it with `Secure`, `Path=/` and no `Domain` only.
  const prefix = isSecure && path === "/" ? "__Host-" : "";
  return { name: `${prefix}rowmill_session${port === "" ? "" : `_${port}`}`, path, isSecure };
}

function attributesOf(publicUrl: string): string {
  const { path, isSecure } = placeOf(publicUrl);
  return `Path=${path}; HttpOnly; SameSite=Strict${isSecure ? "; Secure" : ""}`;
}
