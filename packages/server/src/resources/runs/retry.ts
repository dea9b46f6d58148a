/**
 * Retry runs. A selection chooses among the parent's rows; a row that has succeeded anywhere in the family is chosen only
 * by `rows` and `all`. The choice is written chunk by chunk in one statement; the family takes turns on the root run's row,
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
import type { Transaction } from "../../platform/database/database.ts";
import { ApiError, invalidState } from "../../platform/http/errors.ts";
import { newUuid } from "../../platform/ids.ts";
import { findDataset } from "../datasets/datasets.ts";
import { findUsableVersion } from "../job-specs/job-specs.ts";
import { insertRun } from "./create-run.ts";
import type { RunParts } from "./create-run.ts";
import { laneKindOf } from "./lanes.ts";
import { findRun, lockFamily } from "./runs.ts";
import type { RunRecord } from "./runs.ts";
import { counted, rowIndexes } from "./scopes.ts";

export async function retryRun(
  tx: Transaction,
  parts: RunParts,
  caller: OrganizationCaller,
  runId: string,
  body: Input<Operations["retryRun"]>["body"],
): Promise<Run> {
  const { organizationId } = caller;
  await lockFamily(tx, organizationId, (await findRun(tx, organizationId, runId)).rootRunId);
  // Read again: it may have been deleted before the lock was ours.
  const parent = await findRun(tx, organizationId, runId);
  if (!isTerminal(parent.state)) throw invalidState(`The run is ${parent.state}: only an ended run can be retried.`);
  const { last } = await tx
    .selectFrom("runs")
    .select((eb) => eb.fn.max("retryNumber").as("last"))
    .where("organizationId", "=", organizationId)
    .where("rootRunId", "=", parent.rootRunId)
    .executeTakeFirstOrThrow();
  const dataset = await findDataset(tx, organizationId, parent.datasetId);
  const version = await findUsableVersion(
    tx,
    organizationId,
    parent.jobSpecId,
    body.jobSpecVersion ?? parent.jobSpecVersion,
  );
  const selection = body.selection ?? { type: "unfinished" };
  const id = newUuid();
  return insertRun(tx, parts, caller, {
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
    laneKind: laneKindOf(version),
    insertChunks: async () => {
      const chosen = await insertSelectedChunks(tx, parent, id, selection, dataset.rowCount);
      if (chosen.rowTotal === 0)
        throw new ApiError("nothing_to_retry", `No row of the run is chosen by the selection \`${selection.type}\`.`, {
          param: "selection",
        });
      return chosen;
    },
  });
}

async function insertSelectedChunks(
  tx: Transaction,
  parent: RunRecord,
  runId: string,
  selection: Selection,
  datasetRows: number,
) {
  switch (selection.type) {
    case "all":
      return counted(
        await sql<{ rowCount: number }>`
          insert into run_chunks (organization_id, run_id, chunk_no, first_row, last_row, row_count, picked)
          select organization_id, ${runId}, chunk_no, first_row, last_row, row_count, picked
          from run_chunks where run_id = ${parent.id} returning row_count`.execute(tx),
      );
    case "rows": {
      return insertRows(tx, parent, runId, rowIndexes(selection.rowIds, parent.datasetId, datasetRows, "selection"));
    }
    case "unfinished":
      return insertChosen(tx, parent, runId, sql`c.succeeded < c.row_count`, sql`${notSucceeded(parent)}`);
    case "failures":
      return insertChosen(tx, parent, runId, sql`c.failed > 0`, sql`r.code is not null and ${notSucceeded(parent)}`);
    case "retryable_failures":
      return insertChosen(
        tx,
        parent,
        runId,
        sql`c.failed > 0`,
        sql`r.code is not null and r.retryable and ${notSucceeded(parent)}`,
      );
    case "codes":
      return insertChosen(
        tx,
        parent,
        runId,
        sql`c.failed > 0`,
        sql`r.code = any(${selection.codes}) and ${notSucceeded(parent)}`,
      );
  }
}

/** No run of the family has an output for the row. */
const notSucceeded = (parent: RunRecord): RawBuilder<boolean> => sql`not exists (
  select 1 from runs f join run_results s on s.run_id = f.id
  where f.organization_id = ${parent.organizationId} and f.root_run_id = ${parent.rootRunId}
    and f.deleted_at is null and s.row_index = c.first_row + o.pos and s.code is null)`;

/** Those of the rows that the parent has. */
async function insertRows(tx: Transaction, parent: RunRecord, runId: string, wanted: number[]) {
  return counted(
    await sql<{ rowCount: number }>`
      insert into run_chunks (organization_id, run_id, chunk_no, first_row, last_row, row_count, picked)
      select c.organization_id, ${runId}, c.chunk_no, c.first_row, c.last_row, count(*),
        array_agg((w.row_index - c.first_row)::int order by w.row_index)
      from unnest(${wanted}::bigint[]) w(row_index)
      join lateral (
        select * from run_chunks where run_id = ${parent.id} and last_row >= w.row_index order by last_row limit 1
      ) c on c.first_row <= w.row_index and (c.picked is null or (w.row_index - c.first_row)::int = any(c.picked))
      group by c.organization_id, c.chunk_no, c.first_row, c.last_row
      returning row_count`.execute(tx),
  );
}

/** Rows of the parent's chunks `c` that the condition on a row's position `o.pos` and its result `r` chooses. */
async function insertChosen(
  tx: Transaction,
  parent: RunRecord,
  runId: string,
  chunkCondition: RawBuilder<unknown>,
  rowCondition: RawBuilder<unknown>,
) {
  return counted(
    await sql<{ rowCount: number }>`
      insert into run_chunks (organization_id, run_id, chunk_no, first_row, last_row, row_count, picked)
      select c.organization_id, ${runId}, c.chunk_no, c.first_row, c.last_row, count(*), array_agg(o.pos order by o.pos)
      from run_chunks c
      cross join lateral unnest(coalesce(c.picked, array(select generate_series(0, (c.last_row - c.first_row)::int)))) o(pos)
      left join run_results r on r.run_id = c.run_id and r.row_index = c.first_row + o.pos
      where c.run_id = ${parent.id} and ${chunkCondition} and ${rowCondition}
      group by c.organization_id, c.chunk_no, c.first_row, c.last_row
      returning row_count`.execute(tx),
  );
}
