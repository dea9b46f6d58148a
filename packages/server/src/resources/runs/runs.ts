/** Runs as records: found, locked, listed, deleted, and counted. */
import { isTerminal, runStates } from "@rowmill/contract/runs";
import type { Run } from "@rowmill/contract/runs";
import { sql } from "kysely";
import type { Selectable } from "kysely";
import type { OrganizationCaller } from "../../platform/auth/caller.ts";
import type { Queryable, Transaction } from "../../platform/database/database.ts";
import { prepared } from "../../platform/database/prepared.ts";
import type { FinalCounts, RunsTable } from "../../platform/database/run-tables.ts";
import { isRowOf } from "../../platform/database/row-key.ts";
import type { Owned } from "../../platform/database/row-key.ts";
import { ApiError, invalidState, notFound } from "../../platform/http/errors.ts";
import type { OperationFunction } from "../../platform/http/handlers.ts";
import { isAsked, readLabelled } from "../../platform/http/labelled.ts";
import { readNewest, rowsOf } from "../../platform/http/newest-first.ts";
import { formatId } from "../../platform/ids.ts";
import { resource } from "../resource.ts";
import { recordAudit } from "../audit-events/audit-events.ts";
import { showCounted } from "./show-run.ts";
import type { RunCounts } from "./show-run.ts";
import { sharedNow } from "../../platform/shared-time.ts";

export type RunRecord = Selectable<RunsTable>;

/** `scope` and `selection` may have ten thousand ids of rows. */
const large = ["scope", "selection", "metadata"] as const;

const runs = resource("runs", { noun: "run", deletedIn: "deletedAt", large });

export async function findRun(db: Queryable, owner: Owned, id: string): Promise<RunRecord> {
  const run = await findRunIfThere(db, owner, id);
  if (!run) throw notFound("run");
  return run;
}

/** Undefined where it is not, or no longer, there. */
export async function findRunIfThere(
  db: Queryable,
  { organizationId }: Owned,
  id: string,
): Promise<RunRecord | undefined> {
  const [row] = await selectRun(db, { organizationId, id });
  return row;
}

/** By name: a prepared statement with `*` would fail once a newer version of the service has added a column. */
export const runColumns = [
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

/**
 * The run, locked until the transaction ends. Before its chunks, batches, budget and exports: "The order of locks" in
 * `docs/architecture.md`.
 */
export const lockRun = runs.lock;
/** Of a locked run; members without a value stay as they are. */
export const changeRun = runs.update;

/** Retries and deletions within a family run one after the other. */
export async function lockFamily(tx: Transaction, organizationId: string, rootRunId: string): Promise<void> {
  await sql`select 1 from runs where ${isRowOf("runs", { organizationId }, rootRunId)} for update`.execute(tx);
}

export const listRuns: OperationFunction<"listRuns"> = async (db, caller, { filters, page }) => {
  const { organizationId } = caller;
  const { state, datasetId, jobSpecId, apiKeyId, createdAfter, createdBefore } = filters;
  const also = sql.join(
    [
      sql`t.deleted_at is null`,
      isAsked("t", filters),
      ...(state === undefined ? [] : [sql`t.state = any(${state})`]),
      ...(datasetId === undefined ? [] : [sql`t.dataset_id = ${datasetId}`]),
      ...(jobSpecId === undefined ? [] : [sql`t.job_spec_id = ${jobSpecId}`]),
      ...(apiKeyId === undefined ? [] : [sql`t.api_key_id = ${apiKeyId}`]),
    ],
    sql` and `,
  );
  const isFiltered = [state, datasetId, jobSpecId, apiKeyId].some((value) => value !== undefined);
  const { rows, next } =
    (await readLabelled(db, organizationId, "run", filters, page, (ids, limit) =>
      rowsOf<RunRecord>("runs", organizationId, ids, { also, large, limit }),
    )) ??
    (await readNewest(
      db,
      {
        table: "runs",
        organizationId,
        large,
        only: sql`t.deleted_at is null`,
        is: { apiKeyId, datasetId, jobSpecId },
        in: isFiltered ? { state: state ?? runStates } : {},
        createdAfter,
        createdBefore,
      },
      page,
    ));
  return { data: await showRuns(db, rows), next };
};

/** A family of hundreds of runs is deleted by a bulk action or a program; a person reads the first of them. */
const MAX_NAMED_RETRIES = 10;

/** Each builds on those before it, so that the order is a part of what is to be done. */
async function refuseWithRetries(tx: Transaction, run: RunRecord): Promise<void> {
  const retries = await tx
    .selectFrom("runs")
    .select("id")
    .where("organizationId", "=", run.organizationId)
    .where("rootRunId", "=", run.rootRunId)
    .where("retryNumber", ">", run.retryNumber)
    .where("deletedAt", "is", null)
    .orderBy("retryNumber", "desc")
    .execute();
  if (retries.length === 0) return;
  const names = retries.slice(0, MAX_NAMED_RETRIES).map(({ id }) => formatId("run", id));
  const others = retries.length > names.length ? `, and ${retries.length - names.length} older` : "";
  throw new ApiError(
    "resource_in_use",
    retries.length === 1
      ? `The retry run ${names.join()} builds on this run: delete it first.`
      : `${retries.length} retry runs build on this run: delete them first, in this order: ${names.join(", ")}${others}.`,
  );
}

/** Hides the run at once; its results are deleted by a periodic task. */
export async function deleteRun(tx: Transaction, caller: OrganizationCaller, id: string): Promise<undefined> {
  const { organizationId } = caller;
  const { rootRunId } = await findRun(tx, caller, id);
  // Retries of the family are made under this lock: none may begin to build on a run that is being deleted.
  await lockFamily(tx, organizationId, rootRunId);
  const run = await lockRun(tx, caller, id);
  if (run.state === "canceling") throw invalidState("The run is still being canceled: delete it when it has ended.");
  if (!isTerminal(run.state)) throw invalidState(`The run is ${run.state}: cancel it first.`);
  await refuseWithRetries(tx, run);
  await tx
    .updateTable("runs")
    .set({ deletedAt: sharedNow() })
    .where(isRowOf("runs", caller, id))
    .execute();
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
    runs: shown.map(({ id, parentRunId, retryNumber, selection, state, rows, apiKeyId }) => ({
      id,
      parentRunId,
      retryNumber,
      selection,
      state,
      rows,
      apiKeyId,
    })),
  };
};

export async function showRun(db: Queryable, run: RunRecord): Promise<Run> {
  const [shown] = await showRuns(db, [run]);
  if (!shown) throw new Error("a run was not shown");
  return shown;
}

export async function showRuns(db: Queryable, runs: RunRecord[]): Promise<Run[]> {
  const counts = await countRuns(
    db,
    // Of those that wait there may be many, and there is nothing to count.
    runs.filter((run) => run.finalCounts === null && run.startedAt !== null).map((run) => run.id),
  );
  const archived = await findArchivedSpecs(db, runs.filter(mayNeedJobSpec));
  return runs.map((run) =>
    showCounted(
      run,
      counts.get(run.id) ?? { ...(run.finalCounts ?? noCounts), running: 0 },
      archived.has(run.jobSpecId),
    ),
  );
}

/** What can be done about it depends on whether its job spec takes versions and runs. */
const mayNeedJobSpec = ({ state, stateReason, error, finishedAt }: RunRecord): boolean =>
  stateReason === "breaker_open" || error !== null || (finishedAt !== null && state !== "succeeded");

async function findArchivedSpecs(db: Queryable, runs: readonly RunRecord[]): Promise<ReadonlySet<string>> {
  const [first] = runs;
  if (first === undefined) return new Set();
  const specs = await db
    .selectFrom("jobSpecs")
    .select("id")
    .where("organizationId", "=", first.organizationId)
    .where("id", "in", [...new Set(runs.map(({ jobSpecId }) => jobSpecId))])
    .where("archivedAt", "is not", null)
    .execute();
  return new Set(specs.map(({ id }) => id));
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
export async function countRuns(db: Queryable, runIds: string[]): Promise<Map<string, RunCounts>> {
  if (runIds.length === 0) return new Map();
  const { rows } = await sql<RunCounts & { runId: string }>`
    select run_id, now() as counted_at,
      coalesce(sum(succeeded), 0)::bigint as succeeded, coalesce(sum(failed), 0)::bigint as failed,
      coalesce(sum(least(row_count - succeeded - failed, case when state = 'running' then coalesce(cardinality(in_flight), 0) end))
        filter (where state in ('running', 'submitted')), 0)::bigint as running,
      coalesce(sum(attempts), 0)::bigint as attempts, coalesce(sum(input_tokens), 0)::bigint as input_tokens,
      coalesce(sum(output_tokens), 0)::bigint as output_tokens, coalesce(sum(requests), 0)::bigint as requests,
      coalesce(sum(cost_usd), 0)::text as cost_usd, coalesce(sum(unpriced_requests), 0)::bigint as unpriced_requests
    from run_chunks where run_id = any(${runIds}) group by run_id`.execute(db);
  return new Map(rows.map(({ runId, ...counts }) => [runId, counts]));
}
