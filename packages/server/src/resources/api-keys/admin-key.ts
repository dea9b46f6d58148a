/**
 * The admin key: from the setting, or made once at the first start. Only its hash is kept. A key from the setting replaces
 * the kept one, so that a lost or leaked key is replaced by one start with another.
 */
import { newAdminKey, keyDigest } from "../../platform/auth/keys.ts";
import type { Database } from "../../platform/database/database.ts";

const NAME = "admin_key_sha256";

export interface AdminKey {
  digest: () => Buffer;
  /**
   * Keeps a key that was made, and returns it where no other process was first: it must be shown now or never. A start does so as its
   * last step: one that fails before keeps none, and the next one makes another, since nobody has seen the first.
   */
  keep(): Promise<string | undefined>;
}

export async function openAdminKey(database: Database, setting: string | undefined): Promise<AdminKey> {
  const kept = setting === undefined ? await readKept(database) : await replace(database, setting);
  if (kept !== undefined) return { digest: () => kept, keep: () => Promise.resolve(undefined) };
  const key = newAdminKey();
  let digest = keyDigest(key);
  return {
    digest: () => digest,
    async keep() {
      const inserted = await database.db
        .insertInto("installation")
        .values({ name: NAME, value: digest.toString("hex") })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst();
      if (inserted.numInsertedOrUpdatedRows === 1n) return key;
      // Several first starts at once: the key of one of them is that of all.
      digest = (await readKept(database)) ?? digest;
      return undefined;
    },
  };
}

async function readKept({ db }: Database): Promise<Buffer | undefined> {
  const row = await db.selectFrom("installation").select("value").where("name", "=", NAME).executeTakeFirst();
  return row && Buffer.from(row.value, "hex");
}

async function replace({ db }: Database, setting: string): Promise<Buffer> {
  const digest = keyDigest(setting);
  const value = digest.toString("hex");
  await db
    .insertInto("installation")
    .values({ name: NAME, value })
    .onConflict((conflict) => conflict.column("name").doUpdateSet({ value }))
    .execute();
  return digest;
}
