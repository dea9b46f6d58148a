/**
 * Browsers of other origins (CORS), for those that the operator names. The service knows its callers by their keys and never by
 * cookies of these origins, so responses never allow credentials.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { responseHeaders } from "@rowmill/contract/response-headers";

/** Every origin. */
const ANY = "*";
/** A browser asks again after this; a change of the setting is seen by then. Browsers cap it at two hours. */
const PREFLIGHT_SECONDS = 600;

const METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";
/** What our clients, and those of the tus protocol and of MCP, send beside what browsers always may. */
const REQUEST_HEADERS = [
  "Accept",
  "Authorization",
  "Content-Type",
  "Idempotency-Key",
  "If-Match",
  "If-None-Match",
  "If-Range",
  "Last-Event-ID",
  "MCP-Protocol-Version",
  "Mcp-Method",
  "Mcp-Name",
  "Range",
  "Tus-Resumable",
  "Upload-Length",
  "Upload-Metadata",
  "Upload-Offset",
  "X-HTTP-Method-Override",
].join(", ");
/** Scripts see no others beside those that are always seen, such as `Content-Type`. */
const RESPONSE_HEADERS = [
  ...new Set([
    ...Object.values(responseHeaders).map(({ name }) => name),
    "Accept-Ranges",
    "Allow",
    "Content-Disposition",
    "Content-Range",
    "ETag",
    "Location",
    "Request-Id",
    "Retry-After",
    "Tus-Extension",
    "Tus-Max-Size",
    "Tus-Resumable",
    "Tus-Version",
    "Upload-Expires",
    "Upload-Length",
    "Upload-Offset",
  ]),
].join(", ");

export interface Cors {
  /** Writes the response's headers for the origin of the request. True: it was a preflight, and its response was sent. */
  apply(request: IncomingMessage, response: ServerResponse): boolean;
}

/** Undefined where no origin is allowed. */
export function createCors(origins: readonly string[]): Cors | undefined {
  if (origins.length === 0) return undefined;
  const allowed = new Set(origins);
  const isForAll = allowed.has(ANY);
  return {
    apply(request, response) {
      // A cache must not give one origin's response to another, also where a request has none.
      if (!isForAll) response.appendHeader("Vary", "Origin");
      const { origin } = request.headers;
      if (origin === undefined || !(isForAll || allowed.has(origin))) return false;
      response.setHeader("Access-Control-Allow-Origin", isForAll ? ANY : origin);
      if (request.method !== "OPTIONS" || request.headers["access-control-request-method"] === undefined) {
        response.setHeader("Access-Control-Expose-Headers", RESPONSE_HEADERS);
        return false;
      }
      response.setHeader("Access-Control-Allow-Methods", METHODS);
      response.setHeader("Access-Control-Allow-Headers", REQUEST_HEADERS);
      response.setHeader("Access-Control-Max-Age", PREFLIGHT_SECONDS);
      response.writeHead(204).end();
      return true;
    },
  };
}

/** Throws an Error with a sentence for what is not an origin. */
export function checkCorsOrigins(entries: readonly string[]): void {
  for (const entry of entries) {
    if (entry === ANY) continue;
    // A browser sends it exactly like this: lower case, without a default port and a slash. A pattern would match nothing.
    if (
      entry.includes(ANY) ||
      !URL.canParse(entry) ||
      !/^https?:$/.test(new URL(entry).protocol) ||
      new URL(entry).origin !== entry
    )
      throw new Error(
        `must be origins as browsers send them, such as https://app.example.com or http://localhost:5173, or *; not ${JSON.stringify(entry)}`,
      );
  }
}
