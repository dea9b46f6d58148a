/** The admin key: from the setting, or made once at the first start, of which only the hash is kept. */
import { newAdminKey, keyDigest } from "../../platform/auth/keys.ts";
import type { Database } from "../../platform/database/database.ts";

const NAME = "admin_key_sha256";

/** `madeKey` is there only the first time: it must be shown now or never. */
export async function readAdminKey(
  database: Database,
  setting: string | undefined,
): Promise<{ digest: Buffer; madeKey: string | undefined }> {
  if (setting !== undefined) return { digest: keyDigest(setting), madeKey: undefined };
  const key = newAdminKey();
  const inserted = await database.db
    .insertInto("installation")
    .values({ name: NAME, value: keyDigest(key).toString("hex") })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  const row = await database.db
    .selectFrom("installation")
    .select("value")
    .where("name", "=", NAME)
    .executeTakeFirstOrThrow();
  return { digest: Buffer.from(row.value, "hex"), madeKey: inserted.numInsertedOrUpdatedRows === 1n ? key : undefined };
}
