/**
 * Retry runs. A selection chooses among the parent's rows; a row that has succeeded anywhere in the family is chosen only
 * by `rows` and `all`. The choice is written chunk by chunk in one statement; those of a family lock the root run's row one after the other,
 * which also gives each retry run its number.
 */
import type { Operations } from "@rowmill/contract";
import type { Input } from "@rowmill/contract/operation";
import { isTerminal } from "@rowmill/contract/runs";
import type { Selection } from "@rowmill/contract/run-rows";
import type { Run } from "@rowmill/contract/runs";
import { sql } from "kysely";
import type { RawBuilder } from "kysely";
import type { OrganizationCaller } from "../../platform/auth/caller.ts";
import type { Queryable, Transaction } from "../../platform/database/database.ts";
import { isDistributed } from "../../platform/database/distribution-marks.ts";
import { ApiError, invalidState } from "../../platform/http/errors.ts";
import { newUuid } from "../../platform/ids.ts";
import { columnNamesOf, findDataset } from "../datasets/datasets.ts";
import { findUsableVersion } from "../job-specs/job-specs.ts";
import { checkReferences } from "../job-specs/template-references.ts";
import { checkBudgetPrices } from "./budget-prices.ts";
import { executionOf, insertRun, processorIn } from "./create-run.ts";
import type { RequestParts, RunParts } from "./create-run.ts";
import { laneKindOf } from "./lanes.ts";
import { findRun, lockFamily } from "./runs.ts";
import type { RunRecord } from "./runs.ts";
import { insertPickedChunks } from "./filter-scope.ts";
import { pickOnCluster } from "./pick-on-cluster.ts";
import { counted, rowIndexes } from "./scopes.ts";
import type { ChunkTotals } from "./scopes.ts";
import { succeededPositions } from "./stored-results/result-sql.ts";

export const DEFAULT_SELECTION: Selection = { type: "unfinished" };

export function checkRetryable({ state }: RunRecord): void {
  if (!isTerminal(state)) throw invalidState(`The run is ${state}: only an ended run can be retried.`);
}

export const nothingToRetry = ({ type }: Selection): ApiError =>
  new ApiError("nothing_to_retry", `No row of the run is chosen by the selection \`${type}\`.`, { param: "selection" });

/** Finds out whether a budget could be kept. */
export async function prepareRetry(
  db: Queryable,
  caller: OrganizationCaller,
  runId: string,
  body: Input<Operations["retryRun"]>["body"],
  parts: RequestParts,
): Promise<(tx: Transaction) => Promise<Run>> {
  await parts.freeSpace.check();
  if (body.budget !== undefined) {
    const { organizationId } = caller;
    const parent = await findRun(db, caller, runId);
    const number = body.jobSpecVersion ?? parent.jobSpecVersion;
    await checkBudgetPrices(parts.processors, await findUsableVersion(db, organizationId, parent.jobSpecId, number));
  }
  return (tx) => retryRun(tx, caller, runId, body, parts);
}

async function retryRun(
  tx: Transaction,
  caller: OrganizationCaller,
  runId: string,
  body: Input<Operations["retryRun"]>["body"],
  parts: RunParts,
): Promise<Run> {
  const { organizationId } = caller;
  await lockFamily(tx, organizationId, (await findRun(tx, caller, runId)).rootRunId);
  // Read again: it may have been deleted before the lock was ours.
  const parent = await findRun(tx, caller, runId);
  checkRetryable(parent);
  const { last } = await tx
    .selectFrom("runs")
    .select((eb) => eb.fn.max("retryNumber").as("last"))
    .where("organizationId", "=", organizationId)
    .where("rootRunId", "=", parent.rootRunId)
    .executeTakeFirstOrThrow();
  const dataset = await findDataset(tx, caller, parent.datasetId);
  const version = await findUsableVersion(
    tx,
    organizationId,
    parent.jobSpecId,
    body.jobSpecVersion ?? parent.jobSpecVersion,
  );
  checkReferences(processorIn(version), columnNamesOf(dataset));
  const selection = body.selection ?? DEFAULT_SELECTION;
  const id = newUuid();
  return insertRun(
    tx,
    caller,
    {
      id,
      datasetId: parent.datasetId,
      jobSpecId: parent.jobSpecId,
      jobSpecVersion: version.version,
      scope: parent.scope,
      selection,
      parentRunId: parent.id,
      rootRunId: parent.rootRunId,
      retryNumber: last + 1,
      options: body,
      defaultConcurrency: version.concurrency,
      defaultFailurePolicy: version.failurePolicy,
      execution: executionOf(version, body.execution),
      laneKind: laneKindOf(version),
      insertChunks: async () => {
        const chosen = await insertSelectedChunks(tx, parent, id, selection, dataset.rowCount);
        if (chosen.rowTotal === 0) throw nothingToRetry(selection);
        return chosen;
      },
    },
    parts,
  );
}

async function insertSelectedChunks(
  tx: Transaction,
  parent: RunRecord,
  runId: string,
  selection: Selection,
  datasetRows: number,
): Promise<ChunkTotals> {
  if (isDistributed(tx) && selection.type !== "all" && selection.type !== "rows") {
    const { organizationId, datasetId } = parent;
    const picked = await pickOnCluster(tx, parent, selection);
    return {
      ...(await insertPickedChunks(tx, { organizationId, runId, dataset: { id: datasetId } }, picked)),
      chunksMade: true,
    };
  }
  return counted(
    await sql<{ rowCount: number }>`
      insert into run_chunks (organization_id, run_id, chunk_no, first_row, last_row, row_count, picked)
      select ${parent.organizationId}, ${runId}, s.chunk_no, s.first_row, s.last_row, s.row_count, s.picked
      from (${selectedChunks(parent, selection, datasetRows)}) s
      returning row_count`.execute(tx),
  );
}

/** Statement: the parent's chunks that have rows of the selection, with these rows. */
export function selectedChunks(
  parent: RunRecord,
  selection: Selection,
  datasetRows: number,
): RawBuilder<Record<string, unknown>> {
  switch (selection.type) {
    case "all":
      return sql`select chunk_no, first_row, last_row, row_count, picked from run_chunks where run_id = ${parent.id}`;
    case "rows":
      return chunksOfRows(parent, rowIndexes(selection.rowIds, parent.datasetId, datasetRows, "selection"));
    case "unfinished":
      return chunksOfChosen(parent, sql`c.succeeded < c.row_count`, sql`true`);
    case "failures":
      return chunksOfChosen(parent, sql`c.failed > 0`, sql`bool_or(m.code is not null)`);
    case "retryable_failures":
      return chunksOfChosen(parent, sql`c.failed > 0`, sql`bool_or(m.code is not null and m.retryable)`);
    case "codes":
      return chunksOfChosen(parent, sql`c.failed > 0`, sql`bool_or(m.code = any(${selection.codes}))`);
  }
}

/** Those of the rows that the parent has. */
const chunksOfRows = (parent: RunRecord, wanted: number[]): RawBuilder<Record<string, unknown>> => sql`
  select c.chunk_no, c.first_row, c.last_row, count(*) as row_count,
    array_agg((w.row_index - c.first_row)::int order by w.row_index) as picked
  from unnest(${wanted}::bigint[]) w(row_index)
  join lateral (
    select * from run_chunks where run_id = ${parent.id} and last_row >= w.row_index order by last_row limit 1
  ) c on c.first_row <= w.row_index and (c.picked is null or (w.row_index - c.first_row)::int = any(c.picked))
  group by c.chunk_no, c.first_row, c.last_row`;

/**
 * Rows of the parent's chunks `c` that no run of the family has an output for, and that the condition on the marks `m` of a
 * row chooses. Marks are the rows that the parent has, its failures, and the family's outputs, each found by a range of an
 * index and then grouped. A join would be at the mercy of statistics, which a run of this minute does not have yet.
 */
const chunksOfChosen = (
  parent: RunRecord,
  chunkCondition: RawBuilder<unknown>,
  rowCondition: RawBuilder<unknown>,
): RawBuilder<Record<string, unknown>> => sql`
  select c.chunk_no, c.first_row, c.last_row, chosen.row_count, chosen.picked
  from (
    select array_agg(id) as ids from runs
    where organization_id = ${parent.organizationId} and root_run_id = ${parent.rootRunId} and deleted_at is null) family
  cross join run_chunks c
  cross join lateral (
    select count(*) as row_count, array_agg(p.pos order by p.pos) as picked
    from (
      select m.pos from (
        select o.pos, 'row' as mark, null::text as code, null::boolean as retryable
        from unnest(coalesce(c.picked, array(select generate_series(0, (c.last_row - c.first_row)::int)))) o(pos)
        union all
        select (f.row_index - c.first_row)::int, 'failure', f.code, f.retryable from run_failures f
        where f.run_id = ${parent.id} and f.row_index between c.first_row and c.last_row
        union all
        select s.pos, 'output', null, null from (${sql.raw(succeededPositions("family.ids", "c"))}) s
      ) m
      group by m.pos
      having bool_or(m.mark = 'row') and not bool_or(m.mark = 'output') and ${rowCondition}
    ) p
  ) chosen
  where c.run_id = ${parent.id} and ${chunkCondition} and chosen.row_count > 0`;
