/**
 * The row of a new run. It has thirty values: the statement is prepared, since to build and to plan it takes longer than to insert the row.
 */
import type { Operations } from "@rowmill/contract";
import type { Execution } from "@rowmill/contract/job-spec-policies";
import type { Input } from "@rowmill/contract/operation";
import type { Run } from "@rowmill/contract/runs";
import { sql } from "kysely";
import type { OrganizationCaller } from "../../platform/auth/caller.ts";
import type { Transaction } from "../../platform/database/database.ts";
import { prepared } from "../../platform/database/prepared.ts";
import type { LaneKind } from "../../platform/database/run-tables.ts";
import { timeOfUuid } from "../../platform/ids.ts";
import { WAITING_FOR_CAPACITY, isInProgress, laneQueues, placeOfNewRun } from "./lanes.ts";
import { runColumns } from "./runs.ts";
import type { RunRecord } from "./runs.ts";
import type { Room } from "./room-for-run.ts";
import type { ChunkTotals } from "./scopes.ts";
import { sharedNow } from "../../platform/shared-time.ts";

export type RunOptions = Pick<
  Input<Operations["createRun"]>["body"],
  "name" | "priority" | "concurrency" | "failurePolicy" | "budget" | "execution" | "deadlineAt" | "metadata"
>;

export interface NewRun {
  id: string;
  datasetId: string;
  jobSpecId: string;
  jobSpecVersion: number;
  scope: Run["scope"];
  selection: Run["selection"];
  parentRunId: string | null;
  rootRunId: string;
  retryNumber: number;
  options: RunOptions;
  defaultConcurrency: number | null;
  /** JSON text. */
  defaultFailurePolicy: string | null;
  execution: Execution | null;
  laneKind: LaneKind;
  /** Of its organization, where that is locked already. */
  room?: Room | undefined;
  /** Throws the decided error if the run would have no row. */
  insertChunks: () => Promise<ChunkTotals>;
}

export interface InsertedRun {
  record: RunRecord;
  /** Of its lanes. */
  place: number;
}

export async function insertRunRow(
  tx: Transaction,
  { organizationId, apiKeyId }: OrganizationCaller,
  run: NewRun,
  totals: ChunkTotals,
  { runsInProgress: most }: Room,
): Promise<InsertedRun> {
  const { options } = run;
  const [inserted] = await insert(tx, {
    organizationId,
    queue: laneQueues[run.laneKind],
    id: run.id,
    name: options.name ?? null,
    datasetId: run.datasetId,
    jobSpecId: run.jobSpecId,
    jobSpecVersion: String(run.jobSpecVersion),
    scope: JSON.stringify(run.scope),
    priority: String(options.priority ?? 3),
    concurrency: textOf(options.concurrency ?? run.defaultConcurrency),
    failurePolicy: jsonOf(options.failurePolicy) ?? run.defaultFailurePolicy,
    budget: jsonOf(options.budget),
    laneKind: run.laneKind,
    execution: jsonOf(run.execution),
    apiKeyId,
    deadlineAt: options.deadlineAt === undefined ? null : new Date(options.deadlineAt),
    metadata: JSON.stringify(options.metadata ?? {}),
    most: String(Math.min(most, Number.MAX_SAFE_INTEGER)),
    parentRunId: run.parentRunId,
    rootRunId: run.rootRunId,
    retryNumber: String(run.retryNumber),
    selection: jsonOf(run.selection),
    rowTotal: String(totals.rowTotal),
    chunkCount: String(totals.chunkCount),
    chunksMade: String(totals.chunksMade),
    // A list of a period is a range of ids.
    createdAt: timeOfUuid(run.id),
    updatedAt: sharedNow(),
  });
  if (inserted === undefined) throw new Error("a run was not inserted");
  const { place, ...record } = inserted;
  return { record, place };
}

const jsonOf = (value: unknown): string | null =>
  value === undefined || value === null ? null : JSON.stringify(value);
const textOf = (value: number | null): string | null => (value === null ? null : String(value));

const insert = prepared(
  "insert_run",
  [
    "organizationId",
    "queue",
    "id",
    "name",
    "datasetId",
    "jobSpecId",
    "jobSpecVersion",
    "scope",
    "priority",
    "concurrency",
    "failurePolicy",
    "budget",
    "laneKind",
    "execution",
    "apiKeyId",
    "deadlineAt",
    "metadata",
    "most",
    "parentRunId",
    "rootRunId",
    "retryNumber",
    "selection",
    "rowTotal",
    "chunkCount",
    "chunksMade",
    "createdAt",
    "updatedAt",
  ],
  (db, at) =>
    db
      .insertInto("runs")
      .values({
        organizationId: at.organizationId,
        id: at.id,
        name: at.name,
        datasetId: at.datasetId,
        jobSpecId: at.jobSpecId,
        jobSpecVersion: sql`${at.jobSpecVersion}`,
        scope: at.scope,
        priority: sql`${at.priority}`,
        concurrency: sql`${at.concurrency}`,
        failurePolicy: at.failurePolicy,
        budget: at.budget,
        laneKind: sql`${at.laneKind}`,
        execution: at.execution,
        apiKeyId: at.apiKeyId,
        deadlineAt: sql`${at.deadlineAt}`,
        metadata: at.metadata,
        state: sql.lit("queued"),
        stateReason: reasonToWait(at),
        // Of its creation.
        eventSequence: sql.lit(1),
        parentRunId: at.parentRunId,
        rootRunId: at.rootRunId,
        retryNumber: sql`${at.retryNumber}`,
        selection: at.selection,
        rowTotal: sql`${at.rowTotal}`,
        chunkCount: sql`${at.chunkCount}`,
        chunksMade: sql`${at.chunksMade}`,
        createdAt: sql`${at.createdAt}`,
        updatedAt: sql`${at.updatedAt}`,
      })
      .returning(runColumns)
      .returning(placeOfNewRun(at.queue, at).as("place")),
);

/** Counted where the organization is locked already: a statement that waits for a lock sees what was before it. */
const reasonToWait = (at: { organizationId: string; most: string }) => sql<typeof WAITING_FOR_CAPACITY | null>`(
  select case when count(*) >= ${at.most}::bigint then ${sql.lit(WAITING_FOR_CAPACITY)} end
  from runs where organization_id = ${at.organizationId} and ${isInProgress})`;
