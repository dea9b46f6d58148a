/** Members: people who have accepted an invitation. A member acts through keys that it holds, and they end with it. */
import type { Member } from "@rowmill/contract/members";
import { roleScopes } from "@rowmill/contract/roles";
import { expandScopes } from "@rowmill/contract/scopes";
import type { Selectable } from "kysely";
import { lockOrganization } from "../organizations/lock-organization.ts";
import type { MemberCaller } from "../../platform/auth/caller.ts";
import type { Transaction } from "../../platform/database/database.ts";
import type { MembersTable } from "../../platform/database/account-tables.ts";
import { isRowOf } from "../../platform/database/row-key.ts";
import { ApiError, invalidState, notFound } from "../../platform/http/errors.ts";
import type { OperationFunction } from "../../platform/http/handlers.ts";
import { formatId, newUuid } from "../../platform/ids.ts";
import { sha256 } from "../../platform/secrets/sealing.ts";
import { changeScopesOfMember, insertApiKey } from "../api-keys/api-keys.ts";
import { readAuthority, readInheritance } from "../api-keys/key-authority.ts";
import { revokeKeysOfMember } from "../api-keys/revoke-keys.ts";
import { recordAudit } from "../audit-events/audit-events.ts";
import type { DefaultLimits } from "../../services.ts";
import { resource } from "../resource.ts";
import { checkGrant, checkNoMember, checkOrganization } from "./invitations.ts";
import type { InvitationRow } from "./invitations.ts";
import { revokeInvitationsOfMember } from "./revoke-invitations.ts";
import { cutText } from "../../platform/text.ts";
import { sharedNow } from "../../platform/shared-time.ts";

const KEY_NAME_LENGTH = 200;

const members = resource("members", {
  noun: "member",
  deletedIn: "removedAt",
  large: [],
  hasNoUpdateTime: true,
});

/** Of several at once with one token, the first to lock the organization becomes the member; the others find it accepted. */
export const acceptInvitation: OperationFunction<"acceptInvitation", { limits: DefaultLimits }> = async (
  tx,
  caller,
  { body: { token, name } },
  { limits },
) => {
  const found = await findByToken(tx, token);
  const { organizationId } = found;
  const organization = await lockOrganization(tx, organizationId);
  if (organization.state === "suspended")
    throw new ApiError("organization_suspended", "The organization is suspended: the invitation cannot be accepted.");
  const { id, email, role } = checkAcceptable(await findByToken(tx, token));
  await checkNoMember(tx, organizationId, email);
  const memberId = newUuid();
  const member = await tx
    .insertInto("members")
    .values({ organizationId, id: memberId, name, email, role, invitationId: id, createdAt: sharedNow() })
    .returningAll()
    .executeTakeFirstOrThrow();
  const accepted = await tx
    .updateTable("invitations")
    .set({ state: "accepted", memberId, updatedAt: sharedNow() })
    .where(isRowOf("invitations", { organizationId }, id))
    .where("state", "=", "pending")
    .executeTakeFirst();
  if (accepted.numUpdatedRows === 0n) throw invalidState("The invitation has just expired. Ask for a new one.");
  const actor: MemberCaller = { kind: "member", memberId, requestId: caller.requestId, ip: caller.ip };
  await recordAudit(tx, actor, "invitation.accepted", found, { email, memberId: formatId("member", memberId) });
  await recordAudit(tx, actor, "member.created", { organizationId, id: memberId }, { name, email, role });
  const apiKey = await insertApiKey(
    tx,
    actor,
    {
      organizationId,
      name: cutText(name, KEY_NAME_LENGTH),
      scopes: [...expandScopes(roleScopes[role])],
      memberId,
      isRoleKey: true,
      ...(await readInheritance(tx, organizationId, found.createdByKeyId)),
    },
    { limits },
  );
  return { member: describe(member), apiKey };
};

async function findByToken(tx: Transaction, token: string): Promise<InvitationRow> {
  const row = await tx
    .selectFrom("invitations")
    .selectAll()
    .where("tokenDigest", "=", sha256(token))
    .executeTakeFirst();
  if (!row) throw notFound("invitation", "token");
  return row;
}

function checkAcceptable(row: InvitationRow): InvitationRow {
  if (row.state === "accepted") throw invalidState("The invitation was accepted before; its link works once.");
  if (row.state === "revoked") throw invalidState("The invitation was revoked. Ask for a new one.");
  if (row.state === "expired" || row.expiresAt <= sharedNow())
    throw invalidState(`The invitation expired at ${row.expiresAt.toISOString()}. Ask for a new one.`);
  return row;
}

export const listMembers: OperationFunction<"listMembers"> = async (db, _caller, { params, page }) => {
  await checkOrganization(db, params.organizationId);
  const { rows, next } = await members.list(db, params, page);
  return { data: rows.map(describe), next };
};

export const getMember: OperationFunction<"getMember"> = async (db, _caller, { params }) =>
  describe(await members.find(db, params, params.memberId));

/** The keys that the member holds follow in the same transaction: they are looked up again for every request. */
export const updateMember: OperationFunction<"updateMember"> = async (tx, caller, { params, body: { role } }) => {
  const { organizationId, memberId: id } = params;
  await lockOrganization(tx, organizationId);
  const before = await members.find(tx, { organizationId }, id);
  const authority = await readAuthority(tx, caller);
  checkGrant(authority, before.role);
  checkGrant(authority, role);
  if (role === before.role) return describe(before);
  await checkNotLastOwner(tx, organizationId, before, id);
  const row = await members.update(tx, { organizationId }, id, { role });
  await recordAudit(tx, caller, "member.updated", { organizationId, id }, { role, formerRole: before.role });
  await changeScopesOfMember(tx, caller, { organizationId, memberId: id }, role);
  await revokeInvitationsOfMember(tx, caller, organizationId, id, role);
  return describe(row);
};

/** The organization's row is locked: two owners cannot leave at the same moment. */
async function checkNotLastOwner(
  tx: Transaction,
  organizationId: string,
  { role }: Pick<Member, "role">,
  id: string,
): Promise<void> {
  if (role !== "owner") return;
  const other = await tx
    .selectFrom("members")
    .select("id")
    .where("organizationId", "=", organizationId)
    .where("role", "=", "owner")
    .where("removedAt", "is", null)
    .where("id", "<>", id)
    .limit(1)
    .executeTakeFirst();
  if (!other) throw invalidState("This is the last owner of the organization: make another member an owner first.");
}

/** By a member who may change the member's role. The record stays, since audit events name it. */
export const removeMember: OperationFunction<"removeMember"> = async (tx, caller, { params }) => {
  const { organizationId, memberId: id } = params;
  await lockOrganization(tx, organizationId);
  const member = await members.find(tx, { organizationId }, id);
  checkGrant(await readAuthority(tx, caller), member.role);
  await checkNotLastOwner(tx, organizationId, member, id);
  const { name, email } = await members.update(tx, { organizationId }, id, { removedAt: sharedNow() });
  await recordAudit(tx, caller, "member.removed", { organizationId, id }, { name, email });
  await revokeInvitationsOfMember(tx, caller, organizationId, id, null);
  await revokeKeysOfMember(tx, caller, organizationId, id);
  return undefined;
};

const describe = (row: Selectable<MembersTable>): Member => ({
  id: formatId("member", row.id),
  organizationId: formatId("organization", row.organizationId),
  name: row.name,
  email: row.email,
  role: row.role,
  invitationId: formatId("invitation", row.invitationId),
  createdAt: row.createdAt.toISOString(),
});

export const memberOperations = { acceptInvitation, listMembers, getMember, updateMember, removeMember };
