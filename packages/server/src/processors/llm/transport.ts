/**
 * One request to a provider over a dispatcher of undici. Knows whether the request ever left: one that did may have been
 * completed, and paid for, though the response was lost.
 */
import type { Dispatcher } from "undici";
import { LimitReachedError, exchange } from "../../platform/egress/exchange.ts";
import { codeOf } from "../../platform/error-code.ts";
import { failureOf } from "../../platform/egress/failure.ts";
import type { EgressError } from "../../platform/egress/failure.ts";
import type { RowFailure } from "../processor.ts";
import type { ProviderRequest, ProviderResponse } from "../provider-messages.ts";
import { plural } from "../../platform/plural.ts";

/** Reasoning models think for a minute before the first byte; one that takes longer than two is taken for dead. */
export const CALL_TIMEOUT_MS = 120_000;

/** As large as an output may be: a longer response could not be kept. */
export const MOST_RESPONSE_BYTES = 8 * 1024 * 1024;
/** Of a response with few tokens: what a provider says beside it, and reasoning that it was not asked to limit. */
const LEAST_RESPONSE_BYTES = 512 * 1024;
/** A token of a script that is escaped (`\uXXXX`) has about two such characters. */
const BYTES_PER_TOKEN = 16;

/** What a response may take, and what is set aside for it: a provider that sends more than it was asked for is not read on. */
export const maxResponseBytes = (maxOutputTokens: number | undefined): number =>
  Math.min(MOST_RESPONSE_BYTES, Math.max(LEAST_RESPONSE_BYTES, (maxOutputTokens ?? 0) * BYTES_PER_TOKEN));

export type Sent =
  | { outcome: "responded"; response: ProviderResponse }
  | { outcome: "failed"; wasSent: boolean; failure: RowFailure }
  /** The signal of the row. */
  | { outcome: "aborted"; wasSent: boolean };

/** Rejects only with what is a bug. */
export async function sendRequest(
  dispatcher: Dispatcher,
  { url, headers, body }: ProviderRequest,
  signal: AbortSignal,
  { timeoutMs = CALL_TIMEOUT_MS, maxBytes = LEAST_RESPONSE_BYTES }: { timeoutMs?: number; maxBytes?: number } = {},
): Promise<Sent> {
  const { origin, pathname, search } = new URL(url);
  const limit = { maxBytes, isCut: false };
  let wasSent = false;
  try {
    const response = await exchange(
      dispatcher,
      {
        origin,
        method: "POST",
        path: pathname + search,
        headers,
        body,
        timeoutMs,
        limitOf: () => limit,
        noteSent: () => (wasSent = true),
      },
      signal,
    );
    return { outcome: "responded", response: { ...response, body: response.body.toString("utf8") } };
  } catch (error) {
    if (signal.aborted) return { outcome: "aborted", wasSent };
    const failure = describeFailure(error, { timeoutMs, maxBytes });
    if (failure === undefined) throw error;
    return { outcome: "failed", wasSent, failure };
  }
}

function describeFailure(error: unknown, limits: { timeoutMs: number; maxBytes: number }): RowFailure | undefined {
  const known = failureOf(error);
  if (known instanceof LimitReachedError && known.reason === "timeout")
    return {
      code: "provider_timeout",
      message: `The provider did not respond within ${plural(limits.timeoutMs / 1_000, "second")}.`,
    };
  if (known instanceof LimitReachedError)
    return {
      code: "provider_error",
      message: `The provider responded with more than ${limits.maxBytes} bytes; \`parameters.maxOutputTokens\` allows for more.`,
      retryable: false,
      triedAgain: false,
    };
  if (known !== undefined) return { code: FAILURE_CODES[known.reason], message: known.message };
  const code = codeOf(error);
  return code === undefined ? undefined : { code: "network_error", message: `The connection failed (${code}).` };
}

const FAILURE_CODES = {
  timeout: "provider_timeout",
  dns: "network_error",
  connect: "network_error",
  tls: "network_error",
  blocked_address: "egress_denied",
  response_too_large: "provider_error",
  protocol: "provider_error",
  canceled: "network_error",
} as const satisfies Record<EgressError["reason"], RowFailure["code"]>;
