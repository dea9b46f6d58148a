/** First starts at once, on a database that no key is in use for. */
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createMigratedDatabase } from "../../testing/test-database.ts";
import { openDatabase } from "../database/database.ts";
import type { Database } from "../database/database.ts";
import { openSealer } from "./keys-in-use.ts";

async function newDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "rowmill-key-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** Its first two transactions begin when both were asked for. */
async function openForTwo(): Promise<Database> {
  const created = await createMigratedDatabase();
  const database = openDatabase(created.url, { max: 4, onError: () => undefined });
  onTestFinished(async () => {
    await database.close();
    await created.drop();
  });
  const haveCome = Promise.withResolvers<void>();
  let count = 0;
  return {
    ...database,
    async transaction(work, isolation) {
      if (++count === 2) haveCome.resolve();
      await haveCome.promise;
      return database.transaction(work, isolation);
    },
  };
}

const settingsOf = (dataDirectory: string) => ({ keys: [], key: undefined, dataDirectory });

test("in two directories: one makes a key, and the other is refused and makes none", async () => {
  const [database, first, second] = [await openForTwo(), await newDirectory(), await newDirectory()];
  const starts = await Promise.allSettled([first, second].map((at) => openSealer(database, settingsOf(at))));
  const refused = starts.flatMap((start) => (start.status === "rejected" ? [String(start.reason)] : []));
  expect(refused).toEqual([expect.stringContaining("this database was written with another encryption key")]);
  expect((await Promise.all([first, second].map((at) => readdir(at)))).flat()).toEqual(["encryption-key"]);
});

test("in one directory: both have the same key", async () => {
  const [database, directory] = [await openForTwo(), await newDirectory()];
  const sealers = await Promise.all([1, 2].map(() => openSealer(database, settingsOf(directory))));
  expect(new Set(sealers.map(({ fingerprint }) => fingerprint)).size).toBe(1);
  expect(await readdir(directory)).toEqual(["encryption-key"]);
});
