/** Runs as records: found, locked, listed, deleted, and shown as the contract describes them. */
import { DEFAULT_MAX_WAIT_SECONDS } from "@rowmill/contract/job-spec-policies";
import { stateReasons } from "@rowmill/contract/run-reasons";
import { isTerminal, runStates } from "@rowmill/contract/runs";
import type { RunRowCounts } from "@rowmill/contract/run-counts";
import type { Run } from "@rowmill/contract/runs";
import { sql } from "kysely";
import type { Selectable } from "kysely";
import type { OrganizationCaller } from "../../platform/auth/caller.ts";
import type { Queryable, Transaction } from "../../platform/database/database.ts";
import { prepared } from "../../platform/database/prepared.ts";
import type { FinalCounts, RunsTable } from "../../platform/database/run-tables.ts";
import { isRow } from "../../platform/database/row-key.ts";
import type { Owned } from "../../platform/database/row-key.ts";
import { ApiError, invalidState, notFound } from "../../platform/http/errors.ts";
import type { OperationFunction } from "../../platform/http/handlers.ts";
import { findCandidates, isAsked, readCandidates } from "../../platform/http/labelled.ts";
import { readNewest, rowsOf } from "../../platform/http/newest-first.ts";
import { formatId, formatIdOrNull } from "../../platform/ids.ts";
import { showUsd } from "../../platform/usd.ts";
import { resource } from "../resource.ts";
import { recordAudit } from "../audit-events/audit-events.ts";
import { nextStepsOf } from "./next-steps.ts";

export type RunRecord = Selectable<RunsTable>;

const runs = resource("runs", { noun: "run", deletedIn: "deletedAt" });

export async function findRun(db: Queryable, { organizationId }: Owned, id: string): Promise<RunRecord> {
  const [row] = await selectRun(db, { organizationId, id });
  if (!row) throw notFound("run");
  return row;
}

/** By name: a prepared statement with `*` would fail once a newer version of the service has added a column. */
const runColumns = [
  "organizationId",
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
  "apiKeyId",
  "laneKind",
  "execution",
  "realTimeSince",
  "batchProblem",
  "deadlineAt",
  "metadata",
  "state",
  "stateReason",
  "error",
  "parentRunId",
  "rootRunId",
  "retryNumber",
  "selection",
  "eventSequence",
  "rowSucceededEvents",
  "rowFailedEvents",
  "laneGeneration",
  "rowTotal",
  "chunkCount",
  "chunksMade",
  "resultBytes",
  "resultsSettled",
  "storageBytes",
  "finalCounts",
  "createdAt",
  "startedAt",
  "finishedAt",
  "updatedAt",
  "deletedAt",
] as const satisfies readonly (keyof RunsTable)[];

const selectRun = prepared("find_run", ["organizationId", "id"], (db, at) =>
  db
    .selectFrom("runs")
    .select(runColumns)
    .where("organizationId", "=", at.organizationId)
    .where((w) => w.between("id", at.id, at.id))
    .where("deletedAt", "is", null)
    .orderBy("id")
    .limit(sql.lit(1)),
);

/** The run, locked until the transaction ends. Before its chunks, batches, budget and exports: "The order of locks" in `docs/architecture.md`. */
export const lockRun = runs.lock;
/** Of a locked run; members without a value stay as they are. */
export const changeRun = runs.update;

/** Retries and deletions within a family run one after the other. */
export async function lockFamily(tx: Transaction, organizationId: string, rootRunId: string): Promise<void> {
  await sql`select 1 from runs where ${isRow({ organizationId }, rootRunId)} for update`.execute(tx);
}

export const listRuns: OperationFunction<"listRuns"> = async (db, caller, { filters, page }) => {
  const { state, datasetId, jobSpecId, createdAfter, createdBefore } = filters;
  const candidates = await findCandidates(db, caller.organizationId, "run", filters, page);
  if (candidates !== undefined) {
    const also = sql.join(
      [
        sql`t.deleted_at is null`,
        isAsked("t", filters),
        ...(state === undefined ? [] : [sql`t.state = any(${state})`]),
        ...(datasetId === undefined ? [] : [sql`t.dataset_id = ${datasetId}`]),
        ...(jobSpecId === undefined ? [] : [sql`t.job_spec_id = ${jobSpecId}`]),
      ],
      sql` and `,
    );
    const { rows, next } = await readCandidates(
      candidates,
      async (ids) => (await rowsOf<RunRecord>("runs", caller.organizationId, ids, { also }).execute(db)).rows,
      page,
    );
    return { data: await showRuns(db, rows), next };
  }
  const isFiltered = state !== undefined || datasetId !== undefined || jobSpecId !== undefined;
  const { rows, next } = await readNewest(
    db,
    {
      table: "runs",
      organizationId: caller.organizationId,
      only: sql`t.deleted_at is null`,
      is: { datasetId, jobSpecId },
      in: isFiltered ? { state: state ?? runStates } : {},
      createdAfter,
      createdBefore,
    },
    page,
  );
  return { data: await showRuns(db, rows), next };
};

/** Hides the run at once; its results are deleted by a periodic task. */
export async function deleteRun(tx: Transaction, caller: OrganizationCaller, id: string): Promise<undefined> {
  const { organizationId } = caller;
  const { rootRunId } = await findRun(tx, caller, id);
  // Retries of the family are made under this lock: none may begin to build on a run that is being deleted.
  await lockFamily(tx, organizationId, rootRunId);
  const run = await lockRun(tx, caller, id);
  if (!isTerminal(run.state)) throw invalidState(`The run is ${run.state}: cancel it first.`);
  const child = await tx
    .selectFrom("runs")
    .select("id")
    .where("organizationId", "=", organizationId)
    .where("rootRunId", "=", run.rootRunId)
    .where("retryNumber", ">", run.retryNumber)
    .where("deletedAt", "is", null)
    .limit(1)
    .executeTakeFirst();
  if (child)
    throw new ApiError(
      "resource_in_use",
      `The retry run ${formatId("run", child.id)} builds on this run: delete it first.`,
    );
  await tx.updateTable("runs").set({ deletedAt: new Date() }).where(isRow(caller, id)).execute();
  await recordAudit(tx, caller, "run.deleted", id);
  return undefined;
}

export const getRunLineage: OperationFunction<"getRunLineage"> = async (db, caller, { params }) => {
  const run = await findRun(db, caller, params.runId);
  const family = await db
    .selectFrom("runs")
    .selectAll()
    .where("organizationId", "=", caller.organizationId)
    .where("rootRunId", "=", run.rootRunId)
    .where("deletedAt", "is", null)
    .orderBy("retryNumber")
    .execute();
  const shown = await showRuns(db, family);
  return {
    rootRunId: formatId("run", run.rootRunId),
    runs: shown.map(({ id, parentRunId, retryNumber, selection, state, rows }) => ({
      id,
      parentRunId,
      retryNumber,
      selection,
      state,
      rows,
    })),
  };
};

export async function showRun(db: Queryable, run: RunRecord): Promise<Run> {
  const [shown] = await showRuns(db, [run]);
  if (!shown) throw new Error("a run was not shown");
  return shown;
}

interface Counts extends FinalCounts {
  /** Unfinished rows of chunks that are claimed, or at a provider. */
  running: number;
}

export async function showRuns(db: Queryable, runs: RunRecord[]): Promise<Run[]> {
  const counts = await countRuns(
    db,
    // Of those that wait there may be many, and there is nothing to count.
    runs.filter((run) => run.finalCounts === null && run.startedAt !== null).map((run) => run.id),
  );
  return runs.map((run) => show(run, counts.get(run.id) ?? { ...(run.finalCounts ?? noCounts), running: 0 }));
}

export const noCounts: FinalCounts = {
  succeeded: 0,
  failed: 0,
  attempts: 0,
  inputTokens: 0,
  outputTokens: 0,
  requests: 0,
  costUsd: "0",
  unpricedRequests: 0,
};

/** Adds up the counters of the chunks; they were committed together with the results they count. */
export async function countRuns(db: Queryable, runIds: string[]): Promise<Map<string, Counts>> {
  if (runIds.length === 0) return new Map();
  const { rows } = await sql<Counts & { runId: string }>`
    select run_id,
      coalesce(sum(succeeded), 0)::bigint as succeeded, coalesce(sum(failed), 0)::bigint as failed,
      coalesce(sum(least(row_count - succeeded - failed, case when state = 'running' then cardinality(in_flight) end))
        filter (where state in ('running', 'submitted')), 0)::bigint as running,
      coalesce(sum(attempts), 0)::bigint as attempts, coalesce(sum(input_tokens), 0)::bigint as input_tokens,
      coalesce(sum(output_tokens), 0)::bigint as output_tokens, coalesce(sum(requests), 0)::bigint as requests,
      coalesce(sum(cost_usd), 0)::text as cost_usd, coalesce(sum(unpriced_requests), 0)::bigint as unpriced_requests
    from run_chunks where run_id = any(${runIds}) group by run_id`.execute(db);
  return new Map(rows.map(({ runId, ...counts }) => [runId, counts]));
}

function show(run: RunRecord, counts: Counts): Run {
  const rest = run.rowTotal - counts.succeeded - counts.failed;
  const ended = run.finishedAt !== null;
  const rows: RunRowCounts = {
    total: run.rowTotal,
    pending: ended ? 0 : rest - counts.running,
    running: ended ? 0 : counts.running,
    succeeded: counts.succeeded,
    failed: counts.failed,
    canceled: run.state === "canceled" ? rest : 0,
    skipped: ended && run.state !== "canceled" ? rest : 0,
  };
  const finished = counts.succeeded + counts.failed;
  const seconds =
    run.startedAt === null ? 0 : ((run.finishedAt ?? new Date()).getTime() - run.startedAt.getTime()) / 1000;
  const rowsPerSecond = finished === 0 || seconds <= 0 ? null : Number((finished / seconds).toPrecision(3));
  return {
    id: formatId("run", run.id),
    name: run.name,
    state: run.state,
    stateReason: run.stateReason,
    stateReasonMessage: run.stateReason === null ? null : stateReasons[run.stateReason].meaning,
    error: run.error,
    nextSteps: nextStepsOf({
      id: formatId("run", run.id),
      jobSpecId: formatId("jobSpec", run.jobSpecId),
      state: run.state,
      stateReason: run.stateReason,
      failed: counts.failed,
      unfinished: rest,
    }),
    datasetId: formatId("dataset", run.datasetId),
    jobSpecId: formatId("jobSpec", run.jobSpecId),
    jobSpecVersion: run.jobSpecVersion,
    scope: run.scope,
    priority: run.priority,
    concurrency: run.concurrency,
    failurePolicy: run.failurePolicy,
    budget: run.budget,
    execution: showExecution(run),
    deadlineAt: run.deadlineAt?.toISOString() ?? null,
    rows,
    progress: {
      percent: ended ? 100 : round(Math.min(99.9, (finished / run.rowTotal) * 100), 1),
      rowsPerSecond,
      etaSeconds: ended || rowsPerSecond === null || run.state !== "running" ? null : Math.ceil(rest / rowsPerSecond),
    },
    usage: {
      inputTokens: counts.inputTokens,
      outputTokens: counts.outputTokens,
      requests: counts.requests,
      attempts: counts.attempts,
      unpricedRequests: counts.unpricedRequests ?? 0,
      // A part of the costs would pass for all of them.
      costUsd: (counts.unpricedRequests ?? 0) > 0 ? null : showUsd(counts.costUsd),
    },
    parentRunId: formatIdOrNull("run", run.parentRunId),
    rootRunId: formatId("run", run.rootRunId),
    retryNumber: run.retryNumber,
    selection: run.selection,
    metadata: run.metadata,
    createdAt: run.createdAt.toISOString(),
    startedAt: run.startedAt?.toISOString() ?? null,
    finishedAt: run.finishedAt?.toISOString() ?? null,
    updatedAt: run.updatedAt.toISOString(),
  };
}

const showExecution = ({ execution, realTimeSince, batchProblem }: RunRecord): Run["execution"] => ({
  mode: execution?.mode ?? "realtime",
  maxWaitSeconds: execution?.mode === "provider_batch" ? (execution.maxWaitSeconds ?? DEFAULT_MAX_WAIT_SECONDS) : null,
  realTimeSince: realTimeSince?.toISOString() ?? null,
  problem: batchProblem,
});

const round = (value: number, places: number): number => Math.round(value * 10 ** places) / 10 ** places;
