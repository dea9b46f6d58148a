import type { OrganizationCaller } from "../../platform/auth/caller.ts";
import type { Queryable } from "../../platform/database/database.ts";
import { isRow } from "../../platform/database/row-key.ts";
import type { ReplayChecks } from "../../platform/http/handlers.ts";
import { uuidOf } from "../../platform/ids.ts";

/** For a repeat of the request that made its secret, by any key that may make rules. */
async function isRuleInUse(
  db: Queryable,
  { organizationId }: OrganizationCaller,
  { id }: { id: string },
): Promise<boolean> {
  const row = await db
    .selectFrom("alertRules")
    .select("deletedAt")
    .where(isRow({ organizationId }, uuidOf("alertRule", id)))
    .executeTakeFirst();
  return row?.deletedAt === null;
}

export const alertRuleReplays = {
  createAlertRule: isRuleInUse,
  rotateAlertRuleSecret: isRuleInUse,
} satisfies Partial<ReplayChecks>;
