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
 * one, which claims anew. An export whose job got lost is found by `requeueForgotten`. A job too many does no harm: it
 * finds an export that is in living hands, or has ended.
 */
import type { Selectable } from "kysely";
import { sql } from "../../platform/database/database.ts";
import type { Database, OrganizationDatabase, Transaction } from "../../platform/database/database.ts";
import type { RunsTable } from "../../platform/database/run-tables.ts";
import { formatId } from "../../platform/ids.ts";
import { recordEvent, recordRunEvent } from "../events/events.ts";
import type { NewEvent } from "../events/events.ts";
import { newFileKey } from "./export-files.ts";
import { EXPORT_QUEUE, exportPath } from "./exports.ts";
import type { ExportJob, ExportRow, ExportServices } from "./exports.ts";
import { ExportError } from "./formats/format.ts";
import type { WrittenFile } from "./write-file.ts";
import { storableJson } from "../../platform/text.ts";

/**
 * A worker touches its export every second: after this long without, it is dead, or has lost the database. Shorter than
 * what the queue waits before it gives a dead worker's job to another, which comes once.
 */
const SILENT_SECONDS = 3;
/** Far longer than a job waits for another worker; queues may be longer, but then the new job only finds work done. */
const FORGOTTEN_MINUTES = 10;
/** More are found by the next pass, a minute later. */
const REQUEUED_AT_ONCE = 100;

export interface ExportClaim {
  row: ExportRow;
  /** Where this claim's file goes. */
  key: string;
}

/** Undefined if there is nothing to do: it has ended, is gone, or a living worker has it. */
export async function claimExport(database: OrganizationDatabase, job: ExportJob): Promise<ExportClaim | undefined> {
  return database.transaction(async (tx) => {
    const found = await tx
      .selectFrom("exports")
      .select(["claimNo", "format", "compression"])
      .where("organizationId", "=", job.organizationId)
      .where("id", "=", job.exportId)
      .where((w) =>
        w.or([
          w("status", "=", "queued"),
          w.and([w("status", "=", "running"), sql<boolean>`updated_at < now() - ${`${SILENT_SECONDS} s`}::interval`]),
        ]),
      )
      .forUpdate()
      .executeTakeFirst();
    if (!found) return undefined;
    const key = newFileKey(job, found.claimNo + 1);
    const row = await tx
      .updateTable("exports")
      .set((eb) => ({
        status: "running",
        claimNo: eb("claimNo", "+", 1),
        attempts: eb("attempts", "+", 1),
        storageKey: key,
        reservedBytes: 0,
        updatedAt: sql<Date>`now()`,
      }))
      .where("organizationId", "=", job.organizationId)
      .where("id", "=", job.exportId)
      .returningAll()
      .executeTakeFirstOrThrow();
    return { row, key };
  });
}

/** Shows that the worker lives. False: the claim was lost. */
export async function touchClaim(database: OrganizationDatabase, { row }: ExportClaim): Promise<boolean> {
  const { numUpdatedRows } = await database.db
    .updateTable("exports")
    .set({ updatedAt: sql<Date>`now()` })
    .where("organizationId", "=", row.organizationId)
    .where("id", "=", row.id)
    .where("claimNo", "=", row.claimNo)
    .where("status", "=", "running")
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

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
    const now = new Date();
    const isHeld = await updateHeld(tx, claim, {
      status: "ready",
      rowCount: file.rowCount,
      guardedCells: claim.row.formulaGuard ? file.guardedCells : null,
      sizeBytes: file.sizeBytes,
      sha256: file.sha256,
      expiresAt: new Date(now.getTime() + retentionHours * 3_600_000),
      finishedAt: now,
      updatedAt: now,
    });
    if (isHeld) await recordRunEvent(tx, claim.row.runId, exportEvent("ready", claim));
    return isHeld;
  });
}

export async function failExport(
  database: OrganizationDatabase,
  claim: ExportClaim,
  error: { code: string; message: string },
): Promise<boolean> {
  return database.transaction(async (tx) => {
    const run = await lockRun(tx, claim.row);
    const now = new Date();
    const isHeld = await updateHeld(tx, claim, {
      status: "failed",
      error: storableJson({ code: error.code, message: error.message }),
      finishedAt: now,
      updatedAt: now,
    });
    if (!isHeld) return false;
    const event = exportEvent("failed", claim);
    if (run) await recordRunEvent(tx, claim.row.runId, event);
    else await recordEvent(tx, event); // a deleted run has no log any more
    return true;
  });
}

/** `counts`: whether the attempt counts as one that failed. */
export async function requeueExport(
  database: OrganizationDatabase,
  claim: ExportClaim,
  options: { counts: boolean; startAfterSeconds: number },
  services: ExportServices,
): Promise<boolean> {
  return database.transaction(async (tx) => {
    const isHeld = await updateHeld(tx, claim, {
      status: "queued",
      attempts: claim.row.attempts - (options.counts ? 0 : 1),
      updatedAt: new Date(),
    });
    if (!isHeld) return false;
    const job: ExportJob = { organizationId: claim.row.organizationId, exportId: claim.row.id };
    await services.queue.enqueue(tx, EXPORT_QUEUE, job, { startAfterSeconds: options.startAfterSeconds });
    return true;
  });
}

/** Sends jobs for exports that nobody has touched for long: a queue that was emptied or gave up must not hold them forever. */
export async function requeueForgotten(database: Database, services: ExportServices): Promise<void> {
  await database.transaction(async (tx) => {
    const { rows } = await sql<{ organizationId: string; id: string }>`
      update exports set status = 'queued', updated_at = now() where (organization_id, id) in (
        select organization_id, id from exports
        where status in ('queued', 'running') and updated_at < now() - ${`${FORGOTTEN_MINUTES} min`}::interval
        limit ${REQUEUED_AT_ONCE} for update skip locked)
      returning organization_id, id`.execute(tx);
    for (const { organizationId, id } of rows)
      await services.queue.enqueue(tx, EXPORT_QUEUE, { organizationId, exportId: id } satisfies ExportJob);
  });
}

export const runDeleted = (): ExportError => new ExportError("run_deleted", "The run was deleted.");

/** Undefined for a deleted run. Locked before the export: see "The order of locks" in `docs/architecture.md`. */
async function lockRun(tx: Transaction, row: ExportRow): Promise<Selectable<RunsTable> | undefined> {
  return tx
    .selectFrom("runs")
    .selectAll()
    .where("organizationId", "=", row.organizationId)
    .where("id", "=", row.runId)
    .where("deletedAt", "is", null)
    .forUpdate()
    .executeTakeFirst();
}

type ExportChanges = Partial<
  Pick<
    ExportRow,
    "status" | "rowCount" | "guardedCells" | "sizeBytes" | "sha256" | "expiresAt" | "finishedAt" | "attempts"
  >
> & { updatedAt: Date; error?: string };

async function updateHeld(tx: Transaction, { row }: ExportClaim, changes: ExportChanges): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable("exports")
    .set(changes)
    .where("organizationId", "=", row.organizationId)
    .where("id", "=", row.id)
    .where("claimNo", "=", row.claimNo)
    .where("status", "=", "running")
    .executeTakeFirst();
  return numUpdatedRows === 1n;
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
