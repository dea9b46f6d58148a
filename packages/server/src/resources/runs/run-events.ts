/** Events of runs and of their rows, and the list of a run's events. */
import type { Operations } from "@rowmill/contract";
import type { EventType } from "@rowmill/contract/events";
import type { FailureCode } from "@rowmill/contract/failures";
import type { Input, Page, PageOf } from "@rowmill/contract/operation";
import type { RunEvent, RunState } from "@rowmill/contract/runs";
import type { RawBuilder, Selectable } from "kysely";
import type { OrganizationCaller } from "../../platform/auth/caller.ts";
import { sql } from "../../platform/database/database.ts";
import type { Queryable, Transaction } from "../../platform/database/database.ts";
import type { EventsTable } from "../../platform/database/event-tables.ts";
import type { RowAudience } from "../../platform/database/event-tables.ts";
import { cutPage } from "../../platform/http/pages.ts";
import { formatId, formatRowId } from "../../platform/ids.ts";
import { recordEvents, recordRunEvent } from "../events/events.ts";
import type { Envelope, NewEvent } from "../events/events.ts";
import { findRun } from "./runs.ts";

/** Up to so many rows of a run are told one by one to an endpoint or a rule; a run of a million failures is told in digests. */
export const MAX_SINGLE_ROW_EVENTS = 1_000;

export interface RunIdentity {
  organizationId: string;
  id: string;
}

export async function recordRunState(
  tx: Transaction,
  publicUrl: string,
  run: RunIdentity,
  type: EventType,
  state: RunState,
  /** Why it was paused. */
  reason?: string,
): Promise<void> {
  const id = formatId("run", run.id);
  const data = { object: "run", id, url: `${publicUrl}/v1/runs/${id}`, state };
  await recordRunEvent(tx, run.id, {
    organizationId: run.organizationId,
    type,
    data: reason === undefined ? data : { ...data, reason },
  });
}

export interface FinishedRow {
  index: number;
  /** Null for a success. */
  failure: { code: FailureCode; retryable: boolean } | null;
}

/**
 * Tells of finished rows, in the transaction that records them; `types` are those that somebody listens to. Who listens to one
 * type is told of its first thousand rows one by one, who listens to both of the first thousand of either: where the two part,
 * each gets its own events.
 */
export async function recordRowEvents(
  tx: Transaction,
  publicUrl: string,
  run: RunIdentity & { datasetId: string },
  rows: readonly FinishedRow[],
  types: ReadonlySet<EventType>,
): Promise<void> {
  const succeeded = types.has("row.succeeded") ? rows.filter((row) => row.failure === null) : [];
  const failed = types.has("row.failed") ? rows.filter((row) => row.failure !== null) : [];
  if (succeeded.length + failed.length === 0) return;
  const now = await tx
    .updateTable("runs")
    .set((eb) => ({
      rowSucceededEvents: eb("rowSucceededEvents", "+", succeeded.length),
      rowFailedEvents: eb("rowFailedEvents", "+", failed.length),
    }))
    .where("organizationId", "=", run.organizationId)
    .where("id", "=", run.id)
    .returning(["rowSucceededEvents as succeeded", "rowFailedEvents as failed"])
    .executeTakeFirstOrThrow();
  const before = { succeeded: now.succeeded - succeeded.length, failed: now.failed - failed.length };
  await recordEvents(tx, [
    ...tell(publicUrl, run, "row.succeeded", succeeded, {
      ofType: before.succeeded,
      ofBoth: before.succeeded + before.failed,
    }),
    ...tell(publicUrl, run, "row.failed", failed, { ofType: before.failed, ofBoth: now.succeeded + before.failed }),
  ]);
}

/** `told`: how many rows were told of before these. */
function tell(
  publicUrl: string,
  run: RunIdentity & { datasetId: string },
  type: "row.succeeded" | "row.failed",
  rows: readonly FinishedRow[],
  told: { ofType: number; ofBoth: number },
): NewEvent[] {
  const { organizationId } = run;
  const runId = formatId("run", run.id);
  const runUrl = `${publicUrl}/v1/runs/${runId}`;
  const single = ({ index, failure }: FinishedRow): NewEvent => {
    const datasetRowId = formatRowId(run.datasetId, index);
    const state = failure === null ? "succeeded" : "failed";
    const url = failure === null ? `${runUrl}/outputs?datasetRowId=${datasetRowId}` : `${runUrl}/failures`;
    return { organizationId, type, data: { object: "run_row", runId, datasetRowId, index, state, ...failure, url } };
  };
  const digest = (count: number): NewEvent[] => {
    const url = `${runUrl}/${type === "row.succeeded" ? "outputs" : "failures"}`;
    return count === 0 ? [] : [{ organizationId, type, data: { object: "run_row_digest", runId, count, url } }];
  };
  const only = (rowAudience: RowAudience, events: NewEvent[]) => events.map((event) => ({ ...event, rowAudience }));

  const singlesOfType = Math.min(rows.length, Math.max(0, MAX_SINGLE_ROW_EVENTS - told.ofType));
  const singlesOfBoth = Math.min(rows.length, Math.max(0, MAX_SINGLE_ROW_EVENTS - told.ofBoth));
  const toAll = rows.slice(0, singlesOfBoth).map(single);
  if (singlesOfType === singlesOfBoth) return [...toAll, ...digest(rows.length - singlesOfBoth)];
  return [
    ...toAll,
    ...only("one_type", [
      ...rows.slice(singlesOfBoth, singlesOfType).map(single),
      ...digest(rows.length - singlesOfType),
    ]),
    ...only("both_types", digest(rows.length - singlesOfBoth)),
  ];
}

export async function listRunEvents(
  db: Queryable,
  caller: OrganizationCaller,
  runId: string,
  filters: Input<Operations["listRunEvents"]>["filters"],
  page: Page,
): Promise<PageOf<RunEvent>> {
  await findRun(db, caller.organizationId, runId);
  const after = page.after === undefined ? 0 : Number(page.after[0]);
  const read = await readRunEvents(db, runId, { types: filters.type, after, limit: page.limit + 1 });
  const { rows, next } = cutPage(read, page, (row) => [row.sequence ?? 0]);
  return { data: rows.map((row) => showRunEvent(runId, row)), next };
}

/** The log of a run after this sequence, in order. */
export async function readRunEvents(
  db: Queryable,
  runId: string,
  { types, after, limit }: { types?: readonly string[] | undefined; after: number; limit: number },
): Promise<Selectable<EventsTable>[]> {
  const events = (where: RawBuilder<unknown>) => sql`select e.* from events e where e.run_id = ${runId}
    and e.sequence > ${after} and ${where} order by e.sequence limit ${limit}`;
  // Each type is a range of an index, in the order of the list.
  const { rows } = await sql<Selectable<EventsTable>>`${
    types === undefined
      ? events(sql`true`)
      : sql`select r.* from unnest(${[...new Set(types)]}::text[]) as t (type)
          cross join lateral (${events(sql`e.type = t.type`)}) r order by r.sequence limit ${limit}`
  }`.execute(db);
  return rows;
}

export function showRunEvent(runId: string, row: Selectable<EventsTable>): RunEvent {
  const envelope = JSON.parse(row.payload) as Envelope; // written by recordRunEvent
  return {
    id: formatId("event", row.id),
    sequence: row.sequence ?? 0,
    type: envelope.type,
    runId: formatId("run", runId),
    createdAt: row.createdAt.toISOString(),
    data: envelope.data,
  };
}
