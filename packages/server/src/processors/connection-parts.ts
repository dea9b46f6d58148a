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
  /** The connection as it is now, or was at most a second ago. Undefined: there is none of the organization by this id (`conn_…`). */
  find(organizationId: string, connectionId: string): Promise<Connection | undefined>;
}
