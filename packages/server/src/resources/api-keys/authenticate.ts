/**
 * From an `Authorization` header, or the cookie of a session, to who asks. A revoked key, and a session that has ended, stop working at
 * once, on every process: nothing is done with a known key that PostgreSQL does not confirm (`platform/database/key-check.ts`).
 */
import { timingSafeEqual } from "node:crypto";
import { expandScopes } from "@rowmill/contract/scopes";
import type { Authenticate, CallerSession, FindKnownKey, OrganizationKey } from "../../platform/auth/caller.ts";
import { isApiKey, keyDigest, keyDigestHex } from "../../platform/auth/keys.ts";
import { sql } from "../../platform/database/database.ts";
import type { Database, Queryable } from "../../platform/database/database.ts";
import { KEY_VERSION } from "../../platform/database/key-check.ts";
import { prepared } from "../../platform/database/prepared.ts";
import { ApiError, RefusedKeyError } from "../../platform/http/errors.ts";
import { keyLimitsOf } from "./key-authority.ts";
import { KnownKeys } from "./known-keys.ts";
import { sharedMs, sharedNow } from "../../platform/shared-time.ts";

/** `lastUsedAt` is written at most this often, so that reads do not become writes. */
const LAST_USED_EXACT_TO_MS = 60_000;
/** Longer than any key: a header of megabytes is not worth a digest. */
const MAX_KEY_LENGTH = 256;

export function createAuthenticate(
  database: Database,
  adminKeyDigest: () => Buffer,
): { authenticate: Authenticate; findKnownKey: FindKnownKey } {
  const known = new KnownKeys();
  const authenticate: Authenticate = async ({ authorization, sessionToken }) => {
    if (authorization === undefined && sessionToken !== undefined) {
      const { adminKeySha256, organizationId, apiKeyId, ...session } = await findSession(database, sessionToken);
      if (adminKeySha256 !== null) {
        // The admin key was replaced meanwhile.
        if (!timingSafeEqual(adminKeySha256, adminKeyDigest())) throw sessionEnded();
        return { kind: "admin", session };
      }
      if (organizationId === null || apiKeyId === null) throw sessionEnded();
      const [row] = await findKeyById(database.statements, { organizationId, id: apiKeyId });
      if (!row) throw sessionEnded();
      return admitKey(database, row, session);
    }
    const key = readBearer(authorization);
    const digest = keyDigest(key);
    if (timingSafeEqual(digest, adminKeyDigest())) return { kind: "admin", session: null };
    if (!isApiKey(key)) throw unknownKey();
    const name = digest.toString("hex");
    known.forget(name);
    const [row] = await findKeyByDigest(database.statements, { digest: name });
    if (!row) throw unknownKey();
    const found = await admitKey(database, row, null);
    const { version, expiresAt, lastUsedAt } = row;
    known.remember(name, { key: found, version, expiresAt, lastUsedAt });
    return found;
  };
  const findKnownKey: FindKnownKey = (authorization) => {
    const key = bearerIn(authorization);
    const found = key === undefined ? undefined : known.find(keyDigestHex(key));
    if (found === undefined) return undefined;
    const now = sharedMs();
    return hasExpired(found, now) || isUseToBeNoted(found, now) ? undefined : found;
  };
  return { authenticate, findKnownKey };
}

const hasExpired = ({ expiresAt }: Pick<FoundKey, "expiresAt">, now: number): boolean =>
  expiresAt !== null && expiresAt.getTime() <= now;
const isUseToBeNoted = ({ lastUsedAt }: Pick<FoundKey, "lastUsedAt">, now: number): boolean =>
  lastUsedAt === null || now - lastUsedAt.getTime() > LAST_USED_EXACT_TO_MS;

const selectKeys = (db: Queryable) =>
  db
    .selectFrom("apiKeys as k")
    .innerJoin("organizations as o", "o.id", "k.organizationId")
    .select([
      "k.organizationId",
      "k.id",
      "k.memberId",
      "k.scopes",
      "k.expiresAt",
      "k.revokedAt",
      "k.lastUsedAt",
      "k.requestsPerMinute",
      "k.sharedLimits",
      "o.state",
      "o.limits",
      sql<string>`${sql.raw(KEY_VERSION)}`.as("version"),
    ]);
type FoundKey = Awaited<ReturnType<typeof findKeyById>>[number];

const findKeyById = prepared("find_key_by_id", ["organizationId", "id"], (db, at) =>
  selectKeys(db).where("k.organizationId", "=", at.organizationId).where("k.id", "=", at.id),
);
/** In hexadecimal. */
const findKeyByDigest = prepared("find_key_by_digest", ["digest"], (db, at) =>
  selectKeys(db).where("k.digest", "=", sql<Buffer>`decode(${at.digest}::text, 'hex')`),
);

async function admitKey(database: Database, row: FoundKey, session: CallerSession | null): Promise<OrganizationKey> {
  const identity = { organizationId: row.organizationId, apiKeyId: row.id, memberId: row.memberId };
  if (row.revokedAt !== null) throw new RefusedKeyError("api_key_revoked", "The API key was revoked.", identity);
  const now = sharedMs();
  if (hasExpired(row, now)) throw new RefusedKeyError("api_key_expired", "The API key has expired.", identity);
  if (row.state === "suspended")
    throw new RefusedKeyError("organization_suspended", "The organization is suspended.", identity);
  if (isUseToBeNoted(row, now)) {
    await database.db
      .updateTable("apiKeys")
      .set({ lastUsedAt: new Date(now) })
      .where("organizationId", "=", row.organizationId)
      .where("id", "=", row.id)
      .where((w) => w.or([w("lastUsedAt", "is", null), w("lastUsedAt", "<", new Date(now - LAST_USED_EXACT_TO_MS))]))
      .execute();
  }
  return {
    kind: "organization",
    session,
    ...identity,
    scopes: expandScopes(row.scopes),
    requestsPerMinute: { organization: row.limits["requestsPerMinute"] ?? null, keys: keyLimitsOf(row) },
  };
}

async function findSession({ db }: Pick<Database, "db">, token: string) {
  const row = await db
    .selectFrom("sessions")
    .select(["id", "organizationId", "apiKeyId", "adminKeySha256", "expiresAt"])
    .where("digest", "=", keyDigest(token))
    .where("expiresAt", ">", sharedNow())
    .executeTakeFirst();
  if (!row) throw sessionEnded();
  return row;
}

const sessionEnded = (): ApiError =>
  new ApiError("session_ended", "The session has ended: sign in again.", { headers: { "WWW-Authenticate": "Bearer" } });
const unknownKey = (): ApiError =>
  new ApiError("invalid_api_key", "The API key is unknown.", { headers: { "WWW-Authenticate": "Bearer" } });

function bearerIn(authorization: string): string | undefined {
  const key = /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
  return key === undefined || key.length > MAX_KEY_LENGTH ? undefined : key;
}

function readBearer(authorization: string | undefined): string {
  if (authorization === undefined || authorization === "")
    throw new ApiError("authentication_required", "Send your API key as `Authorization: Bearer <key>`.", {
      headers: { "WWW-Authenticate": "Bearer" },
    });
  const key = bearerIn(authorization);
  if (key === undefined)
    throw new ApiError("invalid_api_key", "The Authorization header must be `Bearer` and an API key.", {
      headers: { "WWW-Authenticate": "Bearer" },
    });
  return key;
}
