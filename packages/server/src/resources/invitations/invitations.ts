/**
 * Invitations: a link for one address, with a token of which only the digest is kept.
 *
 *   pending → accepted (once, as a member) | revoked | expired
 *
 * Whatever changes them locks the organization's row first, so two at once wait for each other. A pending one whose time has passed
 * is shown as expired at once, and written so by a periodic task.
 */
import type { CreatedInvitationSchema, Invitation, InvitationState } from "@rowmill/contract/invitations";
import type { Page } from "@rowmill/contract/operation";
import type { Role } from "@rowmill/contract/roles";
import { roleScopes } from "@rowmill/contract/roles";
import type { RawBuilder, Selectable } from "kysely";
import type { Static } from "typebox";
import { lockOrganization } from "../organizations/lock-organization.ts";
import type { KeyCaller } from "../../platform/auth/caller.ts";
import { newInvitationToken } from "../../platform/auth/keys.ts";
import { executeList, sql } from "../../platform/database/database.ts";
import type { Database, Queryable, Transaction } from "../../platform/database/database.ts";
import type { InvitationsTable } from "../../platform/database/account-tables.ts";
import { alwaysById } from "../../platform/database/row-key.ts";
import { rememberFailures, rowsOfOne, untilNoneLeft } from "../../platform/database/failures-by-organization.ts";
import { ApiError, notFound } from "../../platform/http/errors.ts";
import type { OperationFunction } from "../../platform/http/handlers.ts";
import { idsBetween, indexName, newestIds, oneMore, rangeOfIndex, rowsOf } from "../../platform/http/newest-first.ts";
import { fittedPage } from "../../platform/http/pages.ts";
import { formatId, formatIdOrNull, newUuid, uuidOf } from "../../platform/ids.ts";
import { enqueueMail } from "../../platform/mail/mail-queue.ts";
import type { Mailer } from "../../platform/mail/mailer.ts";
import type { Queue } from "../../platform/queue/queue.ts";
import type { Sealer } from "../../platform/secrets/sealing.ts";
import { sha256 } from "../../platform/secrets/sealing.ts";
import { earlier, readAuthority } from "../api-keys/key-authority.ts";
import type { Authority } from "../api-keys/key-authority.ts";
import { recordAudit } from "../audit-events/audit-events.ts";
import type { Config } from "../../config.ts";
import type { DefaultLimits } from "../../services.ts";
import { resource } from "../resource.ts";
import { invitationMail } from "./invitation-mail.ts";
import { sharedNow } from "../../platform/shared-time.ts";

/** More links than anybody waits for; without an end, a stolen key could send mail to the world. */
const MAX_PENDING = 1_000;

export interface InvitationParts {
  limits: DefaultLimits;
  queue: Queue;
  sealer: Sealer;
  mailer: Mailer | undefined;
  publicUrl: () => string;
  config: Pick<Config, "ROWMILL_INVITATION_EXPIRY_HOURS">;
}

export type InvitationRow = Selectable<InvitationsTable>;

const invitations = resource("invitations", { noun: "invitation", large: [] });

export const findInvitation = invitations.find;

export const createInvitation: OperationFunction<"createInvitation", InvitationParts> = async (
  tx,
  caller,
  { params: { organizationId }, body: { email, role } },
  parts,
) => {
  const organization = await lockOrganization(tx, organizationId);
  const maker = await readAuthority(tx, caller);
  checkGrant(maker, role);
  await expirePending(tx, organizationId);
  await checkAddress(tx, organizationId, email);
  const now = sharedNow();
  const token = newInvitationToken();
  const inviteUrl = `${parts.publicUrl()}/accept-invitation#token=${token}`;
  const row = await tx
    .insertInto("invitations")
    .values({
      organizationId,
      id: newUuid(),
      email,
      role,
      tokenDigest: sha256(token),
      createdByKeyId: maker.createdByKeyId,
      // It ends with the key it was made with: an accepted one gives a key, which could otherwise outlive its source.
      expiresAt: earlier(
        maker.expiresAt,
        new Date(now.getTime() + parts.config.ROWMILL_INVITATION_EXPIRY_HOURS * 3_600_000),
      ),
      createdAt: now,
      updatedAt: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await recordAudit(tx, caller, "invitation.created", row, { email, role });
  if (parts.mailer !== undefined)
    await enqueueMail(
      tx,
      parts,
      row.organizationId,
      invitationMail({ email, role, organizationName: organization.name, inviteUrl, expiresAt: row.expiresAt }),
    );
  return { ...describeInvitation(row), inviteUrl };
};

/** For callers that may give the role; the link as long as it can be accepted. */
export async function checkInvitationReplay(
  db: Queryable,
  caller: KeyCaller,
  { id, organizationId, role }: Static<typeof CreatedInvitationSchema>,
): Promise<boolean> {
  if (caller.kind === "organization") checkGrant(caller, role);
  const row = await findInvitation(
    db,
    { organizationId: uuidOf("organization", organizationId) },
    uuidOf("invitation", id),
  );
  return row.state === "pending" && row.expiresAt > sharedNow();
}

/** Nobody gives away, or takes away, what they do not have. */
export function checkGrant({ scopes }: Pick<Authority, "scopes">, role: Role): void {
  const missing = roleScopes[role].filter((scope) => !scopes.has(scope));
  if (missing.length > 0)
    throw new ApiError(
      "insufficient_scope",
      `A key can only give or take away a role whose scopes it has; for ${role}, yours lacks ${missing.join(", ")}.`,
      { param: "role", extra: { requiredScopes: missing } },
    );
}

async function checkAddress(tx: Transaction, organizationId: string, email: string): Promise<void> {
  const pending = await tx
    .selectFrom("invitations")
    .select((eb) => [
      eb.fn.countAll<number>().as("count"),
      sql<boolean>`coalesce(bool_or(lower(email) = lower(${email})), false)`.as("isInvited"),
    ])
    .where("organizationId", "=", organizationId)
    .where("state", "=", "pending")
    .executeTakeFirstOrThrow();
  if (pending.isInvited)
    throw new ApiError("already_exists", "There is a pending invitation for this address. Revoke it first.", {
      param: "email",
    });
  await checkNoMember(tx, organizationId, email);
  if (pending.count >= MAX_PENDING)
    throw new ApiError("limit_reached", `The organization has ${pending.count} pending invitations. Revoke some.`);
}

export async function checkNoMember(tx: Transaction, organizationId: string, email: string): Promise<void> {
  const member = await tx
    .selectFrom("members")
    .select("id")
    .where("organizationId", "=", organizationId)
    .where("removedAt", "is", null)
    .where(sql<boolean>`lower(email) = lower(${email})`)
    .executeTakeFirst();
  if (member) throw new ApiError("already_exists", "This address belongs to a member already.", { param: "email" });
}

/** Newest first; each state is a range of an index, in the order of the list. */
export const listInvitations: OperationFunction<"listInvitations"> = async (db, _caller, { params, filters, page }) => {
  const { organizationId } = params;
  await checkOrganization(db, organizationId);
  const ranges = filters.state === undefined ? undefined : storedRanges(filters.state);
  const found = await readInvitations(db, organizationId, ranges, oneMore(page));
  const { rows, next } = fittedPage(found, page, (row) => [row.id]);
  return { data: rows.map(describeInvitation), next };
};

async function readInvitations(
  db: Queryable,
  organizationId: string,
  ranges: readonly StoredRange[] | undefined,
  { limit, after }: Page,
): Promise<InvitationRow[]> {
  const ids =
    ranges === undefined
      ? newestIds({ table: "invitations", organizationId }, { limit, after })
      : idsOfRanges(organizationId, ranges, { limit, after });
  return executeList(
    db,
    rowsOf<InvitationRow>("invitations", organizationId, sql`array(${ids})`, { large: [], limit }),
  );
}

function idsOfRanges(
  organizationId: string,
  ranges: readonly StoredRange[],
  { limit, after }: Page,
): RawBuilder<unknown> {
  const range = rangeOfIndex(
    [sql`i.organization_id`, sql`i.state`, sql`i.id`],
    [sql`${organizationId}::uuid`, sql`s.state`],
    idsBetween({}, after),
    indexName("i", ["state"]),
  );
  return sql`select r.id from unnest(${ranges.map(({ stored }) => stored)}::text[], ${ranges.map(({ isDue }) => isDue)}::bool[])
      as s (state, is_due) cross join lateral (
        select i.id from invitations i
        where ${range.where} and (i.state <> 'pending' or (i.expires_at <= now()) = s.is_due)
        order by ${range.order} limit ${limit}) r
    order by r.id desc limit ${limit}`;
}

interface StoredRange {
  stored: InvitationState;
  isDue: boolean;
}

/** What is shown as expired may still be stored as pending. */
function storedRanges(states: readonly InvitationState[]): StoredRange[] {
  const ranges = states.map((state) => ({ stored: state, isDue: false }));
  return states.includes("expired") ? [...ranges, { stored: "pending", isDue: true }] : ranges;
}

export const getInvitation: OperationFunction<"getInvitation"> = async (db, _caller, { params }) =>
  describeInvitation(await findInvitation(db, params, params.invitationId));

const IS_DUE = sql`state = 'pending' and expires_at <= now()`;

/** Periodic: what is shown as expired is written so, in every organization. */
export async function expireInvitations(database: Database, former = rememberFailures()): Promise<void> {
  await untilNoneLeft(
    (failures, note) =>
      database.transaction(async (tx) => {
        const isLookedAt = failures.leftOut("organization_id", "id");
        const { rows } = await sql<{ organizationId: string }>`
        select organization_id from invitations where ${IS_DUE} and ${isLookedAt}
        order by expires_at limit 1 for update skip locked`.execute(tx);
        const [due] = rows;
        if (due === undefined) return false;
        const { organizationId } = due;
        // Another worker may have locked another one of the organization, and would wait for this one.
        const { rows: found } = await sql<{ id: string }>`
        select id from invitations where ${IS_DUE} and ${isLookedAt} and organization_id = ${organizationId}
        order by expires_at limit ${failures.rowsAtOnce(organizationId, MAX_PENDING)}
        for update skip locked`.execute(tx);
        const ids = found.map(({ id }) => id);
        note(rowsOfOne(organizationId, ids));
        await expire(tx, organizationId, sql`id = any(${ids}::uuid[])`);
        return true;
      }),
    former("expire"),
  );
}

/** Those that somebody else has locked are waited for. */
export async function expirePending(tx: Transaction, organizationId: string): Promise<void> {
  await expire(tx, organizationId, sql`true`);
}

async function expire(tx: Transaction, organizationId: string, isMeant: RawBuilder<unknown>): Promise<void> {
  const { rows } = await sql<InvitationRow>`
    update invitations i set state = 'expired', updated_at = now()
    from (select organization_id, id from invitations
      where ${IS_DUE} and organization_id = ${organizationId} and ${isMeant} for update) due
    where i.organization_id = due.organization_id and i.id = due.id${sql.raw(alwaysById("invitations", "i"))}
    returning i.*`.execute(tx);
  for (const row of rows) await recordAudit(tx, { kind: "system" }, "invitation.expired", row, { email: row.email });
}

export async function checkOrganization(db: Queryable, id: string): Promise<void> {
  const found = await db.selectFrom("organizations").select("id").where("id", "=", id).executeTakeFirst();
  if (!found) throw notFound("organization");
}

const describeInvitation = (row: InvitationRow): Invitation => ({
  id: formatId("invitation", row.id),
  organizationId: formatId("organization", row.organizationId),
  email: row.email,
  role: row.role,
  state: row.state === "pending" && row.expiresAt <= sharedNow() ? "expired" : row.state,
  memberId: formatIdOrNull("member", row.memberId),
  createdByKeyId: formatIdOrNull("apiKey", row.createdByKeyId),
  expiresAt: row.expiresAt.toISOString(),
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
});

export const invitationOperations = { createInvitation, listInvitations, getInvitation };
