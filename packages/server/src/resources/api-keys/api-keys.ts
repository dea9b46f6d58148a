/** API keys of organizations: made once, shown once, looked up by digest, revoked at once on every process. */
import { expandScopes } from "@rowmill/contract/scopes";
import type { ApiKey, CreatedApiKey } from "@rowmill/contract/api-keys";
import { roleScopes } from "@rowmill/contract/roles";
import type { Role } from "@rowmill/contract/roles";
import type { Scope } from "@rowmill/contract/scopes";
import type { Caller, KeyCaller } from "../../platform/auth/caller.ts";
import { keyDigest, newApiKey, redactKey } from "../../platform/auth/keys.ts";
import type { Queryable, Transaction } from "../../platform/database/database.ts";
import { isRow } from "../../platform/database/row-key.ts";
import { ApiError, notFound } from "../../platform/http/errors.ts";
import type { OperationFunction, ReplayChecks } from "../../platform/http/handlers.ts";
import { readNewest } from "../../platform/http/newest-first.ts";
import { formatId, formatIdOrNull, newUuid } from "../../platform/ids.ts";
import { lockOrganization } from "../organizations/lock-organization.ts";
import { recordAudit } from "../audit-events/audit-events.ts";
import { resource } from "../resource.ts";
import { limitOf } from "../organizations/organizations.ts";
import type { DefaultLimits, Services } from "../../services.ts";
import { clampToMaker, grantableScopes, readAuthority } from "./key-authority.ts";
import type { Inheritance } from "./key-authority.ts";
import { checkKeyReplay } from "./key-replays.ts";
import { revokeApiKey } from "./revoke-keys.ts";
import type { WithRevocation } from "./revoke-keys.ts";
import { notNull } from "../../platform/present.ts";
import { sharedNow } from "../../platform/shared-time.ts";

const createApiKey: OperationFunction<"createApiKey", Pick<Services, "limits">> = async (
  tx,
  caller,
  { params: { organizationId }, body },
  parts,
) => {
  await lockOrganization(tx, organizationId);
  const expiresAt = body.expiresAt === undefined ? null : new Date(body.expiresAt);
  if (expiresAt !== null && expiresAt <= sharedNow())
    throw new ApiError("invalid_request", "`expiresAt` must lie in the future.", { param: "expiresAt" });
  const maker = await readAuthority(tx, caller);
  const made = {
    organizationId,
    name: body.name,
    scopes: grantableScopes(caller, maker.scopes, body.scopes),
    // What a member makes is the member's, and ends with the member.
    memberId: caller.kind === "organization" ? caller.memberId : null,
    isRoleKey: false,
    ...clampToMaker(maker, { expiresAt, requestsPerMinute: body.requestsPerMinute ?? null }),
  };
  return insertApiKey(tx, caller, made, parts);
};

export interface NewApiKey extends Inheritance {
  organizationId: string;
  name: string;
  scopes: readonly Scope[];
  memberId: string | null;
  isRoleKey: boolean;
}

/** The organization is locked. */
export async function insertApiKey(
  tx: Transaction,
  caller: Caller,
  made: NewApiKey,
  { limits }: Pick<Services, "limits">,
): Promise<CreatedApiKey> {
  const { organizationId, name, scopes, expiresAt, memberId, requestsPerMinute, createdByKeyId } = made;
  await checkKeyLimit(tx, organizationId, limits);
  const id = newUuid();
  const key = newApiKey();
  const row = await tx
    .insertInto("apiKeys")
    .values({
      organizationId,
      id,
      name,
      digest: keyDigest(key),
      redactedKey: redactKey(key),
      scopes: [...scopes],
      memberId,
      createdByKeyId,
      isRoleKey: made.isRoleKey,
      sharedLimits: JSON.stringify(made.sharedLimits),
      requestsPerMinute,
      expiresAt,
      createdAt: sharedNow(),
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await recordAudit(
    tx,
    caller,
    "api_key.created",
    { organizationId, id },
    {
      name,
      scopes,
      expiresAt,
      ...notNull({ requestsPerMinute }),
      ...(memberId === null ? {} : { memberId: formatId("member", memberId) }),
      ...(createdByKeyId === null ? {} : { createdByKeyId: formatId("apiKey", createdByKeyId) }),
    },
  );
  return { ...describe(row), key };
}

/** A key that may do everything and belongs to no member. The organization is locked, or nobody else knows it yet. */
export const insertFullKey = (
  tx: Transaction,
  caller: Caller,
  made: Pick<NewApiKey, "organizationId" | "name" | "expiresAt">,
  parts: Pick<Services, "limits">,
): Promise<CreatedApiKey> =>
  insertApiKey(
    tx,
    caller,
    {
      ...made,
      scopes: [...expandScopes(["*"])],
      memberId: null,
      isRoleKey: false,
      createdByKeyId: null,
      requestsPerMinute: null,
      sharedLimits: [],
    },
    parts,
  );

async function checkKeyLimit(tx: Transaction, organizationId: string, limits: DefaultLimits): Promise<void> {
  const limit = await limitOf(tx, organizationId, "apiKeys", limits);
  const { count } = await tx
    .selectFrom("apiKeys")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("organizationId", "=", organizationId)
    .where("revokedAt", "is", null)
    .where((w) => w.or([w("expiresAt", "is", null), w("expiresAt", ">", sharedNow())]))
    .executeTakeFirstOrThrow();
  if (count >= limit)
    throw new ApiError(
      "limit_reached",
      `The organization has ${count} active API keys, which is its limit. Revoke one.`,
    );
}

const listApiKeys: OperationFunction<"listApiKeys"> = async (db, _caller, { params: { organizationId }, page }) => {
  await checkOrganization(db, organizationId);
  const { rows, next } = await readNewest(
    db,
    { table: "apiKeys", organizationId, large: ["scopes", "sharedLimits"] },
    page,
  );
  return { data: rows.map(describe), next };
};

const { find: findApiKey } = resource("apiKeys", { noun: "API key", large: [] });

const getApiKey: OperationFunction<"getApiKey"> = async (db, _caller, { params }) =>
  describe(await findApiKey(db, params, params.apiKeyId));

/**
 * What the keys that the member holds may do after a change of role; one audit event for each that changes. The key of the
 * invitation follows the role; all others lose what the new role does not have, and never gain.
 */
export async function changeScopesOfMember(
  tx: Transaction,
  caller: KeyCaller,
  { organizationId, memberId }: { organizationId: string; memberId: string },
  role: Role,
): Promise<void> {
  const next = [...expandScopes(roleScopes[role])];
  const keys = await tx
    .selectFrom("apiKeys")
    .select(["id", "scopes", "isRoleKey"])
    .where("organizationId", "=", organizationId)
    .where("memberId", "=", memberId)
    .where("revokedAt", "is", null)
    .forUpdate()
    .execute();
  for (const key of keys) {
    const owned = expandScopes(key.scopes);
    const scopes = key.isRoleKey ? next : next.filter((scope) => owned.has(scope));
    if (scopes.length === owned.size && scopes.every((scope) => owned.has(scope))) continue;
    await tx.updateTable("apiKeys").set({ scopes }).where(isRow({ organizationId }, key.id)).execute();
    await recordAudit(tx, caller, "api_key.updated", { organizationId, id: key.id }, { scopes });
  }
}

async function checkOrganization(db: Queryable, organizationId: string): Promise<void> {
  const found = await db.selectFrom("organizations").select("id").where("id", "=", organizationId).executeTakeFirst();
  if (!found) throw notFound("organization");
}

interface ApiKeyRow {
  organizationId: string;
  id: string;
  name: string;
  redactedKey: string;
  scopes: string[];
  memberId: string | null;
  createdByKeyId: string | null;
  requestsPerMinute: number | null;
  lastUsedAt: Date | null;
  expiresAt: Date | null;
  revokedAt: Date | null;
  createdAt: Date;
}

const describe = (row: ApiKeyRow): ApiKey => ({
  id: formatId("apiKey", row.id),
  organizationId: formatId("organization", row.organizationId),
  name: row.name,
  redactedKey: row.redactedKey,
  scopes: [...expandScopes(row.scopes)],
  memberId: formatIdOrNull("member", row.memberId),
  createdByKeyId: formatIdOrNull("apiKey", row.createdByKeyId),
  requestsPerMinute: row.requestsPerMinute,
  lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
  expiresAt: row.expiresAt?.toISOString() ?? null,
  revokedAt: row.revokedAt?.toISOString() ?? null,
  createdAt: row.createdAt.toISOString(),
});

export const apiKeyOperations = {
  createApiKey,
  listApiKeys,
  getApiKey,
  revokeApiKey: (async (tx, caller, { params, query }, parts) => {
    const key = { organizationId: params.organizationId, id: params.apiKeyId };
    return revokeApiKey(tx, caller, { ...key, cascade: query.cascade ?? false }, parts);
  }) satisfies OperationFunction<"revokeApiKey", WithRevocation>,
};

export const apiKeyReplays = { createApiKey: checkKeyReplay } satisfies Partial<ReplayChecks>;
