/** Follows a batch at its provider to its end, and records its responses. */
import { join } from "node:path";
import { listenedTypes } from "../../resources/events/events.ts";
import { ROW_EVENT_TYPES } from "../chunks/commit-results.ts";
import { settleBatch } from "../../resources/runs/run-budgets.ts";
import { checkPolicies } from "../policies/run-policies.ts";
import type { BatchProgress } from "../../processors/provider-batches.ts";
import { openResponseFiles } from "./response-files.ts";
import { inBatchDirectory } from "./batch-directories.ts";
import { lockPass, updateBatch } from "../../resources/runs/provider-batch-records.ts";
import { asError, endpointOf, rowOfCustomId, withoutConnection } from "./batch-pass.ts";
import type { BatchEndpoint, BatchPass, BatchPassParts, PassEnd } from "./batch-pass.ts";
import type { BatchRecord } from "../../resources/runs/provider-batch-records.ts";
import { recordChunk } from "./record-responses.ts";
import { readChunksOf } from "./request-file.ts";
import { refusedEnd, tryLater } from "./submit-batch.ts";
import { CANCEL_WAIT_MS, pollDelaySeconds } from "../lanes/waiting-times.ts";

/** A provider that does not know a batch so often has lost it, or the key is one of another account now. */
const MAX_TIMES_UNKNOWN = 3;
/** Calls in a row that gave nothing, in and beyond the time that a batch is waited for. */
const MAX_FAILURES = 5;
/** Readings of files that lack responses which the provider reports as given. */
const MAX_READINGS = 4;
/** A batch of a run that has ended is to be canceled; who cannot be reached for this long has let it end by itself. */
const ABANDON_CANCELING_MS = 2 * 86_400_000;

export async function followBatch(pass: BatchPass, providerBatchId: string): Promise<PassEnd> {
  const { parts, batch, until, signal } = pass;
  const endpoint = await endpointOf(parts, batch);
  if (endpoint === undefined) return withoutConnection();
  const isOverdue = parts.clock.msUntil(until) <= 0;
  const read = await endpoint.api.progress(providerBatchId, signal);
  if (!read.ok) {
    const { kind, message, retryAfterMs } = read.failure;
    parts.log.warn({ runId: batch.runId, batchId: batch.id, reason: message }, "a batch could not be looked at");
    if (read.failure.isUnasked) return nextLook(pass);
    if (kind === "unsupported" && batch.failures + 1 >= MAX_TIMES_UNKNOWN)
      return abandoned(`The provider does not know the batch any more. ${message}`);
    if (isHopeless(parts, batch, until)) return abandoned(message);
    return waitFurther(pass, retryAfterMs);
  }
  const progress = read.value;
  switch (progress.state) {
    case "ended":
      return takeIn(pass, endpoint, progress);
    case "failed": {
      const failure = progress.failure ?? { kind: "refused", code: "provider_error", message: "The batch has failed." };
      parts.log.warn({ runId: batch.runId, batchId: batch.id, reason: failure.message }, "a batch has failed");
      // Nothing of it was done, and nothing paid.
      if (failure.kind !== "passing") return refusedEnd(failure);
      return isOverdue ? abandoned(failure.message) : submitAgain(pass);
    }
    case "working":
      if (isOverdue && batch.cancelRequestedAt === null) return cancelInTime(pass, endpoint, providerBatchId);
      if (batch.cancelRequestedAt !== null && parts.clock.msUntil(batch.cancelRequestedAt) <= -CANCEL_WAIT_MS)
        return abandoned("The provider has not canceled the batch in time.");
      return { ...nextLook(pass), set: { polls: batch.polls + 1, failures: 0 } };
  }
}

/** The run has ended: nothing is recorded any more, and the provider is asked to do no more. */
export async function abandonBatch(
  parts: BatchPassParts,
  batch: BatchRecord,
  providerBatchId: string,
  signal: AbortSignal,
): Promise<PassEnd> {
  const over: PassEnd = { over: true, state: "canceled", rest: "batches" };
  const endpoint = await endpointOf(parts, batch);
  if (endpoint === undefined) return over;
  const canceled = await endpoint.api.cancel(providerBatchId, signal);
  // Refused: it has ended by itself, or is not there.
  if (canceled.ok || canceled.failure.kind === "unsupported") return over;
  const { kind, code, message, retryAfterMs } = canceled.failure;
  if (kind === "refused" && code !== "provider_auth_failed") return over;
  parts.log.warn({ runId: batch.runId, batchId: batch.id, reason: message }, "a batch could not be canceled");
  const until = new Date((batch.cancelRequestedAt ?? batch.createdAt).getTime() + ABANDON_CANCELING_MS);
  if (parts.clock.msUntil(until) <= 0) return { ...over, error: asError(canceled.failure) };
  const seconds = parts.config.ROWMILL_BATCH_POLL_SECONDS;
  const inSeconds = pollDelaySeconds(seconds, batch.failures, { now: parts.clock.date(), until, retryAfterMs });
  return { over: false, inSeconds, set: { failures: batch.failures + 1 } };
}

/** What is finished by now is taken, the rest goes on in real time. */
async function cancelInTime(pass: BatchPass, { api }: BatchEndpoint, providerBatchId: string): Promise<PassEnd> {
  const { parts, batch, signal } = pass;
  const canceled = await api.cancel(providerBatchId, signal);
  // If it is refused, the batch has most likely just ended: the next look shows it.
  if (!canceled.ok && canceled.failure.isUnasked) return nextLook(pass);
  if (!canceled.ok && canceled.failure.kind !== "refused" && canceled.failure.kind !== "unsupported")
    return waitFurther(pass, canceled.failure.retryAfterMs);
  await updateBatch(parts.database.db, batch, { cancelRequestedAt: parts.clock.date() });
  return { ...nextLook({ ...pass, batch: { ...batch, polls: 0 } }), set: { polls: 0, failures: 0 } };
}

async function takeIn(
  pass: BatchPass,
  { api }: BatchEndpoint,
  { files, responses: expected }: BatchProgress,
): Promise<PassEnd> {
  const { parts, batch, run, signal } = pass;
  return inBatchDirectory(parts.config.ROWMILL_DATA_DIR, batch, async (directory) => {
    const paths: string[] = [];
    // A provider may name a file that it does not have, where nothing is in it.
    let isMissing = false;
    for (const [number, file] of files.entries()) {
      const path = join(directory, `responses-${number}.jsonl`);
      const downloaded = await api.download(file, path, signal);
      if (downloaded.ok) paths.push(path);
      else {
        const { kind, message, retryAfterMs } = downloaded.failure;
        parts.log.warn({ runId: run.id, batchId: batch.id, reason: message }, "responses of a batch could not be read");
        if (downloaded.failure.isUnasked) return nextLook(pass);
        if (kind !== "unsupported")
          return isHopeless(parts, batch, pass.until) ? abandoned(message) : waitFurther(pass, retryAfterMs);
        isMissing = true;
      }
    }
    const read = await openResponseFiles(paths, api, (customId) => rowOfCustomId(batch, customId));
    try {
      const { counts } = read;
      // A page of a proxy, half a file: what is paid for and not read would be paid for again.
      if ((isMissing || counts.responses < expected) && batch.readings + 1 < MAX_READINGS) {
        parts.log.warn({ runId: run.id, batchId: batch.id, expected, ...counts }, "responses of a batch are missing");
        const { polls, readings } = batch;
        return { ...nextLook(pass), set: { polls: polls + 1, failures: 0, readings: readings + 1 } };
      }
      const ready = await pass.ready();
      const listened = await listenedTypes(parts.database.db, run.organizationId, ROW_EVENT_TYPES);
      for (const chunk of await readChunksOf(pass)) {
        const recording = { parts, batch, run, ready, step: ready.step, listened };
        // The run has ended, or another pass has begun: that one does the rest.
        if (!(await recordChunk(recording, chunk, read, signal))) return { over: false, inSeconds: 0 };
        // Paused or not, the rest is paid for as well.
        await checkPolicies(parts.database, run, ready.watch, parts);
      }
      parts.log.info({ runId: run.id, batchId: batch.id, ...counts }, "the responses of a batch are recorded");
      return { over: true, state: "ended", rest: "real_time" };
    } finally {
      await read.close();
    }
  });
}

/** The provider had no room for it. It is made again, under the same name, when there may be some. */
async function submitAgain(pass: BatchPass): Promise<PassEnd> {
  const { parts, batch } = pass;
  await parts.database.transaction(async (tx) => {
    if (!(await lockPass(tx, batch))) return;
    await settleBatch(tx, { organizationId: batch.organizationId, id: batch.runId }, batch.id, 0n, true);
    await updateBatch(tx, batch, {
      state: "preparing",
      providerBatchId: null,
      submitStartedAt: null,
      submittedAt: null,
    });
  });
  return tryLater(pass);
}

/** After an outage of hours, ours or theirs, the first calls may fail: paid results are not abandoned because of that. */
export function isHopeless(
  { clock }: Pick<BatchPassParts, "clock">,
  { cancelRequestedAt, failures }: Pick<BatchRecord, "cancelRequestedAt" | "failures">,
  until: Date,
): boolean {
  return failures >= MAX_FAILURES && clock.msUntil(cancelRequestedAt ?? until) <= -CANCEL_WAIT_MS;
}

const abandoned = (message: string): PassEnd => ({
  over: true,
  state: "failed",
  rest: "real_time",
  error: { code: "provider_timeout", message },
});

function nextLook({ parts, batch, until }: BatchPass, retryAfterMs?: number): { over: false; inSeconds: number } {
  const seconds = parts.config.ROWMILL_BATCH_POLL_SECONDS;
  return {
    over: false,
    inSeconds: pollDelaySeconds(seconds, batch.polls, { now: parts.clock.date(), until, retryAfterMs }),
  };
}

function waitFurther(pass: BatchPass, retryAfterMs?: number): PassEnd {
  const { polls, failures } = pass.batch;
  return { ...nextLook(pass, retryAfterMs), set: { polls: polls + 1, failures: failures + 1 } };
}
