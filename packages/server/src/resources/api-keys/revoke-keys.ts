/** Revoking keys: one, one with all that was made with it, or those of a member. */
import type { KeyCaller } from "../../platform/auth/caller.ts";
import { sql } from "../../platform/database/database.ts";
import type { Transaction } from "../../platform/database/database.ts";
import { isRow } from "../../platform/database/row-key.ts";
import { notFound } from "../../platform/http/errors.ts";
import { lockOrganization } from "../organizations/lock-organization.ts";
import { recordAudit } from "../audit-events/audit-events.ts";
import { sharedNow } from "../../platform/shared-time.ts";

/** What else ends with keys that are revoked together with all that was made with them. */
export type RevokeMadeWith = (
  tx: Transaction,
  caller: KeyCaller,
  organizationId: string,
  keyIds: readonly string[],
) => Promise<void>;

/** Parts of what revokes a key. */
export interface WithRevocation {
  revokeMadeWith: RevokeMadeWith;
}

/** With `cascade`, also the keys made with it, those made with them, and so on, whatever became of the ones between. */
export async function revokeApiKey(
  tx: Transaction,
  caller: KeyCaller,
  { organizationId, id, cascade }: { organizationId: string; id: string; cascade: boolean },
  { revokeMadeWith }: WithRevocation,
): Promise<undefined> {
  await lockOrganization(tx, organizationId);
  const { rows } = await sql<{ id: string }>`
    with recursive family as (
      select id from api_keys where ${isRow({ organizationId }, id)}
      union
      select k.id from api_keys k join family f on k.created_by_key_id = f.id
      where k.organization_id = ${organizationId} and ${cascade})
    select id from family`.execute(tx);
  if (rows.length === 0) throw notFound("API key");
  const ids = rows.map((row) => row.id);
  await revoke(tx, caller, organizationId, ids);
  if (cascade) await revokeMadeWith(tx, caller, organizationId, ids);
  return undefined;
}

/** All keys that the member holds and that still work. */
export async function revokeKeysOfMember(
  tx: Transaction,
  caller: KeyCaller,
  organizationId: string,
  memberId: string,
): Promise<void> {
  const keys = await tx
    .selectFrom("apiKeys")
    .select("id")
    .where("organizationId", "=", organizationId)
    .where("memberId", "=", memberId)
    .where("revokedAt", "is", null)
    .execute();
  await revoke(
    tx,
    caller,
    organizationId,
    keys.map(({ id }) => id),
  );
}

/** One audit event for each key that still worked; one that was revoked before keeps its time. */
async function revoke(tx: Transaction, caller: KeyCaller, organizationId: string, ids: string[]): Promise<void> {
  const revoked = await tx
    .updateTable("apiKeys")
    .set({ revokedAt: sharedNow() })
    .where("organizationId", "=", organizationId)
    .where("id", "=", sql<string>`any(${ids}::uuid[])`)
    .where("revokedAt", "is", null)
    .returning("id")
    .execute();
  for (const { id } of revoked) await recordAudit(tx, caller, "api_key.revoked", { organizationId, id });
}
