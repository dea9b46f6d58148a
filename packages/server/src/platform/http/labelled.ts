/**
 * Lists by the beginning of a name, and by pairs of metadata: found by their labels (`list_labels`), newest first. Of each
 * label a bounded number of ids is read, and the label with the fewest leads. Where that many things have a label in common
 * and few of them all that is asked for, a page may hold fewer items than its limit, and the cursor goes on.
 */
import type { RawBuilder } from "kysely";
import type { Page } from "@rowmill/contract/operation";
import { sql } from "../database/database.ts";
import type { Queryable } from "../database/database.ts";
import { LAST_UUID } from "../ids.ts";
import type { Position } from "./cursors.ts";
import { idsBetween, rangeOfIndex } from "./newest-first.ts";
import { isFollowed, readInParts } from "./pages.ts";

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
  const range = rangeOfIndex(
    [sql`l.organization_id`, sql`l.label`, sql`l.id`],
    [sql`${organizationId}::uuid`, sql`wanted.label`],
    idsBetween(filters, page.after),
  );
  const { rows } = await sql<{ ids: string[] }>`
    select array(
      select l.id from list_labels l where ${range.where} order by ${range.order} limit ${MAX_CANDIDATES + 1}) as ids
    from unnest(array[${sql.join(labels)}]) as wanted (label)`.execute(db);
  const fewest = rows.map(({ ids }) => ids).toSorted((a, b) => a.length - b.length)[0] ?? [];
  return { ids: fewest.slice(0, MAX_CANDIDATES), hasMore: fewest.length > MAX_CANDIDATES };
}

/** A page of those candidates that `read` returns of some of them, in their order. */
export async function readCandidates<Row extends { id: string }>(
  candidates: Candidates,
  read: (ids: RawBuilder<unknown>) => Promise<Row[]>,
  page: Page,
): Promise<{ rows: Row[]; next: Position | null }> {
  const readPart = async ({ limit, after }: Page): Promise<Row[]> => {
    const found: Row[] = [];
    const last = String(after?.[0] ?? LAST_UUID);
    // What was read beyond the limit of a part is looked up again by the next.
    let left = candidates.ids.filter((id) => id < last);
    for (let size = limit; left.length > 0 && found.length < limit; size *= 4) {
      found.push(...(await read(sql`${left.slice(0, size)}::uuid[]`)));
      // The next part begins with what was left out.
      if (isFollowed(found.at(-1))) break;
      left = left.slice(size);
    }
    return found.slice(0, limit);
  };
  const { rows, next } = await readInParts(readPart, page, (row) => [row.id]);
  // A page that used up its candidates, of which there are more, continues after them.
  const last = candidates.hasMore ? candidates.ids.at(-1) : undefined;
  return { rows, next: next ?? (last === undefined ? null : [last]) };
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
