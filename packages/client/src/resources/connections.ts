import { list } from "../lists.ts";
import type { List } from "../lists.ts";
import type { Transport } from "../transport.ts";
import type {
  Body,
  Connection,
  ConnectionLimits,
  ConnectionTest,
  CreateOptions,
  ListQuery,
  RequestOptions,
} from "../types.ts";

export class Connections {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The secret is never returned. */
  create(body: Body<"createConnection">, options?: CreateOptions): Promise<Connection> {
    return this.#transport.json("POST", "/v1/connections", { ...options, body });
  }

  list(query?: ListQuery<"listConnections">, options?: RequestOptions): List<Connection> {
    return list(this.#transport, "/v1/connections", { query, options });
  }

  get(connectionId: string, options?: RequestOptions): Promise<Connection> {
    return this.#transport.json("GET", "/v1/connections/{connectionId}", { ...options, path: { connectionId } });
  }

  /** Runs use the change within a second. `secret: null` removes the secret. */
  update(connectionId: string, body: Body<"updateConnection">, options?: RequestOptions): Promise<Connection> {
    const path = { connectionId };
    return this.#transport.json("PATCH", "/v1/connections/{connectionId}", { ...options, path, body });
  }

  /** The secret is destroyed at once. */
  delete(connectionId: string, options?: RequestOptions): Promise<undefined> {
    return this.#transport.json("DELETE", "/v1/connections/{connectionId}", { ...options, path: { connectionId } });
  }

  /** Limits that were learned from the provider, refusals, and how long a new call waits. */
  limits(connectionId: string, options?: RequestOptions): Promise<ConnectionLimits> {
    const path = { connectionId };
    return this.#transport.json("GET", "/v1/connections/{connectionId}/limits", { ...options, path });
  }

  /** One request that costs nothing; `ok` and `message` say what was found. */
  test(connectionId: string, options?: CreateOptions): Promise<ConnectionTest> {
    const path = { connectionId };
    return this.#transport.json("POST", "/v1/connections/{connectionId}/test", { ...options, path });
  }
}
