/** Names of the roles under which the service works (`roles.ts`). */
import { roleNames } from "./role-rights.ts";
import type { RoleName } from "./role-rights.ts";

/** Roles belong to the cluster, so the name has the id of the role that owns the tables. */
export const roleNameOf = (name: RoleName, ownerId: string): string => `rowmill_${name}_${ownerId}`;

/** Of the roles that exist for the owner of the tables, and for others that the service connects as: they left a policy. */
export async function roleNamesOf(session: {
  query(text: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[] }>;
}): Promise<string[]> {
  const { rows: connected } = await session.query(
    `select relowner::text as id from pg_class where oid = 'run_chunks'::regclass
     union select substring(polname::text from $1) from pg_policy where polrelid = 'run_chunks'::regclass`,
    [`^all_for_${roleNameOf("service", "([0-9]+)")}$`],
  );
  const names = connected.flatMap(({ id }) => roleNames.map((name) => roleNameOf(name, String(id))));
  const { rows: found } = await session.query(
    "select rolname as name from pg_roles where rolname = any($1) order by rolname",
    [names],
  );
  return found.map(({ name }) => String(name));
}
