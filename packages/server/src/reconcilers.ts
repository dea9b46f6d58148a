/** Every reconciler of a worker. What they are for: `platform/queue/reconcile.ts`. */
import { reconcileClaimedChunks } from "./engine/chunks/reconcile-chunks.ts";
import { reconcileRuns } from "./engine/lanes/reconcile-runs.ts";
import { reconcileBatches, reconcileSubmittedChunks } from "./engine/provider-batches/reconcile-batches.ts";
import type { Reconciler } from "./platform/queue/reconcile.ts";
import { reconcileBulkActions } from "./resources/bulk-actions/bulk-actions.tasks.ts";
import { reconcileExports } from "./resources/exports/export-claims.ts";
import type { Services } from "./services.ts";

/** Somebody waits for the rows of a run. */
const RUNS_EVERY_MS = 10_000;
/** Of what is untouched for a minute or longer. */
const OTHERS_EVERY_MS = 60_000;

export const reconcilers: readonly Reconciler<Services>[] = [
  { name: "claimed_chunks", everyMs: RUNS_EVERY_MS, reconcile: reconcileClaimedChunks },
  { name: "runs", everyMs: RUNS_EVERY_MS, reconcile: reconcileRuns },
  { name: "provider_batches", everyMs: RUNS_EVERY_MS, reconcile: reconcileBatches },
  { name: "submitted_chunks", everyMs: RUNS_EVERY_MS, reconcile: reconcileSubmittedChunks },
  { name: "exports", everyMs: OTHERS_EVERY_MS, reconcile: reconcileExports },
  { name: "bulk_actions", everyMs: OTHERS_EVERY_MS, reconcile: reconcileBulkActions },
];
