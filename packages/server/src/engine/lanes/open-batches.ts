/** Puts chunks of a run together to batches. Lanes do it at the begin of their turns; the rest is done by the batch's own job. */
import { sql } from "kysely";
import type { BatchProblemCode } from "@rowmill/contract/run-execution";
import type { Transaction } from "../../platform/database/database.ts";
import { isRowOf } from "../../platform/database/row-key.ts";
import { parseId } from "../../platform/ids.ts";
import { traitsOf } from "../../processors/processors.ts";
import { MAX_BATCH_REQUESTS } from "../../processors/provider-batches.ts";
import type { Definition } from "../../resources/job-specs/definition.ts";
import type { LaneParts } from "./prepared-runs.ts";
import { lockRun } from "../../resources/runs/runs.ts";
import type { RunRecord } from "../../resources/runs/runs.ts";
import { insertBatch } from "../../resources/runs/provider-batch-records.ts";
import { realTimeFrom } from "./waiting-times.ts";
import { storableJson } from "../../platform/text.ts";

/** Of one run at once. Providers limit what waits with them, and what a run has at stake there should have an end. */
const MAX_OPEN_BATCHES = 8;

export async function openBatches(parts: LaneParts, run: RunRecord, { processor }: Definition): Promise<void> {
  if (run.execution?.mode !== "provider_batch" || run.realTimeSince !== null) return;
  const asked = traitsOf(processor).batches?.modelOf(processor);
  if (asked === undefined) return;
  const connectionId = parseId("connection", asked.connectionId);
  if (connectionId === undefined) throw new Error("a job spec names no connection");
  const model = { connectionId, model: asked.model };
  const waiting = await parts.database.db
    .selectFrom("runChunks")
    .select("chunkNo")
    .where("runId", "=", run.id)
    .where("state", "=", "pending")
    .where("inRealTime", "=", false)
    .limit(1)
    .executeTakeFirst();
  if (waiting === undefined) return;
  while (await parts.database.transaction((tx) => openBatch(tx, run, model, parts)));
}

/** False: there is nothing to open, or nothing may be. */
async function openBatch(
  tx: Transaction,
  { organizationId, id }: RunRecord,
  model: { connectionId: string; model: string },
  { queue, clock }: LaneParts,
): Promise<boolean> {
  const run = await lockRun(tx, { organizationId }, id);
  if (run.state !== "running" || run.realTimeSince !== null) return false;
  const realTime = realTimeFrom(run);
  if (realTime !== undefined && clock.msUntil(realTime) <= 0) {
    await goRealTime(tx, run, "deadline_near", "The rest of the time until the deadline is kept for real time.");
    return false;
  }
  const { open } = await tx
    .selectFrom("providerBatches")
    .select((eb) => eb.fn.countAll<number>().as("open"))
    .where("runId", "=", id)
    .where("finishedAt", "is", null)
    .executeTakeFirstOrThrow();
  if (open >= MAX_OPEN_BATCHES) return false;
  const { rows } = await sql<{ chunkNo: number }>`
    with waiting as materialized (
      select chunk_no, row_count - succeeded - failed as rows from run_chunks
      where run_id = ${id} and state = 'pending' and not in_real_time order by chunk_no limit ${MAX_BATCH_REQUESTS} for update),
    summed as (select chunk_no, sum(rows) over (order by chunk_no) - rows as rows_before, sum(rows) over (order by chunk_no) as rows_with from waiting)
    select chunk_no from summed where rows_before = 0 or rows_with <= ${MAX_BATCH_REQUESTS} order by chunk_no`.execute(
    tx,
  );
  if (rows.length === 0) return false;
  const batchId = await insertBatch(tx, run, model, queue);
  await sql`
    update run_chunks set state = 'submitted', batch_id = ${batchId}, claimed_by = null
    where run_id = ${id} and chunk_no = any(${rows.map(({ chunkNo }) => chunkNo)}::int[])`.execute(tx);
  return true;
}

/** No more batches are made: lanes take every chunk that is pending. `run` is locked. */
export async function goRealTime(
  tx: Transaction,
  run: RunRecord,
  code: BatchProblemCode,
  message: string,
): Promise<void> {
  await tx
    .updateTable("runs")
    .set({
      realTimeSince: sql<Date>`now()`,
      batchProblem: storableJson({ code, message }),
      updatedAt: sql<Date>`now()`,
    })
    .where(isRowOf("runs", run, run.id))
    .where("realTimeSince", "is", null)
    .execute();
}
