/** What a member may do, as the API scopes of the keys that an invitation's role gives. */
import { defaultScopes, scopes } from "./scopes.ts";
import type { Scope } from "./scopes.ts";

export const roles = ["owner", "developer", "operator", "viewer"] as const;
export type Role = (typeof roles)[number];

const contentScopes: readonly Scope[] = [
  "datasets:read",
  "job_specs:read",
  "runs:read",
  "results:read",
  "exports:read",
  "webhooks:read",
  "alerts:read",
  "connections:read",
  "organization:read",
];

/**
 * - `owner`: everything, people and keys included.
 * - `developer`: everything but making keys, inviting people and changing the organization.
 * - `operator`: keeps the work going: datasets, runs, exports, alerts and deliveries; changes no job spec and no connection.
 * - `viewer`: sees all of the work, results included, and changes nothing.
 */
export const roleScopes: Readonly<Record<Role, readonly Scope[]>> = {
  owner: scopes,
  developer: defaultScopes,
  operator: [...contentScopes, "datasets:write", "runs:write", "exports:write", "webhooks:write", "alerts:write"],
  viewer: contentScopes,
};
