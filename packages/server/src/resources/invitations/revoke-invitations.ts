/** Revoking invitations: one by its id, and those that would outlive the authority they were made with. */
import { roleScopes, roles } from "@rowmill/contract/roles";
import type { Role } from "@rowmill/contract/roles";
import { expandScopes } from "@rowmill/contract/scopes";
import { lockOrganization } from "../organizations/lock-organization.ts";
import type { KeyCaller } from "../../platform/auth/caller.ts";
import { sql } from "../../platform/database/database.ts";
import type { Transaction } from "../../platform/database/database.ts";
import { invalidState } from "../../platform/http/errors.ts";
import type { OperationFunction } from "../../platform/http/handlers.ts";
import { readAuthority } from "../api-keys/key-authority.ts";
import { recordAudit } from "../audit-events/audit-events.ts";
import { checkGrant, expirePending, findInvitation } from "./invitations.ts";

/** Revoking one that has ended without a member changes nothing. */
export const revokeInvitation: OperationFunction<"revokeInvitation"> = async (tx, caller, { params }) => {
  const { organizationId, invitationId: id } = params;
  await lockOrganization(tx, organizationId);
  await expirePending(tx, organizationId);
  const { state, role } = await findInvitation(tx, { organizationId }, id);
  checkGrant(await readAuthority(tx, caller), role);
  if (state === "accepted") throw invalidState("The invitation was accepted: remove the member instead.");
  if (state === "pending") await revokePending(tx, caller, organizationId, sql`id = ${id}`);
  return undefined;
};

/** Those that were made with any of the keys. */
export async function revokeInvitationsMadeWith(
  tx: Transaction,
  caller: KeyCaller,
  organizationId: string,
  keyIds: readonly string[],
): Promise<void> {
  await revokePending(tx, caller, organizationId, sql`created_by_key_id = any(${keyIds}::uuid[])`);
}

/** Those made with the member's keys that give more than the member's role, or all when the member is removed. */
export async function revokeInvitationsOfMember(
  tx: Transaction,
  caller: KeyCaller,
  organizationId: string,
  memberId: string,
  role: Role | null,
): Promise<void> {
  const owned = expandScopes(role === null ? [] : roleScopes[role]);
  const beyond = roles.filter((given) => !roleScopes[given].every((scope) => owned.has(scope)));
  await revokePending(
    tx,
    caller,
    organizationId,
    sql`role = any(${beyond}::text[]) and created_by_key_id in (
      select id from api_keys where organization_id = ${organizationId} and member_id = ${memberId})`,
  );
}

async function revokePending(
  tx: Transaction,
  caller: KeyCaller,
  organizationId: string,
  which: ReturnType<typeof sql>,
): Promise<void> {
  const { rows } = await sql<{ organizationId: string; id: string; email: string }>`
    update invitations set state = 'revoked', updated_at = now()
    where organization_id = ${organizationId} and state = 'pending' and ${which}
    returning organization_id, id, email`.execute(tx);
  for (const row of rows) await recordAudit(tx, caller, "invitation.revoked", row, { email: row.email });
}
