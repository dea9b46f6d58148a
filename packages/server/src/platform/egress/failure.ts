/** Why a call to the outside world failed: maps what sockets, DNS and TLS throw to these names. */
import { errors } from "undici";
import { codeOf } from "../error-code.ts";

/**
 * - `timeout`: no connection in 5 seconds, or no complete response in the time given
 * - `dns`: the name has no public address, or the name servers did not respond
 * - `connect`: the connection was refused, or lost before the response was complete
 * - `tls`: the handshake failed, or the certificate is not to be trusted
 * - `blocked_address`: the URL is not allowed, as anybody can see who reads it
 * - `response_too_large`: headers or body beyond their limits
 * - `protocol`: what came back is not HTTP/1.1, or what was to be sent cannot be
 * - `canceled`: the caller's signal, or the end of the process
 */
export type EgressFailure =
  | "timeout"
  | "dns"
  | "connect"
  | "tls"
  | "blocked_address"
  | "response_too_large"
  | "protocol"
  | "canceled";

/** Carries a failure up to where it becomes an outcome. The message is for the customer: no address, no cause. */
export class EgressError extends Error {
  override readonly name = "EgressError";
  readonly reason: EgressFailure;

  constructor(reason: EgressFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/**
 * A name that leads into the operator's network and one that does not exist are one and the same to the caller: the
 * difference would draw a map of that network. The operator sees the cause.
 */
export const noPublicAddress = (cause: unknown): EgressError =>
  new EgressError("dns", "The name of the host has no public address.", { cause });

/** The failure that an error of the HTTP client or of the socket stands for. Undefined: a bug, not a failure. */
export function failureOf(error: unknown): EgressError | undefined {
  if (error instanceof EgressError) return error;
  const failed = (reason: EgressFailure, message: string) => new EgressError(reason, message, { cause: error });
  // Its code is that of the parser, and not always there.
  if (error instanceof errors.HTTPParserError) {
    return CUT_OFF.test(error.message)
      ? failed("connect", CLOSED_EARLY)
      : failed("protocol", "The response is not valid HTTP/1.1.");
  }
  const code = codeOf(error);
  if (code === undefined) return undefined;
  if (code === "UND_ERR_HEADERS_OVERFLOW")
    return failed("response_too_large", "The headers of the response are too large.");
  if (code === "UND_ERR_RES_EXCEEDED_MAX_SIZE")
    return failed("response_too_large", "The body of the response is too large.");
  if (code === "UND_ERR_HEADERS_TIMEOUT" || code === "UND_ERR_BODY_TIMEOUT") {
    return failed("timeout", "The other side sent nothing for too long.");
  }
  if (CONNECTION_LOST.has(code)) return failed("connect", CLOSED_EARLY);
  if (code === "EPROTO" || code.startsWith("ERR_SSL_") || code.startsWith("ERR_TLS_")) {
    return failed("tls", `The encrypted connection broke (${code}).`);
  }
  if (code.startsWith("UND_ERR_")) {
    return failed("protocol", `The request cannot be sent, or its response is not valid HTTP/1.1 (${code}).`);
  }
  return undefined;
}

const CLOSED_EARLY = "The connection was closed before the response was complete.";

/**
 * The parser also complains about a response without its end: the connection was closed inside a chunk, or was gone when what had
 * been received was parsed. Nothing is wrong with the bytes, and another call may get the rest. Only these words show it.
 */
const CUT_OFF = /\((?:Invalid EOF state|.*callback error.*)\)/i;

const CONNECTION_LOST = new Set([
  "UND_ERR_SOCKET",
  // Fewer bytes than the response announced; more than these are never read.
  "UND_ERR_RES_CONTENT_LENGTH_MISMATCH",
  "ECONNRESET",
  "ECONNABORTED",
  "EPIPE",
  "ETIMEDOUT",
  "ENETDOWN",
  "ENETRESET",
  "ENETUNREACH",
  "EHOSTUNREACH",
  "ERR_STREAM_PREMATURE_CLOSE",
]);
