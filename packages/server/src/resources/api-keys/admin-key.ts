/**
 * The admin key: from the setting, or made once at the first start. Only its hash is kept. A key from the setting replaces
 * the kept one, so that a lost or leaked key is replaced by one start with another.
 */
import { newAdminKey, keyDigest } from "../../platform/auth/keys.ts";
import type { Database } from "../../platform/database/database.ts";

const NAME = "admin_key_sha256";

/** `madeKey` is there only the first time: it must be shown now or never. */
export async function readAdminKey(
  database: Database,
  setting: string | undefined,
): Promise<{ digest: Buffer; madeKey: string | undefined }> {
  if (setting !== undefined) {
    const value = keyDigest(setting).toString("hex");
    await database.db
      .insertInto("installation")
      .values({ name: NAME, value })
      .onConflict((conflict) => conflict.column("name").doUpdateSet({ value }))
      .execute();
    return { digest: keyDigest(setting), madeKey: undefined };
  }
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
