/** Audit events: one for every change, in the change's own transaction. */
import type { Caller } from "../../platform/auth/caller.ts";
import type { Transaction } from "../../platform/database/database.ts";
import { newUuid } from "../../platform/ids.ts";

export interface AuditEntry {
  organizationId: string;
  /** `<resource>.<past verb>` */
  type: string;
  targetType: string;
  /** The target's id as the API shows it. */
  targetId: string;
  /** What became different; never a secret. */
  changes?: Record<string, unknown>;
}

export async function recordAudit(tx: Transaction, caller: Caller, entry: AuditEntry): Promise<void> {
  const actor =
    caller.kind === "organization"
      ? {
          actorType: caller.memberId === null ? ("api_key" as const) : ("member" as const),
          actorId: caller.memberId ?? caller.apiKeyId,
          apiKeyId: caller.apiKeyId,
        }
      : {
          actorType: caller.kind === "admin" ? ("admin" as const) : ("system" as const),
          actorId: null,
          apiKeyId: null,
        };
  await tx
    .insertInto("auditEvents")
    .values({
      organizationId: entry.organizationId,
      id: newUuid(),
      type: entry.type,
      ...actor,
      targetType: entry.targetType,
      targetId: entry.targetId,
      ip: "ip" in caller ? caller.ip : null,
      requestId: "requestId" in caller ? caller.requestId : null,
      changes: JSON.stringify(entry.changes ?? {}),
    })
    .execute();
}
