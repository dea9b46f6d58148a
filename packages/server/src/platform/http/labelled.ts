/**
 * Lists by the beginning of a name, and by pairs of metadata: found by their labels (`list_labels`), newest first. Of each
 * label a bounded number of ids is read, and the label with the fewest leads: its ids are looked up one by one until the page
 * is full. Where that many things have a label in common and few of them all that is asked for, a page may hold fewer items than
 * its limit, and the cursor goes on.
 */
import type { RawBuilder } from "kysely";
import type { Page } from "@rowmill/contract/operation";
import { executeList, sql } from "../database/database.ts";
import type { Queryable } from "../database/database.ts";
import type { Position } from "./cursors.ts";
import { idsBetween, oneMore, rangeOfIndex } from "./newest-first.ts";
import { fittedPage } from "./pages.ts";

/** Ids read of a label for a page: a few milliseconds in an index, and far more than a page holds. */
export const MAX_CANDIDATES = 1_000;
/** The lengths of beginnings that have a label, as the migration writes them. */
const LABELLED_LENGTHS = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32];

export type LabelledKind = "run" | "dataset" | "job_spec";

export interface LabelFilters {
  name?: string | undefined;
  metadata?: Record<string, string> | undefined;
  createdAfter?: Date | undefined;
  createdBefore?: Date | undefined;
}

/** Query of a page at most of the things with some of the `ids` (an array), in their order, as `rowsOf` makes it. */
type QueryOfThings<Row> = (ids: RawBuilder<unknown>, limit: number) => RawBuilder<Row>;

/** Undefined where no filter has a label: the list is read as it is. */
export async function readLabelled<Row extends { id: string }>(
  db: Queryable,
  organizationId: string,
  kind: LabelledKind,
  filters: LabelFilters,
  page: Page,
  query: QueryOfThings<Row>,
): Promise<{ rows: Row[]; next: Position | null } | undefined> {
  const labels = labelsOf(kind, filters);
  if (labels.length === 0) return undefined;
  const candidates = queryOfCandidates(organizationId, labels, filters, page);
  const rows = await executeList(
    db,
    sql<{ lastCandidate: string | null } & Record<keyof Row, unknown>>`
    with candidates as materialized (${candidates})
    select c.last_candidate, found.* from candidates c left join lateral (${query(sql`c.ids`, oneMore(page).limit)}) found on true
    order by found.place`,
  );
  // There is one row at least, which has the last candidate.
  const found = rows.filter(({ id }) => id !== null) as unknown as Row[]; // as `query` gives them
  const fitted = fittedPage(found, page, (row) => [row.id]);
  // A page that used up its candidates, of which there are more, continues after them.
  const last = rows[0]?.lastCandidate ?? null;
  return { rows: fitted.rows, next: fitted.next ?? (last === null ? null : [last]) };
}

/** One row: the newest ids of the label that has the fewest, and the last of them where there may be more behind it. */
function queryOfCandidates(
  organizationId: string,
  labels: readonly RawBuilder<string>[],
  filters: LabelFilters,
  { after }: Page,
): RawBuilder<unknown> {
  const range = rangeOfIndex(
    [sql`l.organization_id`, sql`l.label`, sql`l.id`],
    [sql`${organizationId}::uuid`, sql`wanted.label`],
    idsBetween(filters, after),
  );
  return sql`select f.ids[:${MAX_CANDIDATES}::int] as ids,
      case when cardinality(f.ids) > ${MAX_CANDIDATES} then f.ids[${MAX_CANDIDATES}::int] end as last_candidate
    from (
      select wanted.n, array(
        select l.id from list_labels l where ${range.where} order by ${range.order} limit ${MAX_CANDIDATES + 1}) as ids
      from unnest(array[${sql.join(labels)}]) with ordinality as wanted (label, n)) f
    order by cardinality(f.ids), f.n limit 1`;
}

/** What the thing itself must be: a label stands for a part of a long name, and is a hash. `t` names the table. */
export const isAsked = (t: string, { name, metadata }: LabelFilters): RawBuilder<boolean> =>
  sql<boolean>`${sql.join(
    [
      sql`true`,
      ...(isNothing(name)
        ? []
        : [sql`starts_with(lower(${sql.ref(`${t}.name`)} collate "C"), lower(${name} collate "C"))`]),
      ...(metadata === undefined ? [] : [sql`${sql.ref(`${t}.metadata`)} @> ${JSON.stringify(metadata)}::jsonb`]),
    ],
    sql` and `,
  )}`;

/** Every name begins with nothing. */
const isNothing = (name: string | undefined): name is undefined | "" => name === undefined || name === "";

function labelsOf(kind: LabelledKind, { name, metadata }: LabelFilters): RawBuilder<string>[] {
  const label = (key: string, value: RawBuilder<string>) => sql<string>`list_label(${kind}, ${key}, ${value})`;
  const labels = Object.entries(metadata ?? {}).map(([key, value]) => label(`metadata.${key}`, sql<string>`${value}`));
  if (!isNothing(name)) {
    const length = LABELLED_LENGTHS.findLast((one) => one <= Array.from(name).length) ?? 1;
    labels.push(label("name", sql<string>`lower(left(${name}, ${length}) collate "C")`));
  }
  return labels;
}
