/** What a restore into an embedded database has left that was killed: a server without a master, and a folder as large as the database. */
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { REMOVE_RETRIES, UNFINISHED } from "../platform/database/embedded/build-beside.ts";
import {
  findRunningDatabase,
  hasDatabase,
  startEmbeddedDatabase,
} from "../platform/database/embedded/embedded-database.ts";

/** Throws where the restore lives: its database is taken. */
export async function removeKilledRestores(dataDirectory: string): Promise<void> {
  for (const name of await readdir(dataDirectory)) {
    const leftover = join(dataDirectory, name);
    if (!name.startsWith(UNFINISHED) || !(await hasDatabase(leftover))) continue;
    // It is adopted, and ends.
    if ((await findRunningDatabase(leftover)) !== undefined)
      await (await startEmbeddedDatabase({ dataDirectory: leftover })).stop();
    await rm(leftover, { recursive: true, force: true, maxRetries: REMOVE_RETRIES });
  }
}
