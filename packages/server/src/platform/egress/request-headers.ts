/** What may stand in the headers of an outgoing request. */
import { EgressError } from "./failure.ts";

/** RFC 9110, section 5.6.2. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** RFC 9110, section 5.5: what fits on one line; no CR, LF or NUL with which another header could be begun. */
const FIELD_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** These say where a request goes and where it ends; from a customer they would make two requests out of one. */
const FRAMING = new Set([
  "accept-encoding",
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** The same headers. Throws an EgressError `protocol` that names the first which cannot be sent. */
export function checkRequestHeaders(headers: Record<string, string>): Record<string, string> {
  for (const [name, value] of Object.entries(headers)) {
    const problem = problemOfName(name) ?? problemOfValue(name, value);
    if (problem !== undefined) throw new EgressError("protocol", problem);
  }
  return headers;
}

/** Why no request may have a header of this name, as a sentence for the customer. Undefined: it may. */
export function problemOfName(name: string): string | undefined {
  if (!TOKEN.test(name)) return `${JSON.stringify(name)} is not a header name.`;
  return FRAMING.has(name.toLowerCase()) ? `The header ${name} is set by the service.` : undefined;
}

/** The same of the value of a header. It is not repeated. */
export const problemOfValue = (name: string, value: string): string | undefined =>
  FIELD_VALUE.test(value) ? undefined : `The value of the header ${name} holds characters that a header cannot carry.`;
