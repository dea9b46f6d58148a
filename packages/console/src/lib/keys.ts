/** API keys, scopes and roles as the console shows them. */
import { serviceNow } from "./clock.ts";
import type { ApiKey, Member } from "@rowmill/client";
import type { Scope } from "./session.ts";

export type Access = "none" | "read" | "write";

/** Scopes by what they are about, in the order of the service: `runs` → the most that is given. */
export function accessOf(scopes: readonly string[]): Map<string, Access> {
  const found = new Map<string, Access>();
  for (const scope of scopes) {
    const [resource = "", verb] = scope.split(":");
    if (verb === "write" || found.get(resource) === undefined) found.set(resource, verb === "write" ? "write" : "read");
  }
  return found;
}

export const scopesOf = (access: ReadonlyMap<string, Access>): Scope[] =>
  [...access].flatMap(([resource, level]) => (level === "none" ? [] : [`${resource}:${level}` as Scope])); // as `accessOf` has split them

/** Every scope there is: one that the service gets does not compile without its line here. */
const EVERYTHING: Record<Scope, true> = {
  "datasets:read": true,
  "datasets:write": true,
  "job_specs:read": true,
  "job_specs:write": true,
  "runs:read": true,
  "runs:write": true,
  "results:read": true,
  "results:write": true,
  "exports:read": true,
  "exports:write": true,
  "webhooks:read": true,
  "webhooks:write": true,
  "alerts:read": true,
  "alerts:write": true,
  "organization:read": true,
  "organization:write": true,
  "api_keys:read": true,
  "api_keys:write": true,
  "invitations:read": true,
  "invitations:write": true,
  "connections:read": true,
  "connections:write": true,
  "audit:read": true,
};

/** What a key may do, in a few words. */
export function describeScopes(scopes: readonly string[]): string {
  const access = accessOf(scopes);
  const levels = [...access.values()];
  if (Object.keys(EVERYTHING).every((scope) => scopes.includes(scope))) return "Everything";
  const writes = levels.filter((level) => level === "write").length;
  if (writes === 0)
    return levels.length <= 2
      ? `Reads ${[...access.keys()].map(wordsOf).join(", ")}`
      : `Reads ${levels.length} kinds of things`;
  if (levels.length > 2) return `Changes ${writes} of ${levels.length} kinds of things`;
  const named = (level: Access): string =>
    [...access].flatMap(([resource, own]) => (own === level ? [wordsOf(resource)] : [])).join(", ");
  return writes === levels.length ? `Changes ${named("write")}` : `Changes ${named("write")}, reads ${named("read")}`;
}
export const wordsOf = (resource: string): string =>
  resource === "api_keys" ? "API keys" : resource.replaceAll("_", " ");

export const stateOfKey = ({ revokedAt, expiresAt }: Pick<ApiKey, "revokedAt" | "expiresAt">): string =>
  revokedAt !== null ? "revoked" : expiresAt !== null && Date.parse(expiresAt) <= serviceNow() ? "expired" : "active";

/** Keys that were made with this one, those made with them, and so on. */
export function descendantsOf(key: ApiKey, keys: readonly ApiKey[]): ApiKey[] {
  const found: ApiKey[] = [];
  const within = new Set([key.id]);
  for (let isGrowing = true; isGrowing;) {
    isGrowing = false;
    for (const other of keys)
      if (!within.has(other.id) && other.createdByKeyId !== null && within.has(other.createdByKeyId)) {
        within.add(other.id);
        found.push(other);
        isGrowing = true;
      }
  }
  return found;
}

export type Role = Member["role"];
export const ROLES: Record<Role, string> = {
  owner: "May do everything, also make keys and invite people.",
  developer: "Everything but keys, people and the organization itself.",
  operator: "Keeps datasets, runs, exports, webhooks and alerts going.",
  viewer: "Only reads.",
};
export const roles = Object.keys(ROLES) as Role[];
