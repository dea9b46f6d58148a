import type { Handlers } from "../../platform/http/handlers.ts";
import { abortBulkAction, createBulkAction, getBulkAction, listBulkActions } from "./bulk-actions.ts";
import type { BulkServices } from "./bulk-actions.ts";

export const bulkActionRoutes = (services: BulkServices) =>
  ({
    createBulkAction: (tx, caller, { body }) => createBulkAction(tx, services, caller, body),
    listBulkActions: (db, caller, { filters, page }) => listBulkActions(db, caller, filters, page),
    getBulkAction: (db, caller, { params }) => getBulkAction(db, caller, params.bulkActionId),
    abortBulkAction: (tx, caller, { params }) => abortBulkAction(tx, caller, params.bulkActionId),
  }) satisfies Partial<Handlers>;
