import type { Handlers } from "../../platform/http/handlers.ts";
import { listAuditEvents } from "./audit-events.ts";

export const auditEventRoutes = () =>
  ({
    listAuditEvents: (db, _caller, { params, filters, page }) =>
      listAuditEvents(db, params.organizationId, filters, page),
  }) satisfies Partial<Handlers>;
