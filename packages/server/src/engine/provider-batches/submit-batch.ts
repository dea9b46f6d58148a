/**
 * Brings a batch to its provider. What a crash does at each step is said in docs/decisions/0009-provider-batches.md:
 *
 *   one row in real time ──► file of requests ──► money set aside ──► upload ──► submit_started_at ──► batch made ──► its id kept
 *   \___________________ begun again by the next pass __________________________/ \___ looked for at the provider ___/
 */
import { sql } from "kysely";
import { join } from "node:path";
import { formatUsd } from "../../platform/usd.ts";
import { MAX_BATCH_BYTES, MAX_BATCH_REQUESTS } from "../../processors/provider-batches.ts";
import type { BatchFailure } from "../../processors/provider-batches.ts";
import { reserveForBatch, readBudgetRoom, settleBatch } from "../../resources/runs/run-budgets.ts";
import { stopForBudget } from "../policies/run-policies.ts";
import { inBatchDirectory } from "./batch-directories.ts";
import { lockPass, noteSubmitted, releaseChunks, updateBatch } from "../../resources/runs/provider-batch-records.ts";
import { asError, customIdOf, endpointOf, withoutConnection } from "./batch-pass.ts";
import type { BatchEndpoint, BatchPass, PassEnd } from "./batch-pass.ts";
import { fillLanes, lockRunOf } from "./close-batch.ts";
import type { FirstRows } from "./first-row.ts";
import { buildRequestFile, readChunksOf } from "./request-file.ts";
import type { BuiltFile } from "./request-file.ts";
import { pollDelaySeconds } from "../lanes/waiting-times.ts";
import { storableJson } from "../../platform/text.ts";
import { isRowOf } from "../../platform/database/row-key.ts";

/** How soon the provider is asked for a batch that it may have; it shows a new one at once. */
const FIRST_LOOK_SECONDS = 2;
/** Beyond the time of the call itself: for a process that stood still between two statements. */
const STANDSTILL_MS = 30_000;

export async function submitBatch(pass: BatchPass, firstRows: FirstRows): Promise<PassEnd> {
  const { parts, batch, signal } = pass;
  const endpoint = await endpointOf(parts, batch);
  if (endpoint === undefined) return withoutConnection();
  const chunks = await readChunksOf(pass);
  const refusal = await firstRows.tryOnce(pass, chunks);
  if (refusal === "postponed") {
    await stopForBudget(parts.database, pass.run);
    return { over: true, state: "canceled", rest: "batches" };
  }
  if (refusal === "later") return tryLater(pass);
  if (refusal !== undefined) return refusedEnd(refusal);
  return inBatchDirectory(parts.config.ROWMILL_DATA_DIR, batch, async (directory) => {
    const ready = await pass.ready();
    const room = pass.run.budget === null ? undefined : await readBudgetRoom(parts.database, pass.run, batch.id);
    const file = await buildRequestFile(
      {
        client: parts.database.statements,
        run: pass.run,
        ready,
        step: ready.step,
        api: endpoint.api,
        customIdOf: (index) => customIdOf(batch, index),
      },
      chunks,
      join(directory, "requests.jsonl"),
      { requests: batch.mostRequests ?? MAX_BATCH_REQUESTS, bytes: MAX_BATCH_BYTES, costUsd: room?.room },
      signal,
    );
    if (file.requests === 0 && file.stoppedBy === "costUsd" && room?.isWaiting === true) return tryLater(pass);
    if (!(await settleContents(pass, file))) return tryLater(pass);
    if (file.requests === 0) return { over: true, state: "canceled", rest: "batches" };
    return send(pass, endpoint, file);
  });
}

/** Finds out what became of a submission that nobody has seen end. Undefined: it does not exist, and is to be made again. */
export async function findLostBatch(pass: Pick<BatchPass, "parts" | "batch" | "signal">): Promise<PassEnd | undefined> {
  const { parts, batch, signal } = pass;
  const { submitStartedAt: begunAt } = batch;
  if (begunAt === null) return undefined;
  const endpoint = await endpointOf(parts, batch);
  if (endpoint === undefined) return withoutConnection();
  const { api } = endpoint;
  const isKnown = async (ids: string[]): Promise<Set<string>> => {
    // Of any organization: several may share an account.
    const rows = await parts.database.db
      .selectFrom("providerBatches")
      .select("providerBatchId")
      .where("providerBatchId", "in", ids.length === 0 ? [""] : ids)
      .execute();
    return new Set(rows.flatMap(({ providerBatchId }) => providerBatchId ?? []));
  };
  const found = await api.find({ batchId: batch.id, requests: batch.requests, begunAt, isKnown }, signal);
  if (found.ok && found.value !== undefined) {
    await noteSubmitted(parts.database, batch, found.value);
    parts.log.info({ runId: batch.runId, batchId: batch.id }, "a batch was found again at its provider");
    return { over: false, inSeconds: 0 };
  }
  const goneAt = new Date(begunAt.getTime() + api.submissionMs + STANDSTILL_MS);
  const canList = found.ok || found.failure.kind === "unsupported";
  if (canList && parts.clock.msUntil(goneAt) <= 0) {
    if (!found.ok)
      parts.log.warn({ runId: batch.runId, batchId: batch.id }, "a provider lists no batches: one may be made twice");
    await updateBatch(parts.database.db, batch, { submitStartedAt: null });
    return undefined;
  }
  const inSeconds = pollDelaySeconds(FIRST_LOOK_SECONDS, batch.failures, { now: parts.clock.date(), until: goneAt });
  const isUnasked = !found.ok && found.failure.isUnasked === true;
  return { over: false, inSeconds, set: { failures: batch.failures + (isUnasked ? 0 : 1) } };
}

/** Sets the money aside, and releases chunks that are not in the file. False: the money is gone, or the pass. */
async function settleContents({ parts, batch }: BatchPass, file: BuiltFile): Promise<boolean> {
  return parts.database.transaction(async (tx) => {
    const run = await lockRunOf(tx, batch);
    if (run === undefined || run.finishedAt !== null || !(await lockPass(tx, batch))) return false;
    if (file.requests > 0 && !(await reserveForBatch(tx, run, batch.id, file.highestCost))) return false;
    await releaseChunks(tx, batch, "real_time", file.empty);
    // A chunk that is too large for any batch would be the first of each.
    const [first, ...others] = file.rest;
    const isTooLarge = file.requests === 0 && file.empty.length === 0 && first !== undefined;
    await releaseChunks(tx, batch, "batches", isTooLarge ? others : file.rest);
    if (isTooLarge) await releaseChunks(tx, batch, "real_time", [first]);
    await updateBatch(tx, batch, {
      requests: file.requests,
      requestBytes: file.bytes,
      reservedUsd: formatUsd(run.budget === null ? 0n : file.highestCost),
    });
    // Those that were released are somebody's work.
    if (file.empty.length + file.rest.length > 0) await fillLanes(tx, run.organizationId, run.id, parts);
    return true;
  });
}

async function send(pass: BatchPass, { api }: BatchEndpoint, file: BuiltFile): Promise<PassEnd> {
  const { parts, batch, signal } = pass;
  const submitted = await api.submit({ batchId: batch.id, file, mayBegin: () => beginSubmission(pass) }, signal);
  if (!submitted.ok) return afterRefusal(pass, file, submitted.failure);
  if (submitted.value === "not_begun") return { over: false, inSeconds: 0 };
  await noteSubmitted(parts.database, batch, submitted.value.providerBatchId);
  parts.log.info({ runId: batch.runId, batchId: batch.id, requests: file.requests }, "a batch was submitted");
  return {
    over: false,
    inSeconds: pollDelaySeconds(parts.config.ROWMILL_BATCH_POLL_SECONDS, 0, {
      now: parts.clock.date(),
      until: pass.until,
    }),
  };
}

/** From here on the provider may have it. The run may have been paused, canceled or have ended while the file was made. */
async function beginSubmission({ parts, batch, run }: BatchPass): Promise<boolean> {
  return parts.database.transaction(async (tx) => {
    const { rows } = await sql`
      select 1 from runs where ${isRowOf("runs", run, run.id)} and state = 'running' for key share`.execute(tx);
    return rows.length > 0 && (await updateBatch(tx, batch, { submitStartedAt: parts.clock.date() }));
  });
}

async function afterRefusal(pass: BatchPass, file: BuiltFile, failure: BatchFailure): Promise<PassEnd> {
  const { parts, batch } = pass;
  const { kind, message } = failure;
  parts.log.warn({ runId: batch.runId, batchId: batch.id, kind, reason: message }, "a batch was not submitted");
  if (kind === "unknown") return { over: false, inSeconds: FIRST_LOOK_SECONDS, set: { failures: 0 } };
  const isReleased = await parts.database.transaction(async (tx) => {
    if (!(await lockPass(tx, batch))) return false;
    await settleBatch(tx, { organizationId: batch.organizationId, id: batch.runId }, batch.id, 0n, true);
    return updateBatch(tx, batch, {
      submitStartedAt: null,
      error: storableJson(asError(failure)),
      ...(kind === "too_large" ? { mostRequests: Math.floor(file.requests / 2) } : {}),
    });
  });
  if (!isReleased) return { over: false, inSeconds: 0 };
  switch (kind) {
    case "unsupported":
      return {
        over: true,
        state: "failed",
        rest: "real_time",
        error: asError(failure),
        problem: { code: "unsupported", message: `The provider has no batch endpoint. ${message}` },
      };
    case "refused":
      return refusedEnd(failure);
    case "too_large":
      return { over: false, inSeconds: 0 };
    case "passing":
      return tryLater(pass, failure.retryAfterMs);
  }
}

/** Nothing but a person helps: the run says why, and waits for one. */
export const refusedEnd = (failure: Pick<BatchFailure, "code" | "message">): PassEnd => ({
  over: true,
  state: "failed",
  rest: "batches",
  error: asError(failure),
  problem: { code: "refused", message: failure.message },
});

export function tryLater({ parts, batch, until }: BatchPass, retryAfterMs?: number): PassEnd {
  const seconds = parts.config.ROWMILL_BATCH_POLL_SECONDS;
  const inSeconds = pollDelaySeconds(seconds, batch.failures, { now: parts.clock.date(), until, retryAfterMs });
  return { over: false, inSeconds, set: { failures: batch.failures + 1 } };
}
