import type { Handlers, PlainHandlers } from "../../platform/http/handlers.ts";
import { prepareRun } from "./create-run.ts";
import type { RequestParts } from "./create-run.ts";
import { estimateRetry, estimateRun } from "./estimate-run.ts";
import { listFailureGroups } from "./failure-groups.ts";
import { listFailures, listOutputs, listResolvedResults, listRunRows } from "./results.ts";
import { prepareRetry } from "./retry.ts";
import { cancelRun, pauseRun, resumeRun } from "./run-actions.ts";
import { listRunEvents } from "./run-events.ts";
import type { RunFeeds } from "./run-feed.ts";
import { getRunMap } from "./run-map.ts";
import { deleteRun, getRunLineage, listRuns } from "./runs.ts";
import { streamRunEvents } from "./run-stream.ts";
import { prepareUpdate } from "./update-run.ts";
import type { Services } from "../../services.ts";
import { waitForRun } from "./wait-for-run.ts";

/** Events are shown with absolute URLs. */
type Links = Pick<Services, "publicUrl">;

export const runRoutes = (closing: AbortSignal, feeds: RunFeeds, parts: RequestParts & Links) =>
  ({
    createRun: {
      prepare: async (db, caller, { body }) => {
        if (body.dryRun !== true) return prepareRun(db, caller, body, parts);
        const estimate = await estimateRun(db, caller, body, parts);
        return async () => estimate;
      },
    },
    listRuns: (db, caller, { filters, page }) => listRuns(db, caller, filters, page),
    getRun: (db, caller, { params, query }) =>
      waitForRun(db, feeds, caller, params.runId, query.waitSeconds ?? 0, closing),
    updateRun: { prepare: (db, caller, { params, body }) => prepareUpdate(db, caller, params.runId, body, parts) },
    deleteRun: (tx, caller, { params }) => deleteRun(tx, caller, params.runId),
    cancelRun: (tx, caller, { params }) => cancelRun(tx, caller, params.runId, parts),
    pauseRun: (tx, caller, { params }) => pauseRun(tx, caller, params.runId, parts),
    resumeRun: (tx, caller, { params }) => resumeRun(tx, caller, params.runId, parts),
    retryRun: {
      prepare: async (db, caller, { params, body }) => {
        if (body.dryRun !== true) return prepareRetry(db, caller, params.runId, body, parts);
        const estimate = await estimateRetry(db, caller, params.runId, body, parts);
        return async () => estimate;
      },
    },
    getRunLineage: (db, caller, { params }) => getRunLineage(db, caller, params.runId),
    getRunMap: (db, caller, { params, query }) => getRunMap(db, caller, params.runId, query.cells),
    listRunRows: (db, caller, input) => listRunRows(db, caller, input),
    listRunEvents: (db, caller, { params, filters, page }) =>
      listRunEvents(db, caller, params.runId, filters, page, parts.publicUrl()),
    listOutputs: (db, caller, input) => listOutputs(db, caller, input),
    listFailures: (db, caller, input) => listFailures(db, caller, input),
    listFailureGroups: (db, caller, input) => listFailureGroups(db, caller, input),
    listResolvedResults: (db, caller, input) => listResolvedResults(db, caller, input),
  }) satisfies Partial<Handlers>;

export const runPlainRoutes = (closing: AbortSignal, feeds: RunFeeds, { publicUrl }: Links) =>
  ({
    streamRunEvents: ({ db }, request, reply, caller, params) =>
      streamRunEvents(db, feeds, request, reply, caller, params.runId, publicUrl(), closing),
  }) satisfies Partial<PlainHandlers>;
