/** What binds the statements of a transaction to an organization. */

export interface Binding {
  /** A role that row-level security holds for. */
  role: string;
  organizationId: string;
  /** For single statements of requests: see `BIND_TO_LIST`. */
  lists?: true;
  /** The large tables are spread over several servers (decision 0025): what binds a statement on them must reach these. */
  isDistributed?: boolean;
}

/** `$1` role, `$2` organization; both until the transaction ends. */
export const BIND = "select set_config('role', $1, true), set_config('app.organization_id', $2, true)";

/** Every connection prepares it under this name before its first user: read and planned each time, it would cost more than it does. */
export const BIND_NAME = "bind";

/** For the transaction of one statement, which is over with it. */
export const BIND_NOBODY = { name: BIND_NAME, text: BIND, values: ["none", ""] };

/**
 * What requests read is found by an index, in its order, and a page at most of it. Where a table has no statistics yet, the planner takes
 * what an organization has for a few rows, and would rather read all of it and sort. It may sort where nothing else gives the
 * order; such plans seem expensive to versions before 18, which would compile them.
 */
export const TO_LIST = `set_config('enable_sort', 'off', true), set_config('enable_incremental_sort', 'off', true),
  set_config('enable_bitmapscan', 'off', true), set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true)`;
/** `$3` is `PLAN_ONCE` for statements of lists, and `PLAN_AS_USUAL` for others. */
export const BIND_TO_LIST = `${BIND}, set_config('plan_cache_mode', $3, true), ${TO_LIST}`;
export const BIND_TO_LIST_NAME = "bind_to_list";
export const PLAN_ONCE = "force_generic_plan";
export const PLAN_AS_USUAL = "auto";
export const BIND_NOBODY_TO_LIST = { name: BIND_TO_LIST_NAME, text: BIND_TO_LIST, values: ["none", "", PLAN_AS_USUAL] };
