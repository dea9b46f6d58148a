import type { Handlers } from "../../platform/http/handlers.ts";
import { listUsage } from "./usage.ts";

export const usageRoutes = () =>
  ({
    listUsage: (db, caller, { filters, page }) => listUsage(db, caller, filters, page, new Date()),
  }) satisfies Partial<Handlers>;
