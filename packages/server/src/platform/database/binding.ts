/** What binds the statements of a transaction to an organization. */

export interface Binding {
  /** A role that row-level security holds for. */
  role: string;
  organizationId: string;
}

/** `$1` role, `$2` organization; both until the transaction ends. */
export const BIND = "select set_config('role', $1, true), set_config('app.organization_id', $2, true)";

/** Every connection prepares it under this name before its first user: read and planned each time, it would cost more than it does. */
export const BIND_NAME = "bind";

/** For the transaction of one statement, which is over with it. */
export const BIND_NOBODY = { name: BIND_NAME, text: BIND, values: ["none", ""] };
