import type { Transport } from "../transport.ts";
import type { Body, RequestOptions, Session } from "../types.ts";

/** The session of a browser: for pages that the service itself serves. */
export class Sessions {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Exchanges a key, or the token of a login link, for a cookie that scripts cannot read. */
  create(body: Body<"createSession">, options?: RequestOptions): Promise<Session> {
    return this.#transport.json("PUT", "/v1/session", { ...options, body });
  }

  get(options?: RequestOptions): Promise<Session> {
    return this.#transport.json("GET", "/v1/session", { ...options });
  }

  /** Ends the session of the cookie. */
  delete(options?: RequestOptions): Promise<undefined> {
    return this.#transport.json("DELETE", "/v1/session", { ...options });
  }
}
