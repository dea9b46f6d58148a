/** What a pass of a batch writes: results of its chunks, and outputs for the cache. */
import { sql } from "kysely";
import type { EventType } from "@rowmill/contract/events";
import type { Statements } from "../../platform/database/database.ts";
import { isRowOf } from "../../platform/database/row-key.ts";
import type { PicoUsd } from "../../platform/usd.ts";
import type { InputRow } from "../../processors/processor.ts";
import type { BatchStep } from "../../processors/provider-batches.ts";
import { hasNotEnded } from "../../resources/runs/lanes.ts";
import { lockPass } from "../../resources/runs/provider-batch-records.ts";
import type { BatchRecord } from "../../resources/runs/provider-batch-records.ts";
import { settleBatch } from "../../resources/runs/run-budgets.ts";
import type { RunRecord } from "../../resources/runs/runs.ts";
import type { ChunkResults } from "../chunks/chunk-results.ts";
import { commitWithin } from "../chunks/commit-results.ts";
import type { RowCache } from "../chunks/row-cache.ts";
import { storableResults } from "../chunks/unstorable-outputs.ts";
import type { LaneParts, PreparedRun } from "../lanes/prepared-runs.ts";
import type { BatchChunk } from "./request-file.ts";

export interface BatchRecording {
  parts: LaneParts;
  batch: BatchRecord;
  run: RunRecord;
  ready: PreparedRun;
  step: BatchStep;
  listened: ReadonlySet<EventType>;
}

/** Where a chunk of a batch is after a commit. */
export type ChunkNext =
  | { state: "submitted" }
  | { state: "done" }
  | { state: "real_time"; carriedUsage: string | null };

/**
 * Records results of a chunk in the batch: claims it, commits as every lane does, and releases it, in one transaction
 * that proves that the run has not ended and no later pass has begun. `spent` comes from what is set aside for the batch.
 */
export async function recordResults(
  { parts, batch, run, step, listened }: Pick<BatchRecording, "parts" | "batch" | "run" | "step" | "listened">,
  chunk: Pick<BatchChunk, "chunkNo" | "firstRow" | "lastRow">,
  results: ChunkResults,
  next: ChunkNext,
  spent: PicoUsd,
): Promise<boolean> {
  const storable = await storableResults(step, results);
  const isRecorded = await parts.database.transaction(async (tx) => {
    const { rows: open } = await sql`
        select 1 from runs where ${isRowOf("runs", run, run.id)} and ${hasNotEnded}
        for no key update`.execute(tx);
    if (open.length === 0 || !(await lockPass(tx, batch))) return false;
    const { rows: claimed } = await sql<{ claimNo: number; lastPart: number }>`
        update run_chunks set state = 'running', batch_id = null, claim_no = claim_no + 1
        where run_id = ${run.id} and chunk_no = ${chunk.chunkNo} and state = 'submitted' and batch_id = ${batch.id}
        returning claim_no, last_part`.execute(tx);
    const claim = claimed[0];
    if (claim === undefined) return false;
    const state = next.state === "done" ? "done" : "pending";
    // Its rows have begun: it is due, and no duplicate begins them again (`addRest`).
    if (next.state === "real_time" && next.carriedUsage !== null) storable.restMs = 0;
    if ((await commitWithin(tx, run, listened, { ...chunk, ...claim }, storable, state)) === undefined)
      throw new Error("a chunk that was claimed in this transaction is not ours");
    if (next.state !== "done")
      await tx
        .updateTable("runChunks")
        .set(
          next.state === "submitted"
            ? { state: "submitted", batchId: batch.id }
            : { inRealTime: true, booked: next.carriedUsage },
        )
        .where("runId", "=", run.id)
        .where("chunkNo", "=", chunk.chunkNo)
        .execute();
    if (spent > 0n) await settleBatch(tx, { organizationId: run.organizationId, id: run.id }, batch.id, spent, false);
    return true;
  });
  if (isRecorded) parts.meter.countRows(storable, run);
  return isRecorded;
}

export interface MadeOutput {
  row: InputRow;
  output: string;
}

/** For rows to come that ask the same. */
export async function keepOutputs(
  client: Statements,
  cache: RowCache | undefined,
  made: readonly MadeOutput[],
): Promise<void> {
  if (cache === undefined || made.length === 0) return;
  const rows = made.map(({ row }) => row);
  // It keeps what it was asked for.
  await cache.lookUp(client, rows);
  await cache.keep(
    client,
    made.map(({ row, output }) => ({ index: row.index, output })),
  );
  cache.forget(rows);
}
