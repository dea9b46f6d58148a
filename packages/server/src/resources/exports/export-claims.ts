/**
 * Who writes an export. A job names the export; a worker claims it, which takes a new `claim_no`, and everything it writes
 * to the row later holds only under that number. A worker that was believed dead therefore cannot end an export that
 * another one has claimed since, and a canceled export has no claim any more. Every claim writes a file of its own.
 *
 *   claimExport ──▶ running ──▶ finishExport: ready     the file is whole
 *                      ├──────▶ failExport: failed      it cannot be written, or was tried often enough
 *                      ├──────▶ requeueExport: queued   this attempt failed, or the process stops
 *                      └── the claim is lost: canceled, or claimed by another
 *
 * A worker shows that it lives by touching the row. One that dies leaves `running`; the queue gives its job to another
 * one, which claims it again. An export whose job got lost is found by `reconcileExports`. A job too many does no harm: it
 * finds an export that a living worker has claimed, or that has ended.
 */
import type { Selectable } from "kysely";
import { sql } from "../../platform/database/database.ts";
import type { Database, OrganizationDatabase, Transaction } from "../../platform/database/database.ts";
import { fencedClaims } from "../../platform/database/fenced-claim.ts";
import type { ClaimKey } from "../../platform/database/fenced-claim.ts";
import type { RunsTable } from "../../platform/database/run-tables.ts";
import { isRowOf } from "../../platform/database/row-key.ts";
import type { RowKey } from "../../platform/database/row-key.ts";
import { formatId } from "../../platform/ids.ts";
import { present } from "../../platform/present.ts";
import { openJobExists } from "../../platform/queue/jobs.ts";
import type { Queue } from "../../platform/queue/queue.ts";
import type { ReportRepair } from "../../platform/queue/reconcile.ts";
import { recordEvent, recordRunEvents } from "../events/events.ts";
import type { NewEvent } from "../events/events.ts";
import { newFileKey } from "./export-files.ts";
import { EXPORT_QUEUE, exportPath } from "./exports.ts";
import type { ExportJob, ExportRow, ExportParts } from "./exports.ts";
import { ExportError } from "./formats/format.ts";
import type { WriteProgress, WrittenFile } from "./write-file.ts";
import { storableJson } from "../../platform/text.ts";

/**
 * A worker touches its export every second: after this long without, it is dead, or has lost the database. Shorter than
 * what the queue waits before it gives a dead worker's job to another, which comes once.
 */
const SILENT_SECONDS = 3;
/** Far longer than a job waits for another worker. */
const FORGOTTEN_MINUTES = 10;
/** More are found by the next pass, a minute later. */
const REQUEUED_AT_ONCE = 100;

export interface ExportClaim {
  row: ExportRow;
  /** Where this claim's file goes. */
  key: string;
}

const claims = fencedClaims("exports", { number: "claimNo", isOpen: sql`status = 'running'` });

const keyOf = ({ row: { organizationId, id, claimNo } }: ExportClaim): ClaimKey => ({
  organizationId,
  id,
  no: claimNo,
});

const runOf = ({ row: { organizationId, runId } }: ExportClaim): RowKey => ({ organizationId, id: runId });

/** Undefined if there is nothing to do: it has ended, is gone, or a living worker has it. */
export async function claimExport(database: OrganizationDatabase, job: ExportJob): Promise<ExportClaim | undefined> {
  return database.transaction(async (tx) => {
    const mayTake = sql`(status = 'queued'
      or (status = 'running' and updated_at < now() - ${`${SILENT_SECONDS} s`}::interval))`;
    const taken = await claims.take(tx, { organizationId: job.organizationId, id: job.exportId }, mayTake, {
      status: "running",
      attempts: sql`attempts + 1`,
      reservedBytes: 0,
      updatedAt: sql`now()`,
    });
    if (!taken) return undefined;
    const key = newFileKey(job, taken.claimNo);
    const claim: ExportClaim = { row: { ...taken, storageKey: key }, key };
    await claims.update(tx, keyOf(claim), { storageKey: key });
    return claim;
  });
}

/** Shows that the worker lives, and how far it has come. False: the claim was lost. */
export const touchClaim = (
  { db }: OrganizationDatabase,
  claim: ExportClaim,
  { rowCount }: WriteProgress,
): Promise<boolean> => claims.update(db, keyOf(claim), { updatedAt: sql`now()`, rowCount });

/** By the clock of the database, as the claim. The API made the export, by a clock that may be ahead. */
const FINISHES_AT = sql`greatest(now(), created_at)`;

/** False: the claim was lost, and nothing was written. */
export async function finishExport(
  database: OrganizationDatabase,
  claim: ExportClaim,
  file: WrittenFile,
  retentionHours: number,
): Promise<boolean> {
  return database.transaction(async (tx) => {
    const run = await lockRun(tx, claim.row);
    // Results are deleted piece by piece: what was read of a deleted run may be a part.
    if (!run) throw runDeleted();
    const isWritten = await claims.update(tx, keyOf(claim), {
      status: "ready",
      rowCount: file.rowCount,
      guardedCells: claim.row.formulaGuard ? file.guardedCells : null,
      sizeBytes: file.sizeBytes,
      sha256: file.sha256,
      expiresAt: sql`now() + make_interval(hours => ${retentionHours})`,
      finishedAt: FINISHES_AT,
      updatedAt: sql`now()`,
    });
    if (isWritten) await recordRunEvents(tx, runOf(claim), [exportEvent("ready", claim)]);
    return isWritten;
  });
}

export async function failExport(
  database: OrganizationDatabase,
  claim: ExportClaim,
  error: { code: string; message: string },
): Promise<boolean> {
  return database.transaction(async (tx) => {
    const run = await lockRun(tx, claim.row);
    const isWritten = await claims.update(tx, keyOf(claim), {
      status: "failed",
      rowCount: null,
      error: storableJson({ code: error.code, message: error.message }),
      finishedAt: FINISHES_AT,
      updatedAt: sql`now()`,
    });
    if (!isWritten) return false;
    const event = exportEvent("failed", claim);
    if (run) await recordRunEvents(tx, runOf(claim), [event]);
    else await recordEvent(tx, event); // a deleted run has no log any more
    return true;
  });
}

/** `counts`: whether the attempt counts as one that failed. */
export async function requeueExport(
  database: OrganizationDatabase,
  claim: ExportClaim,
  options: { counts: boolean; startAfterSeconds: number; storeWaits?: number },
  parts: ExportParts,
): Promise<boolean> {
  return database.transaction(async (tx) => {
    const isWritten = await claims.update(tx, keyOf(claim), {
      status: "queued",
      rowCount: null,
      attempts: claim.row.attempts - (options.counts ? 0 : 1),
      updatedAt: sql`now()`,
    });
    if (!isWritten) return false;
    const { storeWaits } = options;
    const { organizationId, id: exportId } = claim.row;
    const job: ExportJob = { organizationId, exportId, ...present({ storeWaits }) };
    await parts.queue.enqueue(tx, EXPORT_QUEUE, job, { startAfterSeconds: options.startAfterSeconds });
    return true;
  });
}

/** Sends jobs for exports that wait without one: a queue that was emptied or has abandoned a job must not leave them unwritten. */
export async function reconcileExports(
  { database, queue }: { database: Database; queue: Queue },
  report: ReportRepair,
): Promise<void> {
  const requeued = await database.transaction(async (tx) => {
    const { rows } = await sql<ExportJob>`
      update exports set status = 'queued', updated_at = now() where (organization_id, id) in (
        select organization_id, id from exports e
        where status in ('queued', 'running') and updated_at < now() - ${`${FORGOTTEN_MINUTES} min`}::interval
          and not ${openJobExists([EXPORT_QUEUE], sql`j.data->>'exportId' = e.id::text`)}
        limit ${REQUEUED_AT_ONCE} for update skip locked)
      returning organization_id, id as export_id`.execute(tx);
    for (const job of rows) await queue.enqueue(tx, EXPORT_QUEUE, job);
    return rows;
  });
  for (const { exportId } of requeued) report({ what: "an export without a job got a new one", ids: { exportId } });
}

export const runDeleted = (): ExportError => new ExportError("run_deleted", "The run was deleted.");

/** Undefined for a deleted run. Locked before the export: see "The order of locks" in `docs/architecture.md`. */
async function lockRun(tx: Transaction, row: ExportRow): Promise<Selectable<RunsTable> | undefined> {
  return tx
    .selectFrom("runs")
    .selectAll()
    .where(isRowOf("runs", row, row.runId))
    .where("deletedAt", "is", null)
    .forUpdate()
    .executeTakeFirst();
}

function exportEvent(status: "ready" | "failed", { row }: ExportClaim): NewEvent {
  const { organizationId } = row;
  const common = {
    object: "export",
    id: formatId("export", row.id),
    runId: formatId("run", row.runId),
    type: row.type,
    format: row.format,
  } as const;
  const url = exportPath(row.id);
  return status === "ready"
    ? { organizationId, type: "export.ready", data: { ...common, status, url } }
    : { organizationId, type: "export.failed", data: { ...common, status, url } };
}
