/**
 * Whether a URL that a customer gave may be called at all. Checked when it is stored, without DNS (which is slow, flaky
 * and stale by the time of the call), and again before every call. What is stored, shown and called is `href`, the
 * parsed spelling, so that no second parser can read the URL differently.
 */
import { isIPv4 } from "node:net";
import { isGlobal } from "./addresses.ts";

/** As long as browsers and proxies carry without trouble. */
const MAX_URL_CHARACTERS = 2048;

/** RFC 1035: what fits into a DNS query. */
const MAX_HOST_NAME_CHARACTERS = 253;

/** One label of a host name after WHATWG parsing: lower case, IDN already in punycode. */
const HOST_LABEL = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/;

/** Names that mean something only inside a machine or a network. */
const LOCAL_NAME = /(^|\.)(localhost6?|local|internal|localdomain6?|home\.arpa)$/;

const REJECTIONS = {
  length: `The URL must be a string of 1 to ${MAX_URL_CHARACTERS} characters.`,
  character: "The URL must not contain spaces, control characters or backslashes; percent-encode them.",
  scheme: "The URL must begin with https:// followed by a host name.",
  malformed: "The URL cannot be parsed; write it as https://host.example/path.",
  credentials: "The URL must not contain a user name or password; remove everything up to the @ from the host.",
  fragment: "The URL must not contain a fragment; remove the # and what follows.",
  port: "The URL must use port 443; remove the port, or serve the receiver on 443.",
  address: "The address in the URL must be reachable from the public internet; use a public host name.",
  host_name: "The host of the URL is not a valid DNS name; check its labels for empty, overlong or unusual ones.",
  local_name: "The host of the URL is a local name; use a fully qualified name from the public DNS.",
} as const;

export type UrlRejection = keyof typeof REJECTIONS;

export type UrlCheck =
  | { accepted: true; /** The URL as it is to be stored, shown and called. */ href: string }
  | { accepted: false; reason: UrlRejection; /** A sentence that says what to do. */ message: string };

const NO_ORIGINS: ReadonlySet<string> = new Set();

/**
 * The rules for a URL given by a customer (specification 6.3), in the order in which violations are reported. Never throws.
 * `allowed` are origins, as the WHATWG parser writes them, that the operator vouches for: scheme, port and host of such a URL
 * are right as they stand.
 */
export function checkUrl(raw: unknown, allowed: ReadonlySet<string> = NO_ORIGINS): UrlCheck {
  if (typeof raw !== "string" || raw.length < 1 || raw.length > MAX_URL_CHARACTERS) return reject("length");
  // The WHATWG parser drops tab, LF and CR and turns \ into /; other parsers do not.
  if (/[\p{Cc}\p{Z}\\]/u.test(raw)) return reject("character");
  // The WHATWG parser reads https:host, https:/host and https:///host as https://host.
  const isAllowed = /^https?:\/\/[^/]/i.test(raw) && URL.canParse(raw) && allowed.has(new URL(raw).origin);
  if (!isAllowed && !/^https:\/\/[^/]/i.test(raw)) return reject("scheme");
  if (!URL.canParse(raw)) return reject("malformed");
  const url = new URL(raw);
  if (url.username !== "" || url.password !== "" || authorityOf(raw).includes("@")) return reject("credentials");
  // `url.hash` is empty for an empty fragment.
  if (raw.includes("#")) return reject("fragment");
  if (isAllowed) return { accepted: true, href: url.href };
  // The parser has taken :443 away already.
  if (url.port !== "") return reject("port");
  const hostRejection = checkHost(url.hostname.replace(/\.$/, ""));
  return hostRejection === undefined ? { accepted: true, href: url.href } : reject(hostRejection);
}

/** `host` comes from the WHATWG parser: every spelling of an IPv4 address is dotted decimal by now, IPv6 is in brackets. */
function checkHost(host: string): UrlRejection | undefined {
  if (host.startsWith("[")) return isGlobal(host.slice(1, -1)) ? undefined : "address";
  if (isIPv4(host)) return isGlobal(host) ? undefined : "address";
  const labels = host.split(".");
  if (host.length > MAX_HOST_NAME_CHARACTERS || !labels.every((label) => HOST_LABEL.test(label))) return "host_name";
  return labels.length < 2 || LOCAL_NAME.test(host) ? "local_name" : undefined;
}

/** What stands between `https://` and the path, as it was written. */
function authorityOf(raw: string): string {
  return raw.split(/[/?#]/)[2] ?? "";
}

function reject(reason: UrlRejection): UrlCheck {
  return { accepted: false, reason, message: REJECTIONS[reason] };
}
