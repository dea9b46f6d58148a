/** The operations of runs. Those that a bulk action does, too, are functions of an id. */
import type { OperationFunction, PrepareFunction } from "../../platform/http/handlers.ts";
import { prepareRun } from "./create-run.ts";
import type { RunParts } from "./create-run.ts";
import { estimateRetry, estimateRun } from "./estimate-run.ts";
import type { EstimateParts } from "./estimate-run.ts";
import { listFailureGroups } from "./failure-groups.ts";
import { listFailures, listOutputs, listResolvedResults, listRunRows } from "./results.ts";
import { prepareRetry } from "./retry.ts";
import { cancelRun, pauseRun, resumeRun } from "./run-actions.ts";
import { listRunEvents } from "./run-events.ts";
import { getRunMap } from "./run-map.ts";
import { deleteRun, getRunLineage, listRuns } from "./runs.ts";
import { prepareUpdate } from "./update-run.ts";
import { getRun } from "./wait-for-run.ts";

/** A dry run estimates what the request would make, and makes nothing. */
const createRun: PrepareFunction<"createRun", EstimateParts> = async (db, caller, { body }, parts) => {
  if (body.dryRun !== true) return prepareRun(db, caller, body, parts);
  const estimate = await estimateRun(db, caller, body, parts);
  return async () => estimate;
};

const retryRun: PrepareFunction<"retryRun", EstimateParts> = async (db, caller, { params, body }, parts) => {
  if (body.dryRun !== true) return prepareRetry(db, caller, params.runId, body, parts);
  const estimate = await estimateRetry(db, caller, params.runId, body, parts);
  return async () => estimate;
};

export const runOperations = {
  createRun: { prepare: createRun },
  listRuns,
  getRun,
  updateRun: { prepare: prepareUpdate },
  deleteRun: (async (tx, caller, { params }) =>
    deleteRun(tx, caller, params.runId)) satisfies OperationFunction<"deleteRun">,
  cancelRun: (async (tx, caller, { params }, parts) =>
    cancelRun(tx, caller, params.runId, parts)) satisfies OperationFunction<"cancelRun", RunParts>,
  pauseRun: (async (tx, caller, { params }) =>
    pauseRun(tx, caller, params.runId)) satisfies OperationFunction<"pauseRun">,
  resumeRun: (async (tx, caller, { params }, parts) =>
    resumeRun(tx, caller, params.runId, parts)) satisfies OperationFunction<"resumeRun", RunParts>,
  retryRun: { prepare: retryRun },
  getRunLineage,
  getRunMap,
  listRunRows,
  listRunEvents,
  listOutputs,
  listFailures,
  listFailureGroups,
  listResolvedResults,
};
