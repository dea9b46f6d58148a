/**
 * The organization that the first start makes by itself (`ROWMILL_INIT_ORGANIZATION`), with a key in a file, so that nobody has
 * to carry the admin key from a terminal to a command. The mark in `installation` says that it has been made; the file is written
 * before the commit, so that there is no organization whose key nobody has.
 */
import { writeFile } from "node:fs/promises";
import type { SystemCaller } from "../../platform/auth/caller.ts";
import type { Database } from "../../platform/database/database.ts";
import { parseId } from "../../platform/ids.ts";
import type { DefaultLimits } from "../../services.ts";
import { insertOrganization } from "../organizations/organizations.ts";
import { insertFullKey } from "./api-keys.ts";

const NAME = "first_organization";
const caller: SystemCaller = { kind: "system" };

export interface FirstOrganizationOptions {
  name: string | undefined;
  /** Where its key is written, readable by the owner alone. */
  keyFile: string | undefined;
  limits: DefaultLimits;
}

/** Whether it was made now. */
export async function createFirstOrganization(database: Database, options: FirstOrganizationOptions): Promise<boolean> {
  const { name, keyFile, limits } = options;
  if (name === undefined || keyFile === undefined) return false;
  return database.transaction(async (tx) => {
    // A second process that starts now waits here for the first one's commit.
    const mark = await tx
      .insertInto("installation")
      .values({ name: NAME, value: name })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst();
    if (mark.numInsertedOrUpdatedRows !== 1n) return false;
    const organization = await insertOrganization(tx, caller, { name }, { limits });
    const organizationId = parseId("organization", organization.id);
    if (organizationId === undefined) throw new Error("an organization was made with an id that cannot be read");
    const { key } = await insertFullKey(tx, caller, { organizationId, name: "First key", expiresAt: null }, { limits });
    await writeFile(keyFile, `${key}\n`, { mode: 0o600, flush: true });
    return true;
  });
}
