import type { Scope } from "@rowmill/contract/scopes";
import { ApiError } from "./errors.ts";
import type { OrganizationCaller } from "../auth/caller.ts";

/** Throws `insufficient_scope`, which names all scopes that are required, for a key that lacks one of them. */
export function requireScopes({ scopes }: Pick<OrganizationCaller, "scopes">, required: readonly Scope[]): void {
  const missing = required.filter((scope) => !scopes.has(scope));
  if (missing.length > 0)
    throw new ApiError("insufficient_scope", `The API key lacks the scope ${missing.join(", ")}.`, {
      extra: { requiredScopes: required },
    });
}
