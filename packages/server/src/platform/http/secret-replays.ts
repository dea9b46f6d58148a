/**
 * Repeats of requests whose response carries a secret. The operation stays the same one for every key of the organization, but
 * the secret is shown again only to the key, or member, that made the first request, and only while it is of use.
 */
import type { Operation } from "@rowmill/contract/operation";
import type { KeyCaller, PublicCaller } from "../auth/caller.ts";
import type { Queryable } from "../database/database.ts";

/**
 * A client that lost the response of a public operation repeats the request within this time. Later nobody gets a key by it who
 * finds the request, with its token and idempotency key, in a log or a browser's history.
 */
const PUBLIC_SECRET_MS = 10 * 60_000;

export interface SecretRules {
  members: readonly string[];
  madeByKeyId: string | null;
  madeByMemberId: string | null;
  /** No key is needed: a client that repeats the request counts as the one that made it. */
  isPublic: boolean;
  /** Undefined: as long as the stored response. */
  replayableMs: number | undefined;
  /** See `ReplayCheck`; the body is the response without its secrets. */
  check: (db: Queryable, body: unknown) => Promise<boolean>;
}

/**
 * For a repeat by whatever caller has the scopes of the operation. Throws what the operation itself would to a caller who may
 * not make this very thing; false if the secret is of no more use, such as a revoked key.
 */
export type ReplayCheck<C, Body> = (db: Queryable, caller: C, body: Body) => Promise<boolean>;

export function secretRulesOf(
  o: Operation,
  caller: KeyCaller | PublicCaller,
  check: ReplayCheck<KeyCaller | PublicCaller, unknown> | undefined,
): SecretRules | undefined {
  if (o.secretMembers === undefined) return undefined;
  if (check === undefined) throw new Error(`${o.method} ${o.path} carries a secret and has no check for repeats`);
  const isPublic = caller.kind === "public";
  const isKey = caller.kind === "organization";
  return {
    members: o.secretMembers,
    madeByKeyId: isKey ? caller.apiKeyId : null,
    madeByMemberId: isKey ? caller.memberId : null,
    isPublic,
    replayableMs: isPublic ? PUBLIC_SECRET_MS : undefined,
    check: (db, body) => check(db, caller, body),
  };
}

interface StoredMaker {
  madeByKeyId: string | null;
  madeByMemberId: string | null;
}

/** The admin's stored responses are the admin's alone: neither has a key. */
export const isMaker = (rules: SecretRules, stored: StoredMaker): boolean =>
  rules.isPublic ||
  rules.madeByKeyId === stored.madeByKeyId ||
  (rules.madeByMemberId !== null && rules.madeByMemberId === stored.madeByMemberId);

/** The JSON text of a response without the members at these pointers. */
export function withoutSecrets(body: string, members: readonly string[]): string {
  const value: unknown = JSON.parse(body);
  for (const pointer of members) {
    const names = pointer.split("/").slice(1);
    const last = names.pop() ?? "";
    const parent = names.reduce<unknown>((at, name) => (isObject(at) ? at[name] : undefined), value);
    if (isObject(parent)) delete parent[last];
  }
  return JSON.stringify(value);
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
