/**
 * One request and its whole response, on a dispatcher of undici: within one timeout, with a limit on the response. By the
 * dispatcher's own callbacks, since a stream for each response costs as much as the rest of the request. Bodies that are too large for
 * memory (files of batches, downloads) are streamed by their callers.
 */
import type { IncomingHttpHeaders } from "node:http";
import type { Dispatcher } from "undici";
import { collectBody, flattenHeaders } from "./http-responses.ts";
import { EgressError } from "./failure.ts";

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
  request: ExchangeRequest,
  signal: AbortSignal,
): Promise<ExchangeResponse> {
  return new Promise((resolve, reject) => {
    const { origin, method, path, headers, body, timeoutMs } = request;
    const receiver = new Receiver(request, succeed, fail);
    const timer = setTimeout(
      () => fail(new LimitReachedError("timeout", `There was no complete response within ${timeoutMs} ms.`)),
      timeoutMs,
    );
    signal.addEventListener("abort", abort, { once: true });
    if (signal.aborted) return abort();
    try {
      const toSend = { method, path, headers, body: body ?? null };
      dispatcher.dispatch(origin === undefined ? toSend : { ...toSend, origin }, receiver);
    } catch (error) {
      fail(error instanceof Error ? error : new Error("the request cannot be sent", { cause: error }));
    }

    function abort(): void {
      fail(signal.reason instanceof Error ? signal.reason : new Error("aborted", { cause: signal.reason }));
    }
    function succeed(response: ExchangeResponse): void {
      if (end()) resolve(response);
    }
    function fail(error: Error): void {
      if (!end()) return;
      reject(error);
      receiver.abort(error);
    }
    /** False: it has ended before. */
    function end(): boolean {
      if (receiver.isOver) return false;
      receiver.isOver = true;
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
      return true;
    }
  });
}

/** What the dispatcher calls back. */
class Receiver implements Dispatcher.DispatchHandler {
  /** The exchange has ended, with a response or without one; what still comes is not read. */
  isOver = false;
  readonly #request: ExchangeRequest;
  readonly #succeed: (response: ExchangeResponse) => void;
  readonly #fail: (error: Error) => void;
  readonly #collected = collectBody();
  #controller: Dispatcher.DispatchController | undefined;
  #response: Omit<ExchangeResponse, "body"> | undefined;
  #limit = { maxBytes: 0, isCut: false };

  constructor(request: ExchangeRequest, succeed: (response: ExchangeResponse) => void, fail: (error: Error) => void) {
    this.#request = request;
    this.#succeed = succeed;
    this.#fail = fail;
  }

  abort(error: Error): void {
    this.#controller?.abort(error);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // It was aborted while it waited for a connection, and is not sent.
    if (this.isOver) controller.abort(new EgressError("canceled", "The call was canceled."));
    else this.#request.noteSent();
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, rawHeaders: IncomingHttpHeaders): void {
    // Informational responses (1xx) are ignored.
    if (status < 200) return;
    this.#response = { status, headers: flattenHeaders(rawHeaders) };
    this.#limit = this.#request.limitOf(status);
    const { maxBytes, isCut } = this.#limit;
    if (!isCut && Number(rawHeaders["content-length"] ?? 0) > maxBytes) this.#fail(tooLarge(maxBytes));
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.isOver) return;
    const { maxBytes, isCut } = this.#limit;
    const room = maxBytes - this.#collected.size;
    if (chunk.length <= room) this.#collected.add(chunk);
    else if (isCut) {
      this.#collected.add(chunk.subarray(0, room));
      this.onResponseEnd();
      this.abort(tooLarge(maxBytes));
    } else this.#fail(tooLarge(maxBytes));
  }

  onResponseEnd(): void {
    if (!this.isOver && this.#response !== undefined)
      this.#succeed({ ...this.#response, body: this.#collected.toBuffer() });
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#fail(error);
  }
}

/** One of the exchange's own limits, which its caller may describe better. */
export class LimitReachedError extends EgressError {}

export function tooLarge(maxBytes: number): EgressError {
  return new LimitReachedError("response_too_large", `The response is larger than ${maxBytes} bytes.`);
}
