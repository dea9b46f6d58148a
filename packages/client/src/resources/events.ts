import { RowmillApiError, RowmillConnectionError, RowmillTimeoutError } from "../errors.ts";
import { backoffMs, parseRetryAfterMs } from "../retry.ts";
import { parseServerSentEvents } from "../server-sent-events.ts";
import type { ServerSentEvent } from "../server-sent-events.ts";
import { chunksOfResponse } from "../streams.ts";
import type { Transport } from "../transport.ts";
import type { RequestOptions } from "../types.ts";

/** The service sends a heartbeat every 15 seconds: a connection that is silent for so long is dead. */
const SILENCE_MS = 45_000;

export interface EventStreamOptions extends RequestOptions {
  /** Types and patterns such as `run.*`; everything but events of rows if absent. */
  types?: readonly string[] | undefined;
  /** The `id` of the last event that was seen; `"0"` begins with the oldest one. Only what is new if absent. */
  lastEventId?: string | undefined;
}

export interface EventStreamConnection extends EventStreamOptions {
  /** `false` ends with the newest event, and waits for none. */
  follow?: boolean | undefined;
  /** Every id, also those that come without an event. */
  onId?: ((id: string) => void) | undefined;
}

export interface FollowOptions extends EventStreamOptions {
  /** The connection was made, for the first time or again. */
  onConnected?: (() => void) | undefined;
  /** The connection broke off; it is made again, after the last event. */
  onDisconnected?: ((error: unknown) => void) | undefined;
}

/** The events of the organization: the same that webhook endpoints receive, without an endpoint. */
export class Events {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The messages of one connection. Each event's `data` is what a webhook delivers. */
  async *stream(options: EventStreamConnection = {}): AsyncGenerator<ServerSentEvent, void, undefined> {
    const { types, lastEventId, follow, onId, ...request } = options;
    const chunks = await this.#transport.send(
      "GET",
      "/v1/events/stream",
      {
        timeoutMs: SILENCE_MS,
        ...request,
        query: { type: types?.join(","), follow },
        accept: "text/event-stream",
        headers: { ...request.headers, ...(lastEventId === undefined ? {} : { "Last-Event-ID": lastEventId }) },
      },
      chunksOfResponse,
    );
    if (chunks !== undefined) yield* parseServerSentEvents(chunks, onId);
  }

  /**
   * Follows the events until the loop is left or the signal aborts. A connection that ends or breaks off is made again after
   * the last event; a refusal of the key or of what was asked is thrown.
   */
  async *follow(options: FollowOptions = {}): AsyncGenerator<ServerSentEvent, void, undefined> {
    const { onConnected, onDisconnected, ...connection } = options;
    let { lastEventId } = options;
    for (let attempt = 0; ; attempt++) {
      let waitMs = 0;
      const onId = (id: string): void => {
        if (attempt >= 0) onConnected?.();
        attempt = -1; // the next connection is made at once
        lastEventId = id;
      };
      try {
        yield* this.stream({ ...connection, lastEventId, onId });
        // It ended before anything came: the server there is not the service.
        if (attempt >= 0) waitMs = backoffMs(attempt, Math.random());
      } catch (error) {
        connection.signal?.throwIfAborted();
        if (!isPassing(error)) throw error;
        waitMs = backoffMs(Math.max(0, attempt), Math.random());
        if (error instanceof RowmillApiError)
          waitMs = Math.max(waitMs, parseRetryAfterMs(error.headers.get("retry-after"), Date.now()) ?? 0);
        onDisconnected?.(error);
      }
      await this.#transport.sleep(waitMs, connection.signal);
    }
  }
}

const isPassing = (error: unknown): boolean =>
  error instanceof RowmillApiError
    ? error.status === 429 || error.status >= 500
    : error instanceof RowmillConnectionError || error instanceof RowmillTimeoutError;
