/** What a call of the `http` processor comes to: feedback for the limiter, the failure of the row, its usage. */
import type { FailureCode } from "@rowmill/contract/failures";
import type { ExchangeResponse } from "../../platform/egress/exchange.ts";
import { failureOf } from "../../platform/egress/failure.ts";
import type { EgressFailure } from "../../platform/egress/failure.ts";
import { cutText } from "../../platform/text.ts";
import type { Connection } from "../connection-parts.ts";
import { readLearnedLimits } from "../limiter/learned-limits.ts";
import type { CallEnd } from "../limiter/permits.ts";
import type { RowCall, RowFailure, RowUsage } from "../processor.ts";
import { MAX_REQUEST_ID_CHARACTERS } from "./http-limits.ts";
import { failureOfSize } from "./response.ts";
import type { ClassifiedResponse } from "./response.ts";
import { present } from "../../platform/present.ts";

/** Feedback for the limiter, which slows down all callers of the connection. */
export function endOf({ status, headers }: ExchangeResponse, classified: ClassifiedResponse): CallEnd {
  const learned = readLearnedLimits(headers);
  if (status === 429 || status === 503) {
    const retryAfterMs = classified.ok ? undefined : classified.failure.retryAfterMs;
    return { outcome: status === 429 ? "rate_limited" : "overloaded", ...present({ retryAfterMs, learned }) };
  }
  const outcome = status >= 500 ? "failed" : "responded";
  return learned === undefined ? { outcome } : { outcome, learned };
}

const codeOfReason: Record<EgressFailure, FailureCode> = {
  blocked_address: "egress_denied",
  timeout: "provider_timeout",
  dns: "network_error",
  connect: "network_error",
  tls: "network_error",
  protocol: "network_error",
  canceled: "network_error",
  response_too_large: "output_truncated",
};

/** Throws what is not a failure of the call, but a bug of ours. */
export function failureOfError(error: unknown, maxBytes: number): RowFailure {
  const failure = failureOf(error);
  if (failure === undefined) throw error;
  if (failure.reason === "response_too_large") return failureOfSize(maxBytes);
  return { code: codeOfReason[failure.reason], message: failure.message, details: { reason: failure.reason } };
}

/**
 * A request counts once it was sent, whatever its result, and has the price of its connection. Without a connection, or without a
 * price, it costs nothing: most services that people call for each row are their own.
 */
export function usageOf({
  connection,
  isSent,
  response,
  classified,
}: {
  connection: Connection | undefined;
  isSent: boolean;
  response: ExchangeResponse | undefined;
  classified: ClassifiedResponse;
}): RowUsage {
  if (!isSent) return { requests: 0 };
  if (connection === undefined) return { requests: 1 };
  const priceUsd = connection.prices?.requestUsd;
  const cost = present({ costUsd: priceUsd });
  // The other side may not have done what nobody has seen the end of.
  const isAssumed = response === undefined && priceUsd !== undefined;
  const call: RowCall = {
    connectionId: connection.id,
    ...present({ requestId: requestIdOf(response) }),
    ...cost,
    ...(isAssumed ? { costAssumed: true } : {}),
    ...(classified.ok ? {} : { code: classified.failure.code }),
  };
  return { requests: 1, ...cost, ...(isAssumed ? { assumedCostUsd: priceUsd } : {}), calls: [call] };
}

function requestIdOf(response: ExchangeResponse | undefined): string | undefined {
  const requestId = response?.headers["x-request-id"] ?? response?.headers["request-id"];
  return requestId === undefined ? undefined : cutText(requestId, MAX_REQUEST_ID_CHARACTERS);
}
