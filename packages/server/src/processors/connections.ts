/** What processors know of connections: named credentials of a model provider or an HTTP service. */
import type { Dispatcher } from "undici";

export type ConnectionType = "openai_compatible" | "anthropic" | "http";

export interface ModelPrice {
  /** US dollars per million tokens, decimal. */
  inputUsdPerMillionTokens: string;
  outputUsdPerMillionTokens: string;
}

export interface ConnectionPrices {
  /** By the model's name; `*` for every other one. */
  models?: Record<string, ModelPrice>;
  /** US dollars for one request of an `http` connection, decimal. */
  requestUsd?: string;
}

export interface Connection {
  /** `conn_…` */
  id: string;
  organizationId: string;
  type: ConnectionType;
  /** Without a slash at the end. */
  baseUrl: string;
  /** Null: none was given. */
  secret: string | null;
  rateLimit: { requestsPerMinute: number | null; tokensPerMinute: number | null };
  /** Null: no price is known. */
  prices: ConnectionPrices | null;
}

export interface Connections {
  /** The connection as it is now, or was at most a second ago. Undefined: there is none of the organization by this id (`conn_…`). */
  find(organizationId: string, connectionId: string): Promise<Connection | undefined>;
}

/** Out to the addresses that connections and job specs name: kept-alive sockets, opened under the egress guard. */
export interface ConnectionEgress {
  /**
   * The dispatcher for this URL's origin. Undefined, with a sentence for the customer: it may not be called. What the guard
   * finds out while it connects comes as an `EgressError` from the dispatcher.
   */
  dispatcherFor(url: URL): { dispatcher: Dispatcher } | { dispatcher?: undefined; message: string };
  close(): Promise<void>;
}
