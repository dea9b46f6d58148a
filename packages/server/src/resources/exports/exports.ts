/**
 * Exports: files of a run's results. Made at once, written by a task (see `export-claims.ts`), kept for a time.
 *
 *   queued ──▶ running ──▶ ready ──▶ expired
 *      ▲          │ ├────▶ failed
 *      └──────────┘ └────▶ canceled      (also from queued)
 */
import type { Operations } from "@rowmill/contract";
import { exportFormats, exportStatuses, exportTypes } from "@rowmill/contract/exports";
import type { Export } from "@rowmill/contract/exports";
import type { Input } from "@rowmill/contract/operation";
import type { Selectable } from "kysely";
import type { OrganizationCaller } from "../../platform/auth/caller.ts";
import { sql } from "../../platform/database/database.ts";
import type { Transaction } from "../../platform/database/database.ts";
import type { ExportsTable } from "../../platform/database/data-tables.ts";
import { ApiError, invalidState, notFound } from "../../platform/http/errors.ts";
import type { OperationFunction } from "../../platform/http/handlers.ts";
import { readNewest } from "../../platform/http/newest-first.ts";
import { formatId, newUuid } from "../../platform/ids.ts";
import type { FreeSpace } from "../../platform/storage/free-space.ts";
import { placeInLine } from "../../platform/queue/jobs.ts";
import type { Queue } from "../../platform/queue/queue.ts";
import { recordAudit } from "../audit-events/audit-events.ts";
import { resource } from "../resource.ts";
import { readAfterEnd } from "../wait-for-end.ts";
import type { EndWaitParts } from "../wait-for-end.ts";
import type { DefaultLimits } from "../../services.ts";
import { checkStorageLimit } from "../organizations/storage-limit.ts";
import { findRun } from "../runs/runs.ts";
import { findExportedRun, tableOfRun } from "./exported-run.ts";
import { formats } from "./formats/formats.ts";
import { findImpossibleColumn } from "./formats/unknown-columns.ts";
import { nextStepsOf, statusMessageOf } from "./export-next-steps.ts";
import { sharedNow } from "../../platform/shared-time.ts";

export type ExportRow = Selectable<ExportsTable>;

export interface ExportParts {
  freeSpace: FreeSpace;
  limits: DefaultLimits;
  queue: Queue;
  publicUrl: () => string;
}
type Links = Pick<ExportParts, "publicUrl">;

/** Names the export to write. The worker that has the job claims the export first: two jobs for one do no harm. */
export interface ExportJob {
  organizationId: string;
  exportId: string;
  /** Attempts that found the store away. */
  storeWaits?: number;
}
export const EXPORT_QUEUE = "export-lane";

/** Behind so many of its own, an organization's next export cannot be further back. */
const MAX_QUEUE_PENALTY = 1_000;

const createExport: OperationFunction<"createExport", ExportParts> = async (
  tx,
  caller,
  { params: { runId }, body },
  services,
) => {
  const { organizationId } = caller;
  await services.freeSpace.check();
  await findRun(tx, caller, runId);
  const options = optionsOf(body);
  await checkColumns(tx, organizationId, runId, options);
  await checkStorageLimit(tx, organizationId, services.limits);
  const priority = await placeInLine(tx, EXPORT_QUEUE, countUnfinished(organizationId));
  const id = newUuid();
  const now = sharedNow();
  const row = await tx
    .insertInto("exports")
    .values({
      organizationId,
      id,
      runId,
      ...options,
      metadata: JSON.stringify(body.metadata ?? {}),
      status: "queued",
      createdAt: now,
      updatedAt: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await recordAudit(tx, caller, "export.created", id, {
    runId: formatId("run", runId),
    type: body.type,
    format: body.format,
    layout: options.layout,
  });
  const job: ExportJob = { organizationId, exportId: id };
  await services.queue.enqueue(tx, EXPORT_QUEUE, job, { priority });
  return describe(row, services.publicUrl());
};

type ExportOptions = Pick<
  ExportRow,
  | "type"
  | "format"
  | "layout"
  | "compression"
  | "includeInput"
  | "columns"
  | "delimiter"
  | "byteOrderMark"
  | "formulaGuard"
>;

/** What was asked for, with the defaults of what was not. */
function optionsOf(body: Input<Operations["createExport"]>["body"]): ExportOptions {
  const { type, format, layout = "nested" } = body;
  const refuse = (param: string, message: string): never => {
    throw new ApiError("invalid_request", message, { param });
  };
  if (layout === "flat" && type !== "resolved_results")
    refuse("layout", "The layout `flat` has one line for each row of a run: it needs `type: resolved_results`.");
  if (body.spreadsheet !== undefined && body.formulaGuard !== undefined && body.spreadsheet !== body.formulaGuard)
    refuse("formulaGuard", "`spreadsheet` and `formulaGuard` mean the same: send one of them.");
  const formulaGuard = body.formulaGuard ?? body.spreadsheet ?? false;
  if (formulaGuard && format !== "csv")
    refuse(
      body.formulaGuard === true ? "formulaGuard" : "spreadsheet",
      `Spreadsheets run formulas of CSV files only: a ${format} file has no formula guard.`,
    );
  for (const param of ["delimiter", "byteOrderMark"] as const)
    if (format !== "csv" && body[param] !== undefined && body[param] !== false)
      refuse(param, `Only a CSV file has a \`${param}\`: leave it out for ${format}.`);
  if (body.columns !== undefined && format === "jsonl" && layout === "nested")
    refuse(
      "columns",
      `A nested jsonl file has no columns: leave out \`columns\`, or ${type === "resolved_results" ? "send `layout: flat`" : "choose `csv` or `parquet`"}.`,
    );
  return {
    type,
    format,
    layout,
    compression: body.compression ?? formats[format].defaultCompression,
    includeInput: body.includeInput ?? layout === "flat",
    columns: body.columns === undefined ? null : JSON.stringify(body.columns),
    delimiter: body.delimiter ?? ",",
    byteOrderMark: body.byteOrderMark ?? false,
    formulaGuard,
  };
}

/** Columns that no row can have. Those that only the rows could have are checked when the file is written. */
async function checkColumns(
  tx: Transaction,
  organizationId: string,
  runId: string,
  options: ExportOptions,
): Promise<void> {
  if (options.columns === null) return;
  const run = await findExportedRun(tx, organizationId, runId);
  if (!run) throw notFound("run");
  const table = tableOfRun(run, options);
  const input = table.columns?.find((name) => name === "input" || name.startsWith("input."));
  if (options.layout === "nested" && input !== undefined && !options.includeInput)
    throw new ApiError("invalid_request", `The column \`${input.slice(0, 200)}\` needs \`includeInput: true\`.`, {
      param: "columns",
    });
  const impossible = findImpossibleColumn(table);
  if (impossible === undefined) return;
  const { position, message } = impossible;
  throw new ApiError("invalid_request", message, {
    param: "columns",
    details: [{ path: `/columns/${position}`, code: "unknown_column", message }],
  });
}

/** An export waits behind as many of others as its organization has unfinished: nobody waits for another's hundred. */
const countUnfinished = (organizationId: string) =>
  sql<number>`count_unfinished_exports(${organizationId}, ${[...exportTypes]}, ${[...exportFormats]}, ${MAX_QUEUE_PENALTY})`;

const listExports: OperationFunction<"listExports", Links> = async (db, caller, { filters, page }, { publicUrl }) => {
  const { runId, status, type, format } = filters;
  const isOfKind = status !== undefined || type !== undefined || format !== undefined;
  const { rows, next } = await readNewest(
    db,
    {
      table: "exports",
      organizationId: caller.organizationId,
      large,
      is: { runId },
      in: isOfKind
        ? { status: status ?? exportStatuses, type: type ?? exportTypes, format: format ?? exportFormats }
        : {},
    },
    page,
  );
  return { data: rows.map((row) => describe(row, publicUrl())), next };
};

const listRunExports: OperationFunction<"listRunExports", Links> = async (db, caller, input, parts) => {
  const { runId } = input.params;
  await findRun(db, caller, runId);
  return listExports(db, caller, { ...input, filters: { ...input.filters, runId } }, parts);
};

const getExport: OperationFunction<"getExport", Links & EndWaitParts> = async (
  db,
  caller,
  { params: { exportId: id }, query: { waitSeconds } },
  parts,
) => {
  const find = (): Promise<ExportRow> => findExport(db, caller, id);
  return describe(await readAfterEnd(db, caller, { table: "exports", waitSeconds, find }, parts), parts.publicUrl());
};

/** `columns` may have two thousand names. */
const large = ["columns", "error", "metadata"] as const;

const exports = resource("exports", { noun: "export", large });

export const findExport = exports.find;

/** The worker that writes it sees within a second that it lost its claim, and leaves no file. Canceling twice changes nothing. */
const cancelExport: OperationFunction<"cancelExport", Links> = async (tx, caller, { params }, { publicUrl }) => {
  const id = params.exportId;
  const isUnfinished = sql`status in ('queued', 'running')`;
  const row = await exports.updateIf(tx, caller, id, isUnfinished, {
    status: "canceled",
    rowCount: null,
    finishedAt: sql`greatest(now(), created_at)`,
  });
  if (!row) {
    const ended = await findExport(tx, caller, id);
    if (ended.status !== "canceled") throw invalidState(`The export is ${ended.status}: there is nothing to cancel.`);
    return describe(ended, publicUrl());
  }
  await recordAudit(tx, caller, "export.canceled", id);
  return describe(row, publicUrl());
};

export const exportOperations = { createExport, listRunExports, listExports, getExport, cancelExport };

/** Ends its life now: a task deletes the file, as it does with those whose time is over. */
export async function deleteExport(tx: Transaction, caller: OrganizationCaller, id: string): Promise<undefined> {
  const row = await exports.updateIf(tx, caller, id, sql`status = 'ready'`, { status: "expired" });
  if (!row) {
    const { status } = await findExport(tx, caller, id);
    throw invalidState(`The export is ${status}: it has no file to delete.`);
  }
  await recordAudit(tx, caller, "export.deleted", id);
  return undefined;
}

export const exportPath = (id: string): string => `/v1/exports/${formatId("export", id)}`;

function describe(row: ExportRow, publicUrl: string): Export {
  const { status, error } = row;
  const shown = { id: formatId("export", row.id), runId: formatId("run", row.runId), status, error };
  return {
    id: shown.id,
    runId: shown.runId,
    type: row.type,
    format: row.format,
    layout: row.layout,
    compression: row.compression,
    includeInput: row.includeInput,
    columns: row.columns === null ? null : (JSON.parse(row.columns) as string[]), // as it was written
    delimiter: row.format === "csv" ? row.delimiter : null,
    byteOrderMark: row.byteOrderMark,
    formulaGuard: row.formulaGuard,
    status: row.status,
    statusMessage: statusMessageOf(shown),
    error: row.error,
    nextSteps: nextStepsOf(shown),
    rowCount: row.rowCount,
    guardedCells: row.guardedCells,
    sizeBytes: row.sizeBytes,
    sha256: row.sha256,
    downloadUrl: row.status === "ready" ? `${publicUrl}${exportPath(row.id)}/download` : null,
    expiresAt: row.expiresAt?.toISOString() ?? null,
    metadata: row.metadata,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    finishedAt: row.finishedAt?.toISOString() ?? null,
  };
}
