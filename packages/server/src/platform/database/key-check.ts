/**
 * Whether the key of a request is still what this process knows of it. A request with a key that the process has seen in use goes ahead
 * with what is known; its first statement asks PostgreSQL in the same round trip, and no response is sent before the result is there. So a
 * key that was revoked or changed, on whatever process, stops as if it were read first.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { PLAN_AS_USUAL, TO_LIST } from "./binding.ts";

export interface KeyCheck {
  readonly organizationId: string;
  readonly apiKeyId: string;
  /** `KEY_VERSION`, when the key was read. */
  readonly version: string;
  result: "unknown" | "current" | "changed";
}

/** As `database.ts` has it, which imports this file. */
interface Statements {
  query(statement: { name: string; text: string; values: unknown[] }): Promise<{ rows: unknown[] }>;
}

/** What was known of the key no longer holds: the request must find out again who asks. */
export class KeyChangedError extends Error {
  constructor() {
    super("the key has changed since it was read");
  }
}

/** Of `api_keys k` and `organizations o`: PostgreSQL numbers the versions of rows by the transactions that wrote them. */
export const KEY_VERSION = "k.xmin::text || '.' || o.xmin::text";

const selectCurrent = (organizationId: string, apiKeyId: string, version: string): string =>
  `select 1 from api_keys k join organizations o on o.id = k.organization_id
   where k.organization_id = ${organizationId} and k.id = ${apiKeyId} and ${KEY_VERSION} = ${version}`;

/**
 * In place of `BIND_TO_LIST` (see `binding.ts`): `$1` role, `$2` organization, `$3` key, `$4` version, `$5` as the `$3` of that. The last
 * column is the result; if it is false, the statement that follows is bound to no organization and sees no row.
 */
const BIND_CHECKED = `select set_config('role', $1, true),
  set_config('app.organization_id', case when c.is_current then $2 else '' end, true),
  set_config('plan_cache_mode', $5, true), ${TO_LIST}, c.is_current
  from (select exists (${selectCurrent("nullif($2, '')::uuid", "nullif($3, '')::uuid", "$4")}) as is_current offset 0) c`;
export const BIND_CHECKED_NAME = "bind_checked";
/** For the transaction of one statement, which is over with it. */
export const BIND_NOBODY_CHECKED = {
  name: BIND_CHECKED_NAME,
  text: BIND_CHECKED,
  values: ["none", "", "", "", PLAN_AS_USUAL],
};

const checks = new AsyncLocalStorage<KeyCheck>();

/** The first statement that `work` sends for the organization takes the check along. */
export const runChecking = <T>(check: KeyCheck, work: () => T): T => checks.run(check, work);

/** What a statement of the organization is to check. */
export function checkToSend(organizationId: string): KeyCheck | undefined {
  const check = checks.getStore();
  return check?.result === "unknown" && check.organizationId === organizationId ? check : undefined;
}

/** Asks by itself where no statement has taken the check along. */
export async function isCurrent(check: KeyCheck, statements: Statements): Promise<boolean> {
  if (check.result === "unknown") {
    const { organizationId, apiKeyId, version } = check;
    const { rows } = await statements.query({
      name: "is_key_current",
      text: selectCurrent("$1", "$2", "$3"),
      values: [organizationId, apiKeyId, version],
    });
    check.result = rows.length === 1 ? "current" : "changed";
  }
  return check.result === "current";
}
