import type { Handlers } from "../../platform/http/handlers.ts";
import type { DefaultLimits } from "../../services.ts";
import { createOrganization, getOrganization, listOrganizations, updateOrganization } from "./organizations.ts";

export const organizationRoutes = (limits: DefaultLimits) =>
  ({
    createOrganization: (tx, caller, { body }) => createOrganization(tx, caller, limits, body),
    listOrganizations: (db, _caller, { page }) => listOrganizations(db, limits, page),
    getOrganization: (db, _caller, { params }) => getOrganization(db, limits, params.organizationId),
    updateOrganization: (tx, caller, { params, body }) =>
      updateOrganization(tx, caller, limits, params.organizationId, body),
  }) satisfies Partial<Handlers>;
