/** How one row of an organization is named in a statement. */
import type { RawBuilder } from "kysely";
import { sql } from "./database.ts";

export interface RowKey {
  organizationId: string;
  id: string;
}

/** Whatever belongs to an organization: a caller, a row, a job. */
export type Owned = Pick<RowKey, "organizationId">;

/**
 * For `where`: the row with this id in the organization of `owner`. `alias` is the name of the table in the statement, where it has several
 * tables.
 */
export function isRow({ organizationId }: Owned, id: string, alias?: string): RawBuilder<boolean> {
  if (alias === undefined) return sql<boolean>`(organization_id = ${organizationId} and id = ${id})`;
  const of = sql.ref(alias);
  return sql<boolean>`(${of}.organization_id = ${organizationId} and ${of}.id = ${id})`;
}
