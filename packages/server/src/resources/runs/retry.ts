/**
 * Retry runs. The rows of the selection (`retry-selection.ts`) are written chunk by chunk in one statement. The retry runs of a family lock
 * the root run's row one after the other, which also gives each its number.
 */
import type { Operations } from "@rowmill/contract";
import type { Input } from "@rowmill/contract/operation";
import { isTerminal } from "@rowmill/contract/runs";
import type { Selection } from "@rowmill/contract/run-rows";
import type { Run } from "@rowmill/contract/runs";
import { sql } from "kysely";
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
import { selectedChunks } from "./retry-selection.ts";
import { counted } from "./scopes.ts";
import type { ChunkTotals } from "./scopes.ts";

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
