/** The passes of batches. */
import { isUnavailable } from "../../platform/database/database.ts";
import type { OrganizationDatabase } from "../../platform/database/database.ts";
import { forOrganization } from "../../platform/database/tenants.ts";
import { isBatchStep } from "../../processors/provider-batches.ts";
import { isRowOf } from "../../platform/database/row-key.ts";
import type { Job } from "../../platform/queue/queue.ts";
import { createPreparedRuns } from "../lanes/prepared-runs.ts";
import type { PreparedRuns, WithTasks } from "../lanes/prepared-runs.ts";
import type { RunRecord } from "../../resources/runs/runs.ts";
import { beginBatchPass, endBatchPass } from "../../resources/runs/provider-batch-records.ts";
import type { BatchJob, BatchRecord } from "../../resources/runs/provider-batch-records.ts";
import type { BatchPass, BatchPassParts, PassEnd } from "./batch-pass.ts";
import { closeBatch } from "./close-batch.ts";
import { abandonBatch, followBatch, isHopeless } from "./follow-batch.ts";
import { FirstRows } from "./first-row.ts";
import { findLostBatch, submitBatch } from "./submit-batch.ts";
import { pollDelaySeconds, realTimeFrom, waitsUntil } from "../lanes/waiting-times.ts";

/**
 * Turns that a process takes at once. Most look at a batch; a few write or read files of a hundred megabytes, for which others do not wait.
 */
export const BATCHES_AT_ONCE = { places: 5, mostOfOrganization: 2 };
/** What is being sent when the process stops gets this long to arrive: then it need not be looked for. */
const STOP_GRACE_MS = 8_000;

export function createBatchWorker(allParts: WithTasks<BatchPassParts>) {
  const prepared = createPreparedRuns();
  const firstRows = new FirstRows();
  return async (job: Job<BatchJob>): Promise<void> =>
    createPasses(forOrganization(allParts, job.data.organizationId), prepared, firstRows)(job);
}

function createPasses(parts: BatchPassParts, prepared: PreparedRuns, firstRows: FirstRows) {
  return async function performPass(job: Job<BatchJob>): Promise<void> {
    const batch = await beginBatchPass(parts.database, job.id, job.data);
    if (batch === undefined) return;
    const stop = afterGrace(job.stopping);
    const signal = AbortSignal.any([job.signal, stop.signal]);
    try {
      const end = await advance(batch, signal);
      if (end.over) await closeBatch(parts, batch, end);
      else await endBatchPass(parts.database, batch, end, parts.queue);
    } finally {
      stop.forget();
    }
  };

  async function advance(batch: BatchRecord, signal: AbortSignal): Promise<PassEnd> {
    const run = await findRunOf(parts.database, batch);
    const until = run === undefined ? parts.clock.date() : waitsUntil(batch, run);
    try {
      if (run === undefined || run.finishedAt !== null) return await abandon(batch, signal);
      const pass: BatchPass = { parts, batch, run, until, signal, ready: () => prepareBatchStep(parts, prepared, run) };
      return await goOn(pass);
    } catch (error) {
      // The queue gives the job to another worker.
      if (isUnavailable(error) || signal.aborted) throw error;
      parts.log.error({ err: error, runId: batch.runId, batchId: batch.id }, "a pass with a batch failed");
      const failed = { code: "internal_error", message: "The service failed at the batch. Its log says why." };
      if (isHopeless(parts, batch, until)) return { over: true, state: "failed", rest: "real_time", error: failed };
      const seconds = parts.config.ROWMILL_BATCH_POLL_SECONDS;
      const inSeconds = pollDelaySeconds(seconds, batch.failures, { now: parts.clock.date(), until });
      return { over: false, inSeconds, set: { failures: batch.failures + 1 } };
    }
  }

  async function goOn(pass: BatchPass): Promise<PassEnd> {
    const { batch, run, until } = pass;
    if (batch.providerBatchId !== null) return followBatch(pass, batch.providerBatchId);
    const isOverdue = parts.clock.msUntil(until) <= 0;
    if (batch.submitStartedAt !== null) {
      if (isHopeless(parts, batch, until)) return tooLate(parts, run);
      const lost = await findLostBatch(pass);
      // What was begun again begins with the batch as it is now.
      return lost ?? { over: false, inSeconds: 0 };
    }
    // Nothing was sent. When the run goes on, its chunks are put together again.
    if (run.state !== "running" || run.realTimeSince !== null)
      return { over: true, state: "canceled", rest: run.realTimeSince === null ? "batches" : "real_time" };
    return isOverdue ? tooLate(parts, run) : submitBatch(pass, firstRows);
  }

  async function abandon(batch: BatchRecord, signal: AbortSignal): Promise<PassEnd> {
    if (batch.providerBatchId !== null) return abandonBatch(parts, batch, batch.providerBatchId, signal);
    const lost = await findLostBatch({ parts, batch, signal });
    return lost ?? { over: true, state: "canceled", rest: "batches" };
  }
}

async function prepareBatchStep(parts: BatchPassParts, prepared: PreparedRuns, run: RunRecord) {
  const ready = await prepared.of(parts, run);
  ready.follow(run);
  const { step } = ready;
  if (!isBatchStep(step)) throw new Error("a run has a batch, and its rows cannot be sent in one");
  return { ...ready, step };
}

function tooLate({ clock }: Pick<BatchPassParts, "clock">, run: RunRecord): PassEnd {
  const realTime = realTimeFrom(run);
  const isDeadline = realTime !== undefined && clock.msUntil(realTime) <= 0;
  const message = isDeadline
    ? "The rest of the time until the deadline is kept for real time."
    : "The batch could not be submitted in the time that rows wait for one.";
  return {
    over: true,
    state: "failed",
    rest: "real_time",
    error: { code: "provider_timeout", message },
    ...(isDeadline ? { problem: { code: "deadline_near", message } } : {}),
  };
}

const findRunOf = (database: OrganizationDatabase, batch: BatchRecord): Promise<RunRecord | undefined> =>
  database.db
    .selectFrom("runs")
    .selectAll()
    .where(isRowOf("runs", batch, batch.runId))
    .executeTakeFirst();

/** A signal that aborts a little after the process was asked to stop. */
function afterGrace(stopping: AbortSignal): { signal: AbortSignal; forget: () => void } {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const begin = (): void => {
    timer = setTimeout(() => controller.abort(stopping.reason), STOP_GRACE_MS);
  };
  if (stopping.aborted) begin();
  else stopping.addEventListener("abort", begin, { once: true });
  return {
    signal: controller.signal,
    forget: () => {
      clearTimeout(timer);
      stopping.removeEventListener("abort", begin);
    },
  };
}
