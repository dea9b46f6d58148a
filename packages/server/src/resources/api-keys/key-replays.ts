/** Repeats of the requests that made a key. */
import type { CreatedApiKeySchema } from "@rowmill/contract/api-keys";
import type { Static } from "typebox";
import type { KeyCaller } from "../../platform/auth/caller.ts";
import type { Queryable } from "../../platform/database/database.ts";
import { isRow } from "../../platform/database/row-key.ts";
import { uuidOf } from "../../platform/ids.ts";
import { checkScopes } from "./key-authority.ts";
import { sharedNow } from "../../platform/shared-time.ts";

type ShownKey = Static<typeof CreatedApiKeySchema>;

/** For callers that may make a key with these scopes; the key itself as long as it works. */
export async function checkKeyReplay(db: Queryable, caller: KeyCaller, key: ShownKey): Promise<boolean> {
  if (caller.kind === "organization") checkScopes(caller.scopes, key.scopes);
  return isKeyInUse(db, key);
}

export async function isKeyInUse(db: Queryable, key: ShownKey): Promise<boolean> {
  const row = await db
    .selectFrom("apiKeys")
    .select(["revokedAt", "expiresAt"])
    .where(isRow({ organizationId: uuidOf("organization", key.organizationId) }, uuidOf("apiKey", key.id)))
    .executeTakeFirst();
  return row !== undefined && row.revokedAt === null && (row.expiresAt === null || row.expiresAt > sharedNow());
}
