import type { Handlers, PlainHandlers } from "../../platform/http/handlers.ts";
import { createDownload } from "./download.ts";
import type { DownloadServices } from "./download.ts";
import { cancelExport, createExport, getExport, listExports, listRunExports } from "./exports.ts";
import type { ExportServices } from "./exports.ts";

export const exportRoutes = (services: ExportServices) =>
  ({
    createExport: (tx, caller, { params, body }) => createExport(tx, caller, services, params.runId, body),
    listRunExports: (db, caller, { params, filters, page }) =>
      listRunExports(db, caller, services.publicUrl(), params.runId, filters, page),
    listExports: (db, caller, { filters, page }) => listExports(db, caller, services.publicUrl(), filters, page),
    getExport: (db, caller, { params }) => getExport(db, caller, services.publicUrl(), params.exportId),
    cancelExport: (tx, caller, { params }) => cancelExport(tx, caller, services.publicUrl(), params.exportId),
  }) satisfies Partial<Handlers>;

export const exportPlainRoutes = (services: DownloadServices) =>
  ({ downloadExport: createDownload(services) }) satisfies Partial<PlainHandlers>;
