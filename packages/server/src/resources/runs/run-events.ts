/** Events of runs and of their rows, and the list of a run's events. */
import type { EventEnvelope } from "@rowmill/contract/event-payloads";
import type { DeliverableEventType, EventType } from "@rowmill/contract/events";
import type { FailureCode } from "@rowmill/contract/failures";
import type { RunEvent } from "@rowmill/contract/run-events";
import type { RunState, TerminalRunState } from "@rowmill/contract/runs";
import type { RawBuilder, Selectable } from "kysely";
import { sql } from "../../platform/database/database.ts";
import type { Queryable, Transaction } from "../../platform/database/database.ts";
import type { EventsTable } from "../../platform/database/event-tables.ts";
import type { RowAudience } from "../../platform/database/event-tables.ts";
import { isRowOf } from "../../platform/database/row-key.ts";
import type { OperationFunction } from "../../platform/http/handlers.ts";
import { readInParts } from "../../platform/http/pages.ts";
import { formatId, formatRowId } from "../../platform/ids.ts";
import { recordCountedRunEvents, recordEvents, recordRunEvents, withPublicUrl } from "../events/events.ts";
import type { NewEvent, TypedData } from "../events/events.ts";
import { findRun } from "./runs.ts";

/** Up to this many rows of a run are sent one by one to an endpoint or a rule; a run of a million failures is sent as digests. */
export const MAX_SINGLE_ROW_EVENTS = 1_000;

export interface RunIdentity {
  organizationId: string;
  id: string;
}

type RunEventType = Extract<DeliverableEventType, `run.${string}`>;

export async function recordRunState(tx: Transaction, run: RunIdentity, event: TypedData<RunEventType>): Promise<void> {
  await recordRunEvents(tx, run, [{ organizationId: run.organizationId, ...event }]);
}

/** The change that starts it has counted the event in its `eventSequence`. */
export async function recordRunStart(tx: Transaction, run: RunIdentity & { eventSequence: number }): Promise<void> {
  const { organizationId } = run;
  await recordCountedRunEvents(tx, run, [{ organizationId, type: "run.started", data: runData(run, "running") }]);
}

/** `data` of the run's events. */
export const runData = <State extends RunState>({ id: runId }: RunIdentity, state: State) => {
  const id = formatId("run", runId);
  return { object: "run", id, url: `/v1/runs/${id}`, state } as const;
};

/** The end of a run counts so many in its `eventSequence`. */
export const EVENTS_OF_END = 2;

export async function recordRunEnd(
  tx: Transaction,
  run: RunIdentity & { eventSequence: number },
  state: TerminalRunState,
): Promise<void> {
  const { organizationId } = run;
  await recordCountedRunEvents(tx, run, [
    { organizationId, ...endEvent(run, state) },
    { organizationId, type: "run.finished", data: runData(run, state) },
  ]);
}

function endEvent(run: RunIdentity, state: TerminalRunState): TypedData<RunEventType> {
  switch (state) {
    case "succeeded":
      return { type: "run.succeeded", data: runData(run, state) };
    case "partially_succeeded":
      return { type: "run.partially_succeeded", data: runData(run, state) };
    case "failed":
      return { type: "run.failed", data: runData(run, state) };
    case "canceled":
      return { type: "run.canceled", data: runData(run, state) };
    case "expired":
      return { type: "run.expired", data: runData(run, state) };
  }
}

export interface FinishedRow {
  index: number;
  /** Null for a success. */
  failure: { code: FailureCode; retryable: boolean } | null;
}

/**
 * Records events of finished rows, in the transaction that records them; `types` are those that somebody listens to. Who listens to one
 * type gets its first thousand rows one by one, who listens to both of the first thousand of either: where the two part,
 * each gets its own events.
 */
export async function recordRowEvents(
  tx: Transaction,
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
    .where(isRowOf("runs", run, run.id))
    .returning(["rowSucceededEvents as succeeded", "rowFailedEvents as failed"])
    .executeTakeFirstOrThrow();
  const before = { succeeded: now.succeeded - succeeded.length, failed: now.failed - failed.length };
  await recordEvents(tx, [
    ...eventsOfRows(run, "row.succeeded", succeeded, {
      ofType: before.succeeded,
      ofBoth: before.succeeded + before.failed,
    }),
    ...eventsOfRows(run, "row.failed", failed, { ofType: before.failed, ofBoth: now.succeeded + before.failed }),
  ]);
}

/** `before`: how many rows had events before these. */
function eventsOfRows(
  run: RunIdentity & { datasetId: string },
  type: "row.succeeded" | "row.failed",
  rows: readonly FinishedRow[],
  before: { ofType: number; ofBoth: number },
): NewEvent[] {
  const { organizationId } = run;
  const runId = formatId("run", run.id);
  const runUrl = `/v1/runs/${runId}`;
  const single = ({ index, failure }: FinishedRow): NewEvent => {
    const datasetRowId = formatRowId(run.datasetId, index);
    const row = { object: "run_row", runId, datasetRowId, index } as const;
    if (failure === null) {
      const url = `${runUrl}/outputs?datasetRowId=${datasetRowId}`;
      return { organizationId, type: "row.succeeded", data: { ...row, state: "succeeded", url } };
    }
    const url = `${runUrl}/failures`;
    return { organizationId, type: "row.failed", data: { ...row, state: "failed", ...failure, url } };
  };
  const digest = (count: number): NewEvent[] => {
    const url = `${runUrl}/${type === "row.succeeded" ? "outputs" : "failures"}`;
    return count === 0 ? [] : [{ organizationId, type, data: { object: "run_row_digest", runId, count, url } }];
  };
  const only = (rowAudience: RowAudience, events: NewEvent[]) => events.map((event) => ({ ...event, rowAudience }));

  const singlesOfType = Math.min(rows.length, Math.max(0, MAX_SINGLE_ROW_EVENTS - before.ofType));
  const singlesOfBoth = Math.min(rows.length, Math.max(0, MAX_SINGLE_ROW_EVENTS - before.ofBoth));
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

export const listRunEvents: OperationFunction<"listRunEvents", { publicUrl: () => string }> = async (
  db,
  caller,
  { params: { runId }, filters, page },
  { publicUrl },
) => {
  await findRun(db, caller, runId);
  const { rows, next } = await readInParts(
    ({ after, limit }) => readRunEvents(db, runId, { types: filters.type, after: Number(after?.[0] ?? 0), limit }),
    page,
    (row) => [row.sequence ?? 0],
  );
  return { data: rows.map((row) => showRunEvent(runId, row, publicUrl())), next };
};

/** The log of a run after this sequence, in order. */
export async function readRunEvents(
  db: Queryable,
  runId: string,
  { types, after, limit }: { types?: readonly string[] | undefined; after: number; limit: number },
): Promise<Selectable<EventsTable>[]> {
  const events = (where: RawBuilder<unknown>, order: RawBuilder<unknown>) => sql`select e.* from events e
    where e.run_id = ${runId} and e.sequence > ${after} and ${where} order by ${order} limit ${limit}`;
  // Each type is a range of an index, in the order of the list, which ends with the name of the index.
  const { rows } = await sql<Selectable<EventsTable>>`${
    types === undefined
      ? events(sql`true`, sql`e.sequence`)
      : sql`select r.* from unnest(${[...new Set(types)]}::text[]) as t (type)
          cross join lateral (${events(sql`e.type = t.type`, sql`e.sequence, (e.run_id::text = 'type')`)}) r order by r.sequence limit ${limit}`
  }`.execute(db);
  return rows;
}

export function showRunEvent(runId: string, row: Selectable<EventsTable>, publicUrl: string): RunEvent {
  const stored = JSON.parse(row.payload) as EventEnvelope; // written by recordRunEvents
  const envelope = withPublicUrl<{ data: EventEnvelope["data"] }>(stored, publicUrl);
  return {
    id: formatId("event", row.id),
    sequence: row.sequence ?? 0,
    type: stored.type,
    runId: formatId("run", runId),
    createdAt: row.createdAt.toISOString(),
    data: envelope.data,
  };
}
