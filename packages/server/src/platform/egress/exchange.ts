/**
 * One request and its whole response, on a dispatcher of undici: within one timeout, with a limit on the response. By the
 * dispatcher's own callbacks, since a stream for each response costs as much as the rest of the request. Bodies that are too large for
 * memory (files of batches, downloads) are streamed by their callers.
 */
import type { Dispatcher } from "undici";
import { collectBody, flattenHeaders } from "./http-responses.ts";
import { EgressError } from "./failure.ts";
import { present } from "../present.ts";

export interface ExchangeRequest {
  /** Absent where the dispatcher has one. */
  origin?: string;
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path and query. */
  path: string;
  headers: Record<string, string>;
  body: string | undefined;
  /** From the call to the last byte of the response. */
  timeoutMs: number;
  /** How much of a response is read. Beyond it the response is cut off where the status allows that, else the exchange fails. */
  limitOf: (status: number) => { maxBytes: number; isCut: boolean };
  /** Called when the request goes onto a connection: from then on the other side may have had it. */
  noteSent: () => void;
}

export interface ExchangeResponse {
  status: number;
  /** By lower-case names. */
  headers: Record<string, string>;
  /** As it was sent. */
  body: Buffer;
}

/** Rejects with an `EgressError`, with what the dispatcher said, or with the reason of the signal. */
export function exchange(
  dispatcher: Dispatcher,
  { origin, method, path, headers, body, timeoutMs, limitOf, noteSent }: ExchangeRequest,
  signal: AbortSignal,
): Promise<ExchangeResponse> {
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined;
    let isOver = false;
    const end = (): void => {
      isOver = true;
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
    };
    const fail = (error: Error): void => {
      if (isOver) return;
      end();
      reject(error);
      controller?.abort(error);
    };
    const abort = (): void =>
      fail(signal.reason instanceof Error ? signal.reason : new Error("aborted", { cause: signal.reason }));
    const timer = setTimeout(
      () => fail(new LimitReachedError("timeout", `There was no complete response within ${timeoutMs} ms.`)),
      timeoutMs,
    );
    signal.addEventListener("abort", abort, { once: true });
    if (signal.aborted) return abort();

    let response: Omit<ExchangeResponse, "body"> | undefined;
    let limit = { maxBytes: 0, isCut: false };
    const collected = collectBody();
    const succeed = (): void => {
      if (isOver || response === undefined) return;
      end();
      resolve({ ...response, body: collected.toBuffer() });
    };
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(started) {
        controller = started;
        // It was aborted while it waited for a connection, and is not sent.
        if (isOver) started.abort(new EgressError("canceled", "The call was canceled."));
        else noteSent();
      },
      onResponseStart(_controller, status, rawHeaders) {
        // Informational responses (1xx) are ignored.
        if (status < 200) return;
        response = { status, headers: flattenHeaders(rawHeaders) };
        limit = limitOf(status);
        if (!limit.isCut && Number(rawHeaders["content-length"] ?? 0) > limit.maxBytes) fail(tooLarge(limit.maxBytes));
      },
      onResponseData(_controller, chunk) {
        if (isOver) return;
        const room = limit.maxBytes - collected.size;
        if (chunk.length <= room) collected.add(chunk);
        else if (limit.isCut) {
          collected.add(chunk.subarray(0, room));
          succeed();
          controller?.abort(tooLarge(limit.maxBytes));
        } else fail(tooLarge(limit.maxBytes));
      },
      onResponseEnd: succeed,
      onResponseError: (_controller, error) => fail(error),
    };
    try {
      dispatcher.dispatch({ ...present({ origin }), method, path, headers, body: body ?? null }, handler);
    } catch (error) {
      fail(error instanceof Error ? error : new Error("the request cannot be sent", { cause: error }));
    }
  });
}

/** One of the exchange's own limits, which its caller may describe better. */
export class LimitReachedError extends EgressError {}

export function tooLarge(maxBytes: number): EgressError {
  return new LimitReachedError("response_too_large", `The response is larger than ${maxBytes} bytes.`);
}
