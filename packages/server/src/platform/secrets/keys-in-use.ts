/** Which keys something in the database may be sealed with: a service that does not have one of them must not even start. */
import { sql } from "../database/database.ts";
import type { Database, Transaction } from "../database/database.ts";
import { isKeyFileMissing, readEncryptionKeys, readKeyOfNextStart } from "./encryption-key.ts";
import type { KeySettings } from "./encryption-key.ts";
import { createSealer } from "./sealing.ts";
import type { Sealer } from "./sealing.ts";

const NAME = "encryption_key_fingerprint";
const SEPARATOR = ",";
/** Only within the transaction that writes the first one. */
const NO_KEYS = "";

/** For a program beside the service, as text. */
export const READ_KEYS_IN_USE = `select value from installation where name = '${NAME}'`;

/**
 * From now on something may be sealed with the sealer's key. Throws a sentence where a key is missing that is in use. The file of the key is made
 * here, where the database was reached and needs no other key: a start that is refused leaves none, which a restore would take for the key of
 * this place. Of two first starts at once, the other one waits here.
 */
export const openSealer = (database: Database, settings: KeySettings): Promise<Sealer> =>
  database.transaction(async (tx) => {
    await sql`insert into installation (name, value) values (${NAME}, ${NO_KEYS}) on conflict do nothing`.execute(tx);
    const inUse = await lockKeysInUse(tx);
    if (isKeyFileMissing(settings)) refuseMissing(inUse);
    const sealer = createSealer(...readEncryptionKeys(settings));
    refuseMissing(inUse.filter((fingerprint) => !sealer.fingerprints.includes(fingerprint)));
    if (!inUse.includes(sealer.fingerprint)) await write(tx, [sealer.fingerprint, ...inUse]);
    return sealer;
  });

function refuseMissing(missing: readonly string[]): void {
  if (missing.length === 0) return;
  throw new Error(
    "this database was written with another encryption key: set ROWMILL_ENCRYPTION_KEY to the key it was made with, " +
      `use the data directory that holds it, or add it to ROWMILL_ENCRYPTION_KEYS (missing: ${missing.join(", ")})`,
  );
}

export async function readKeysInUse({ db }: Pick<Database, "db">): Promise<string[]> {
  const { rows } = await sql<{ value: string }>`select value from installation where name = ${NAME}`.execute(db);
  return keysIn(rows[0]);
}

/** Throws a sentence where something cannot be opened, or could not be after the next start. */
export async function checkKeys(database: Database, sealer: Sealer, settings: KeySettings): Promise<void> {
  const missing = (await readKeysInUse(database)).filter((fingerprint) => !sealer.fingerprints.includes(fingerprint));
  if (missing.length > 0)
    throw new Error(
      `Another process seals with a key that this one does not have (${missing.join(", ")}): add it to ROWMILL_ENCRYPTION_KEYS.`,
    );
  const next = readKeyOfNextStart(settings);
  if (next !== undefined && createSealer(next).fingerprint !== sealer.fingerprint)
    throw new Error("The file of the encryption key has another key than the one that seals: put the key back.");
}

/** Nothing is sealed with any other key any more. */
export async function keepKey(database: Database, fingerprint: string): Promise<void> {
  await database.transaction(async (tx) => {
    await lockKeysInUse(tx);
    await write(tx, [fingerprint]);
  });
}

async function lockKeysInUse(tx: Transaction): Promise<string[]> {
  const { rows } = await sql<{ value: string }>`select value from installation where name = ${NAME} for update`.execute(
    tx,
  );
  return keysIn(rows[0]);
}

const keysIn = (row: { value: string } | undefined): string[] =>
  row === undefined || row.value === NO_KEYS ? [] : row.value.split(SEPARATOR);

const write = (tx: Transaction, fingerprints: readonly string[]) =>
  sql`update installation set value = ${fingerprints.join(SEPARATOR)} where name = ${NAME}`.execute(tx);
