/**
 * One request to a provider over a dispatcher of undici. Knows whether the request ever left: one that did may have been
 * answered, and paid for, though the answer was lost.
 */
import type { Dispatcher } from "undici";
import { collectBody, flattenHeaders } from "../../platform/egress/http-responses.ts";
import { codeOf, failureOf } from "../../platform/egress/failure.ts";
import type { EgressError } from "../../platform/egress/failure.ts";
import type { RowFailure } from "../processor.ts";

/** Reasoning models think for a minute before the first byte; one that takes longer than two is taken for dead. */
export const CALL_TIMEOUT_MS = 120_000;

/** As large as an output may be: a longer answer could not be kept. */
export const MOST_ANSWER_BYTES = 8 * 1024 * 1024;
/** Of an answer with few tokens: what a provider says beside it, and thoughts that it was not asked to limit. */
const LEAST_ANSWER_BYTES = 512 * 1024;
/** A token of a script that is escaped (`\uXXXX`) has about two such characters. */
const BYTES_PER_TOKEN = 16;

/** What an answer may take, and what is set aside for it: a provider that answers more than it was asked for is not read on. */
export const maxAnswerBytes = (maxOutputTokens: number | undefined): number =>
  Math.min(MOST_ANSWER_BYTES, Math.max(LEAST_ANSWER_BYTES, (maxOutputTokens ?? 0) * BYTES_PER_TOKEN));

/** What goes to a provider, without credentials. */
export interface ProviderRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
}

export interface ProviderAnswer {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: string;
}

export type Sent =
  | { outcome: "answered"; answer: ProviderAnswer }
  | { outcome: "failed"; wasSent: boolean; failure: RowFailure }
  /** The signal of the row. */
  | { outcome: "aborted"; wasSent: boolean };

/** Rejects only with what is a bug. */
export function sendRequest(
  dispatcher: Dispatcher,
  request: ProviderRequest,
  signal: AbortSignal,
  { timeoutMs = CALL_TIMEOUT_MS, maxBytes = LEAST_ANSWER_BYTES }: { timeoutMs?: number; maxBytes?: number } = {},
): Promise<Sent> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return resolve({ outcome: "aborted", wasSent: false });
    let controller: Dispatcher.DispatchController | undefined;
    let isOver = false;
    let status = 0;
    let headers: Record<string, string> = {};
    const collected = collectBody();
    const end = (sent: Sent): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
      resolve(sent);
      // Whatever still comes is thrown away, and a request that waits for a socket is not begun.
      if (sent.outcome !== "answered") controller?.abort(new Error("the answer is no longer wanted"));
    };
    const fail = (failure: RowFailure): void => end({ outcome: "failed", wasSent: controller !== undefined, failure });
    const abort = (): void => end({ outcome: "aborted", wasSent: controller !== undefined });
    const failWith = (error: unknown): void => {
      const failure = describeFailure(error);
      if (failure !== undefined) return fail(failure);
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
      reject(error instanceof Error ? error : new Error(String(error)));
    };
    const timer = setTimeout(() => {
      const message = `The provider did not answer within ${timeoutMs / 1_000} seconds.`;
      fail({ code: "provider_timeout", message });
    }, timeoutMs);
    signal.addEventListener("abort", abort, { once: true });
    const url = new URL(request.url);
    try {
      dispatcher.dispatch(
        {
          origin: url.origin,
          path: url.pathname + url.search,
          method: "POST",
          headers: request.headers,
          body: request.body,
        },
        {
          onRequestStart(started) {
            if (isOver) started.abort(new Error("the answer is no longer wanted"));
            else controller = started;
          },
          onResponseStart(_controller, statusCode, received) {
            if (statusCode < 200) return;
            status = statusCode;
            headers = flattenHeaders(received);
          },
          onResponseData(_controller, chunk) {
            if (isOver) return;
            if (collected.size + chunk.length <= maxBytes) collected.add(chunk);
            else
              fail({
                code: "provider_error",
                message: `The provider responded with more than ${maxBytes} bytes; \`parameters.maxOutputTokens\` allows for more.`,
                retryable: false,
                triedAgain: false,
              });
          },
          onResponseEnd() {
            end({ outcome: "answered", answer: { status, headers, body: collected.toBuffer().toString("utf8") } });
          },
          onResponseError(_controller, error) {
            failWith(error);
          },
        },
      );
    } catch (error) {
      failWith(error);
    }
  });
}

function describeFailure(error: unknown): RowFailure | undefined {
  const known = failureOf(error);
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
