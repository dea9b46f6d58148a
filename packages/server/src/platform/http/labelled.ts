/**
 * Lists by the beginning of a name, and by pairs of metadata: found by their labels (`list_labels`), newest first. Of each
 * label a bounded number of ids is read, and the label with the fewest leads. Where that many things have a label in common
 * and few of them all that is asked for, a page may hold fewer items than its limit, and the cursor goes on.
 */
import type { RawBuilder } from "kysely";
import type { Page } from "@rowmill/contract/operation";
import { sql } from "../database/database.ts";
import type { Queryable } from "../database/database.ts";
import { uuidAt } from "../ids.ts";
import type { Position } from "./cursors.ts";

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

export interface Candidates {
  /** Newest first. */
  ids: string[];
  /** Whether there may be more behind the last one. */
  hasMore: boolean;
}

/** Undefined where no filter has a label: the list is read as it is. */
export async function findCandidates(
  db: Queryable,
  organizationId: string,
  kind: LabelledKind,
  filters: LabelFilters,
  page: Page,
): Promise<Candidates | undefined> {
  const labels = labelsOf(kind, filters);
  if (labels.length === 0) return undefined;
  const bounds = [
    ...(page.after === undefined ? [] : [sql`and id < ${String(page.after[0])}`]),
    ...(filters.createdAfter === undefined ? [] : [sql`and id >= ${uuidAt(filters.createdAfter)}`]),
    ...(filters.createdBefore === undefined ? [] : [sql`and id < ${uuidAt(filters.createdBefore)}`]),
  ];
  const { rows } = await sql<{ ids: string[] }>`
    select array(
      select id from list_labels where organization_id = ${organizationId} and label = wanted.label
        ${sql.join(bounds, sql` `)}
      order by id desc limit ${MAX_CANDIDATES + 1}) as ids
    from unnest(array[${sql.join(labels)}]) as wanted (label)`.execute(db);
  const fewest = rows.map(({ ids }) => ids).toSorted((a, b) => a.length - b.length)[0] ?? [];
  return { ids: fewest.slice(0, MAX_CANDIDATES), hasMore: fewest.length > MAX_CANDIDATES };
}

export const isCandidate = (t: string, candidates: Candidates | undefined): RawBuilder<boolean> =>
  sql<boolean>`${sql.ref(`${t}.id`)} = any(${candidates?.ids ?? []}::uuid[])`;

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

/** A page that used up its candidates, of which there are more, continues after them. */
export function goOn<Row>(
  { rows, next }: { rows: Row[]; next: Position | null },
  candidates: Candidates | undefined,
): { rows: Row[]; next: Position | null } {
  const last = candidates?.hasMore === true ? candidates.ids.at(-1) : undefined;
  return { rows, next: next ?? (last === undefined ? null : [last]) };
}

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
