/** How one row of an organization is named in a statement. */
import type { RawBuilder } from "kysely";
import { sql } from "./database.ts";
import type { Tables } from "./tables.ts";

export interface RowKey {
  organizationId: string;
  id: string;
}

/** Whatever belongs to an organization: a caller, a row, a job. */
export type Owned = Pick<RowKey, "organizationId">;

/**
 * For `where`: the row with this id in the organization of `owner`. `alias` is the name of the table in the statement, where it has several
 * tables. For tables that `columnsOfOthers` names, see `isRowOf`.
 */
export function isRow({ organizationId }: Owned, id: string, alias?: string): RawBuilder<boolean> {
  if (alias === undefined) return sql<boolean>`(organization_id = ${organizationId} and id = ${id})`;
  const of = sql.ref(alias);
  return sql<boolean>`(${of}.organization_id = ${organizationId} and ${of}.id = ${id})`;
}

const NO_UUID = "00000000-0000-0000-0000-000000000000";

/**
 * Tables with indexes that begin with the organization and have the id behind other columns, or not at all: columns of which each such
 * index has one, with a value that none of theirs is less than. None of them can be null.
 */
const columnsOfOthers: Partial<Record<keyof Tables, Readonly<Record<string, string>>>> = {
  runs: { root_run_id: NO_UUID, state: "" },
  exports: { run_id: NO_UUID, status: "" },
  webhookDeliveries: { status: "" },
  alertDeliveries: { status: "" },
  auditEvents: { actor_type: "" },
  invitations: { state: "" },
  bulkActions: { state: "" },
};

/**
 * SQL, beside the organization and the id of a row: true for each row. Where the statistics do not know the organization, the planner takes
 * what it has for one row, and would as soon read all of it in one of the other indexes. Such an index can check only the first half of
 * a comparison of this kind, which must be made again at the row: so it is a little more expensive than the primary key (decision 0020).
 */
export function alwaysById(table: keyof Tables, alias?: string): string {
  const of = alias === undefined ? "" : `${alias}.`;
  return Object.entries(columnsOfOthers[table] ?? {})
    .map(([column, least]) => ` and (${of}${column}, 0) >= ('${least}', 0)`)
    .join("");
}

/** The same as `isRow`, in a form that the primary key of this table serves in any state of the statistics. */
export const isRowOf = (table: keyof Tables, owner: Owned, id: string, alias?: string): RawBuilder<boolean> =>
  sql<boolean>`(${isRow(owner, id, alias)}${sql.raw(alwaysById(table, alias))})`;
