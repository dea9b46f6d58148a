/** What processors know of connections: named credentials of a model provider or an HTTP service. */
import type { ConnectionType } from "@rowmill/contract/connections";
import type { ConnectionPrices } from "@rowmill/contract/connection-prices";

export type { ConnectionType } from "@rowmill/contract/connections";
export type { ConnectionPrices, ModelPrice } from "@rowmill/contract/connection-prices";
export type { ConnectionEgress } from "../platform/egress/connection-egress.ts";

export interface Connection {
  /** `conn_…` */
  id: string;
  organizationId: string;
  type: ConnectionType;
  /** Without a slash at the end. */
  baseUrl: string;
  /** Null: none was given, or it is lost. */
  secret: string | null;
  /** It was sealed with an encryption key that the service no longer has. */
  isSecretLost?: true;
  rateLimit: { requestsPerMinute: number | null; tokensPerMinute: number | null };
  /** Null: no price is known. */
  prices: ConnectionPrices | null;
}

/** Why a connection cannot be used that has a secret, which nobody can open. */
export const SECRET_IS_LOST =
  "The secret of the connection was sealed with an encryption key that the service no longer has: set the secret again.";

export interface Connections {
  /**
   * The connection, read at most one second ago, or with `isFresh` after this was called. Undefined: the organization has no connection with
   * this id (`conn_…`).
   */
  find(organizationId: string, connectionId: string, options?: { isFresh?: boolean }): Promise<Connection | undefined>;
}

/**
 * The connection with its new secret, where that is another one by now. What the provider said of the old secret says nothing of the new
 * one. Undefined as well where that cannot be found out.
 */
export async function withNewSecret(
  connections: Connections,
  used: Connection,
  options?: { isFresh?: boolean },
): Promise<Connection | undefined> {
  const now = await connections.find(used.organizationId, used.id, options).catch(() => undefined);
  // Another address may be that of another provider: the row was made ready for this one.
  return now !== undefined && now.secret !== null && now.secret !== used.secret && now.baseUrl === used.baseUrl
    ? now
    : undefined;
}
