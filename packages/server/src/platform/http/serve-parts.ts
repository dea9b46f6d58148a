/** What serving the operations needs, and what each operation is served with. */
import type { Operation } from "@rowmill/contract/operation";
import type { OrganizationDatabase } from "../database/database.ts";
import type { Tenants } from "../database/tenants.ts";
import type { AdmissionParts } from "./admission.ts";
import type { AnyHandler, AnyReplayCheck } from "./any-operation.ts";
import type { Cursors } from "./cursors.ts";
import type { Handlers, PlainHandlers, ReplayChecks } from "./handlers.ts";
import type { Idempotency } from "./idempotency.ts";
import type { BodyReader } from "./read-body.ts";

export interface ServeParts extends AdmissionParts {
  database: OrganizationDatabase;
  tenants: Tenants;
  idempotency: Idempotency;
  cursors: Cursors;
  handlers: Handlers;
  bodies: BodyReader;
  plainHandlers: PlainHandlers;
  replayChecks: ReplayChecks;
  /** Pages of operations that have one, by path. */
  pages: Readonly<Record<string, () => string>>;
}

/** An operation and what serves it. */
export interface Route {
  o: Operation;
  handler: AnyHandler;
  /** Undefined: the operation takes no body. */
  checkBody: ((body: unknown) => void) | undefined;
  replayCheck: AnyReplayCheck | undefined;
}
