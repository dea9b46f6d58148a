import type { Transaction } from "../../platform/database/database.ts";
import { prepared } from "../../platform/database/prepared.ts";
import { notFound } from "../../platform/http/errors.ts";

/**
 * Until the transaction ends, no other one locks the organization. What creates something under a limit takes this lock before it counts,
 * so that two creates at once do not both take the last place; what makes and revokes keys takes it, so that no key appears among those
 * that were just looked up. The lock conflicts with itself and with changes of the organization, not with rows that only refer to it.
 */
export async function lockOrganization(tx: Transaction, id: string) {
  const organization = await tx
    .selectFrom("organizations")
    .select(["id", "name", "state"])
    .where("id", "=", id)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!organization) throw notFound("organization");
  return organization;
}

const lock = prepared("lock_organization", ["id"], (db, at) =>
  db.selectFrom("organizations").select("id").where("id", "=", at.id).forNoKeyUpdate(),
);

/** The same, from the next statement of the transaction on, of an organization that is known to be there. */
export const lockOrganizationNext = (tx: Transaction, id: string): Promise<void> => lock.later(tx, { id });
