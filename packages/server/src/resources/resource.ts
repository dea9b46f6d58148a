/**
 * What the resources of organizations have in common, in SQL: one row by its id, the same row locked, a page of the list, a change, a place
 * under a limit. Every statement names the organization. Where rows stay after their deletion, a column has its time, and such rows are not
 * found. A row is found as a range of one id, in the order of the ids, for which there is one index (`newest-first.ts` says why).
 */
import type { Page } from "@rowmill/contract/operation";
import type { RawBuilder, Selectable, Updateable } from "kysely";
import { sql } from "../platform/database/database.ts";
import type { Queryable, Transaction } from "../platform/database/database.ts";
import { assignments } from "../platform/database/assignments.ts";
import { isRowOf } from "../platform/database/row-key.ts";
import type { Owned } from "../platform/database/row-key.ts";
import type { Tables } from "../platform/database/tables.ts";
import type { Position } from "../platform/http/cursors.ts";
import { present } from "../platform/present.ts";
import { ApiError, notFound } from "../platform/http/errors.ts";
import { readNewest } from "../platform/http/newest-first.ts";
import type { ListedTable } from "../platform/http/newest-first.ts";
import { lockOrganization } from "./organizations/lock-organization.ts";
import { sharedNow } from "../platform/shared-time.ts";

type Row<T extends ListedTable> = Selectable<Tables[T]>;

/** A filter without a value is left out; one with several is met by each of them. */
type Filters<T extends ListedTable> = { [C in keyof Row<T>]?: Row<T>[C] | readonly Row<T>[C][] | undefined };

/** Members without a value stay as they are. */
type Changes<T extends ListedTable> = {
  [C in keyof Updateable<Tables[T]>]?: Updateable<Tables[T]>[C] | RawBuilder<unknown> | undefined;
};

export interface Resource<T extends ListedTable> {
  /** Throws 404; `param` is the member of the request that named it. */
  find: (db: Queryable, owner: Owned, id: string, param?: string) => Promise<Row<T>>;
  /** Until the transaction ends, no other one changes or locks it. Throws 404. */
  lock: (tx: Transaction, owner: Owned, id: string) => Promise<Row<T>>;
  /** Newest first. */
  list: (
    db: Queryable,
    owner: Owned,
    page: Page,
    filters?: Filters<T>,
  ) => Promise<{ rows: Row<T>[]; next: Position | null }>;
  /** Throws 404. Sets `updatedAt`, too, where there is one. */
  update: (tx: Transaction, owner: Owned, id: string, changes: Changes<T>) => Promise<Row<T>>;
  /** Undefined, and nothing is changed, where there is no such row or `condition` does not hold for it. */
  updateIf: (
    tx: Transaction,
    owner: Owned,
    id: string,
    condition: RawBuilder<unknown>,
    changes: Changes<T>,
  ) => Promise<Row<T> | undefined>;
  /** Throws `limit_reached` where the organization has `limit` of them; until the transaction ends, no other one takes a place. */
  takePlace: (tx: Transaction, owner: Owned, limit: number, refusal: (count: number) => string) => Promise<void>;
}

interface Traits {
  /** As error messages name it. */
  noun: string;
  /** The column with the time of the deletion, after which the row stays. */
  deletedIn?: "deletedAt" | "removedAt";
  /** Columns of a list's rows that may be of some kilobytes or more: JSON or text. */
  large: readonly string[];
  /** Rows are never changed, or when is not kept. */
  hasNoUpdateTime?: true;
}

export function resource<T extends ListedTable>(
  table: T,
  { noun, deletedIn, large, hasNoUpdateTime }: Traits,
): Resource<T> {
  const isThere = deletedIn === undefined ? sql`` : sql`and ${sql.ref(deletedIn)} is null`;

  async function read(
    db: Queryable,
    { organizationId }: Owned,
    id: string,
    lock: RawBuilder<unknown>,
    param?: string,
  ): Promise<Row<T>> {
    const { rows } = await sql<Row<T>>`
      select * from ${sql.table(table)} where organization_id = ${organizationId} and id between ${id} and ${id} ${isThere}
      order by id limit 1 ${lock}`.execute(db);
    if (rows[0] === undefined) throw notFound(noun, param);
    return rows[0];
  }

  async function updateIf(
    tx: Transaction,
    owner: Owned,
    id: string,
    condition: RawBuilder<unknown> | undefined,
    changes: Changes<T>,
  ): Promise<Row<T> | undefined> {
    const set = assignments({ ...changes, ...(hasNoUpdateTime ? {} : { updatedAt: sharedNow() }) });
    const also = condition === undefined ? sql`` : sql`and ${condition}`;
    const { rows } = await sql<Row<T>>`
      update ${sql.table(table)} set ${set} where ${isRowOf(table, owner, id)} ${isThere} ${also} returning *`.execute(
      tx,
    );
    return rows[0];
  }

  return {
    find: (db, owner, id, param) => read(db, owner, id, sql``, param),
    lock: (tx, owner, id) => read(tx, owner, id, sql`for update`),
    list: (db, { organizationId }, page, filters = {}) =>
      readNewest(db, { table, organizationId, large, ...present({ only: conditionsOf(filters, deletedIn) }) }, page),
    async update(tx, owner, id, changes) {
      const row = await updateIf(tx, owner, id, undefined, changes);
      if (row === undefined) throw notFound(noun);
      return row;
    },
    updateIf,
    async takePlace(tx, { organizationId }, limit, refusal) {
      await lockOrganization(tx, organizationId);
      const count = await countOf(tx, table, sql`organization_id = ${organizationId} ${isThere}`);
      if (count >= limit) throw new ApiError("limit_reached", refusal(count));
    },
  };
}

async function countOf(tx: Transaction, table: string, condition: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from ${sql.table(table)} where ${condition}`.execute(tx);
  return rows[0]?.count ?? 0;
}

/** A filter without a value leaves nothing out; what is deleted is never listed. Undefined where there are no conditions. */
function conditionsOf(filters: object, deletedIn: string | undefined): RawBuilder<unknown> | undefined {
  const conditions = [
    ...(deletedIn === undefined ? [] : [sql`t.${sql.ref(deletedIn)} is null`]),
    ...Object.entries(filters).flatMap(([column, value]: [string, unknown]) => {
      if (value === undefined) return [];
      return [Array.isArray(value) ? sql`t.${sql.ref(column)} = any(${value})` : sql`t.${sql.ref(column)} = ${value}`];
    }),
  ];
  return conditions.length === 0 ? undefined : sql.join(conditions, sql` and `);
}

/** Of a column with JSON; without a value the column stays as it is. */
export function json<V extends object>(value: V | undefined): string | undefined;
export function json<V extends object>(value: V | null | undefined): string | null | undefined;
export function json(value: object | null | undefined): string | null | undefined {
  return value === undefined || value === null ? value : JSON.stringify(value);
}
