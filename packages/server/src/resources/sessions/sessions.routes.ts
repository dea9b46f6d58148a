import type { Handlers } from "../../platform/http/handlers.ts";
import { endSession, getSession, prepareSession } from "./sessions.ts";
import type { SessionParts } from "./sessions.ts";

export const sessionRoutes = (parts: SessionParts) =>
  ({
    createSession: { prepare: (_db, caller, { body }) => prepareSession(parts, caller, body) },
    getSession: (db, caller) => getSession(db, caller),
    deleteSession: (tx, caller) => endSession(tx, parts, caller),
  }) satisfies Partial<Handlers>;
