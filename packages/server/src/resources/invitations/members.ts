/** Members: people who have accepted an invitation. A member acts through keys that it holds, and they end with it. */
import type { Operations } from "@rowmill/contract";
import type { AcceptedInvitation, Member } from "@rowmill/contract/invitations";
import type { Input, Page, PageOf } from "@rowmill/contract/operation";
import { roleScopes } from "@rowmill/contract/roles";
import { expandScopes } from "@rowmill/contract/scopes";
import type { Selectable } from "kysely";
import { lockOrganization } from "../organizations/lock-organization.ts";
import type { KeyCaller, MemberCaller, PublicCaller } from "../../platform/auth/caller.ts";
import type { Queryable, Transaction } from "../../platform/database/database.ts";
import type { MembersTable } from "../../platform/database/account-tables.ts";
import { ApiError, invalidState, notFound } from "../../platform/http/errors.ts";
import { readPage } from "../../platform/http/pages.ts";
import { formatId, newUuid } from "../../platform/ids.ts";
import { sha256 } from "../../platform/secrets/sealing.ts";
import { changeScopesOfMember, insertApiKey } from "../api-keys/api-keys.ts";
import { readAuthority, readInheritance } from "../api-keys/key-authority.ts";
import { revokeKeysOfMember } from "../api-keys/revoke-keys.ts";
import { recordAudit } from "../audit-events/audit-events.ts";
import type { DefaultLimits } from "../../services.ts";
import { audit, checkGrant, checkNoMember, checkOrganization } from "./invitations.ts";
import type { InvitationRow } from "./invitations.ts";
import { revokeInvitationsOfMember } from "./revoke-invitations.ts";
import { cutText } from "../../platform/text.ts";

const KEY_NAME_LENGTH = 200;

/** Of several at once with one token, the first to lock the organization becomes the member; the others find it accepted. */
export async function acceptInvitation(
  tx: Transaction,
  limits: DefaultLimits,
  caller: PublicCaller,
  { token, name }: Input<Operations["acceptInvitation"]>["body"],
): Promise<AcceptedInvitation> {
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
    .values({ organizationId, id: memberId, name, email, role, invitationId: id, createdAt: new Date() })
    .returningAll()
    .executeTakeFirstOrThrow();
  const accepted = await tx
    .updateTable("invitations")
    .set({ state: "accepted", memberId, updatedAt: new Date() })
    .where("organizationId", "=", organizationId)
    .where("id", "=", id)
    .where("state", "=", "pending")
    .executeTakeFirst();
  if (accepted.numUpdatedRows === 0n) throw invalidState("The invitation has just expired. Ask for a new one.");
  const actor: MemberCaller = { kind: "member", memberId, requestId: caller.requestId, ip: caller.ip };
  await audit(tx, actor, "invitation.accepted", found, { email, memberId: formatId("member", memberId) });
  await recordAudit(tx, actor, "member.created", { organizationId, id: memberId }, { name, email, role });
  const apiKey = await insertApiKey(tx, actor, limits, {
    organizationId,
    name: cutText(name, KEY_NAME_LENGTH),
    scopes: [...expandScopes(roleScopes[role])],
    memberId,
    isRoleKey: true,
    ...(await readInheritance(tx, organizationId, found.createdByKeyId)),
  });
  return { member: describe(member), apiKey };
}

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
  if (row.state === "expired" || row.expiresAt <= new Date())
    throw invalidState(`The invitation expired at ${row.expiresAt.toISOString()}. Ask for a new one.`);
  return row;
}

export async function listMembers(db: Queryable, organizationId: string, page: Page): Promise<PageOf<Member>> {
  await checkOrganization(db, organizationId);
  const { rows, next } = await readPage(
    (part) =>
      db
        .selectFrom("members")
        .selectAll()
        .where("organizationId", "=", organizationId)
        .where("removedAt", "is", null)
        .$if(part.after !== undefined, (q) => q.where("id", "<", String(part.after?.[0])))
        .orderBy("id", "desc"),
    page,
    (row) => [row.id],
  );
  return { data: rows.map(describe), next };
}

export async function getMember(db: Queryable, organizationId: string, id: string): Promise<Member> {
  const row = await db
    .selectFrom("members")
    .selectAll()
    .where("organizationId", "=", organizationId)
    .where("id", "=", id)
    .where("removedAt", "is", null)
    .executeTakeFirst();
  if (!row) throw notFound("member");
  return describe(row);
}

/** The keys that the member holds follow in the same transaction: they are looked up again for every request. */
export async function updateMember(
  tx: Transaction,
  caller: KeyCaller,
  organizationId: string,
  id: string,
  { role }: Input<Operations["updateMember"]>["body"],
): Promise<Member> {
  await lockOrganization(tx, organizationId);
  const before = await getMember(tx, organizationId, id);
  const authority = await readAuthority(tx, caller);
  checkGrant(authority, before.role);
  checkGrant(authority, role);
  if (role === before.role) return before;
  await checkNotLastOwner(tx, organizationId, before, id);
  const row = await tx
    .updateTable("members")
    .set({ role })
    .where("organizationId", "=", organizationId)
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();
  await recordAudit(tx, caller, "member.updated", { organizationId, id }, { role, formerRole: before.role });
  await changeScopesOfMember(tx, caller, { organizationId, memberId: id }, role);
  await revokeInvitationsOfMember(tx, caller, organizationId, id, role);
  return describe(row);
}

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

/** By whoever may change the member's role. The record stays, since audit events name it. */
export async function removeMember(
  tx: Transaction,
  caller: KeyCaller,
  organizationId: string,
  id: string,
): Promise<undefined> {
  await lockOrganization(tx, organizationId);
  const member = await getMember(tx, organizationId, id);
  checkGrant(await readAuthority(tx, caller), member.role);
  await checkNotLastOwner(tx, organizationId, member, id);
  const removed = await tx
    .updateTable("members")
    .set({ removedAt: new Date() })
    .where("organizationId", "=", organizationId)
    .where("id", "=", id)
    .returning(["name", "email"])
    .executeTakeFirstOrThrow();
  await recordAudit(tx, caller, "member.removed", { organizationId, id }, removed);
  await revokeInvitationsOfMember(tx, caller, organizationId, id, null);
  await revokeKeysOfMember(tx, caller, organizationId, id);
  return undefined;
}

const describe = (row: Selectable<MembersTable>): Member => ({
  id: formatId("member", row.id),
  organizationId: formatId("organization", row.organizationId),
  name: row.name,
  email: row.email,
  role: row.role,
  invitationId: formatId("invitation", row.invitationId),
  createdAt: row.createdAt.toISOString(),
});
