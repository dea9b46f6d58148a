/**
 * What a caller may give away. A key made with another key has at most its scopes, ends no later, and shares its request limit,
 * so that making keys is no way around a limit.
 */
import { defaultScopes, expandScopes, scopes as allScopes } from "@rowmill/contract/scopes";
import type { Scope } from "@rowmill/contract/scopes";
import type { KeyCaller, KeyLimit } from "../../platform/auth/caller.ts";
import type { Queryable, Transaction } from "../../platform/database/database.ts";
import { isRow } from "../../platform/database/row-key.ts";
import { ApiError, RefusedKeyError, notFound } from "../../platform/http/errors.ts";
import { sharedNow } from "../../platform/shared-time.ts";

/** Each generation with a stricter limit adds a bucket that every request of the key counts on. */
const MAX_SHARED_LIMITS = 5;

/** What a key passes on to those that are made with it. */
export interface Inheritance {
  createdByKeyId: string | null;
  expiresAt: Date | null;
  requestsPerMinute: number | null;
  sharedLimits: KeyLimit[];
}
export interface Authority extends Inheritance {
  scopes: ReadonlySet<Scope>;
}

const nothingInherited: Inheritance = {
  createdByKeyId: null,
  expiresAt: null,
  requestsPerMinute: null,
  sharedLimits: [],
};

/**
 * What the caller may give away at this moment. The caller holds the lock of the organization's row, and so does the code that
 * revokes or narrows keys: a key that is revoked at the same moment makes nothing more.
 */
export async function readAuthority(tx: Transaction, caller: KeyCaller): Promise<Authority> {
  if (caller.kind === "admin") return { ...nothingInherited, scopes: new Set(allScopes) };
  const row = await readKey(tx, caller.organizationId, caller.apiKeyId);
  if (row.revokedAt !== null) throw new RefusedKeyError("api_key_revoked", "The API key was revoked.", caller);
  if (row.expiresAt !== null && row.expiresAt <= sharedNow())
    throw new RefusedKeyError("api_key_expired", "The API key has expired.", caller);
  return { ...inheritanceOf(row), scopes: expandScopes(row.scopes) };
}

/** What is made later on behalf of a key inherits as if it had been made with the key. Null: the admin made it. */
export async function readInheritance(
  tx: Transaction,
  organizationId: string,
  keyId: string | null,
): Promise<Inheritance> {
  return keyId === null ? nothingInherited : inheritanceOf(await readKey(tx, organizationId, keyId));
}

async function readKey(db: Queryable, organizationId: string, id: string) {
  const row = await db
    .selectFrom("apiKeys")
    .select(["id", "scopes", "expiresAt", "revokedAt", "requestsPerMinute", "sharedLimits"])
    .where(isRow({ organizationId }, id))
    .executeTakeFirst();
  if (!row) throw notFound("API key");
  return row;
}

interface LimitedKey {
  id: string;
  requestsPerMinute: number | null;
  sharedLimits: KeyLimit[];
}

/** The limits that the requests of a key count on, the strictest first. */
export function keyLimitsOf({ id, requestsPerMinute, sharedLimits }: LimitedKey): KeyLimit[] {
  // A key with the limit of its maker needs no bucket beside the one that it shares.
  const isShared = sharedLimits.some(({ perMinute }) => perMinute === requestsPerMinute);
  return requestsPerMinute === null || isShared
    ? sharedLimits
    : [{ keyId: id, perMinute: requestsPerMinute }, ...sharedLimits];
}

const inheritanceOf = (row: LimitedKey & { expiresAt: Date | null }): Inheritance => ({
  createdByKeyId: row.id,
  expiresAt: row.expiresAt,
  requestsPerMinute: row.requestsPerMinute,
  sharedLimits: keyLimitsOf(row),
});

/** What was asked for, within what the maker passes on. */
export function clampToMaker(
  maker: Inheritance,
  asked: { expiresAt: Date | null; requestsPerMinute: number | null },
): Inheritance {
  if (maker.sharedLimits.length >= MAX_SHARED_LIMITS && (asked.requestsPerMinute ?? Infinity) < strictest(maker))
    throw new ApiError(
      "limit_reached",
      `A key shares the limits of at most ${MAX_SHARED_LIMITS} keys it descends from. Make this one with another key.`,
      { param: "requestsPerMinute" },
    );
  return {
    createdByKeyId: maker.createdByKeyId,
    expiresAt: asked.expiresAt === null ? maker.expiresAt : earlier(maker.expiresAt, asked.expiresAt),
    requestsPerMinute: smaller(asked.requestsPerMinute, maker.requestsPerMinute),
    sharedLimits: maker.sharedLimits,
  };
}

const strictest = ({ requestsPerMinute }: Inheritance): number => requestsPerMinute ?? Infinity;
const smaller = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.min(a, b);
/** Null is never. */
export const earlier = (a: Date | null, b: Date): Date => (a !== null && a < b ? a : b);

/** The scopes of a new key. Throws `insufficient_scope` for what the maker lacks. */
export function grantableScopes(
  caller: KeyCaller,
  owned: ReadonlySet<Scope>,
  asked: readonly string[] | undefined,
): Scope[] {
  if (asked === undefined)
    return caller.kind === "admin" ? [...defaultScopes] : defaultScopes.filter((scope) => owned.has(scope));
  const wanted = [...expandScopes(asked)];
  checkScopes(owned, wanted);
  return wanted;
}

export function checkScopes(owned: ReadonlySet<Scope>, wanted: readonly Scope[]): void {
  const missing = wanted.filter((scope) => !owned.has(scope));
  if (missing.length > 0)
    throw new ApiError(
      "insufficient_scope",
      `A key can only make keys with scopes it has; yours lacks ${missing.join(", ")}.`,
      {
        param: "scopes",
        extra: { requiredScopes: missing },
      },
    );
}
