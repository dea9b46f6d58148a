/**
 * Whose store it is: an object names the installation, and the database has the same name. Two installations in one folder, or
 * below one prefix, would sweep each other's files.
 */
import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { sql } from "../database/database.ts";
import type { Database } from "../database/database.ts";
import { ObjectNotFoundError, StoreUnavailableError } from "./storage.ts";
import type { ObjectStore } from "./storage.ts";

const NAME = "store_owner";
export const OWNER_KEY = "installation";

/** Rejects with `StoreUnavailableError` where the store cannot be used, or is that of another installation. */
export async function claimStore(database: Database, store: ObjectStore): Promise<void> {
  await store.prove();
  const own = await readOwnName(database);
  let owner = await readOwner(store);
  if (owner === undefined) {
    await store.put(OWNER_KEY, Readable.from([own]));
    // Of two that begin at once, the later one has it.
    owner = await readOwner(store);
  }
  if (owner !== own) throw foreignStore(owner);
}

/** As claimed before, in one small read. */
export async function checkStore(database: Database, store: ObjectStore): Promise<void> {
  const owner = await readOwner(store);
  if (owner !== (await readOwnName(database))) throw foreignStore(owner);
}

async function readOwnName({ db }: Database): Promise<string> {
  await sql`insert into installation (name, value) values (${NAME}, ${randomUUID()}) on conflict do nothing`.execute(
    db,
  );
  const { rows } = await sql<{ value: string }>`select value from installation where name = ${NAME}`.execute(db);
  if (rows[0] === undefined) throw new Error("the installation has no name, though one was just written");
  return rows[0].value;
}

async function readOwner(store: ObjectStore): Promise<string | undefined> {
  try {
    return await text(await store.get(OWNER_KEY));
  } catch (error) {
    if (error instanceof ObjectNotFoundError) return undefined;
    throw error;
  }
}

const foreignStore = (owner: string | undefined): StoreUnavailableError =>
  new StoreUnavailableError(
    owner === undefined
      ? "The store has lost the object that says whose it is: it was emptied, or is another one. A restart writes it again."
      : "The store belongs to another installation: give each a folder or a prefix of its own in ROWMILL_STORAGE_URL. " +
          `If the database of this one was made again on purpose, delete \`${OWNER_KEY}\` from the store.`,
  );
