import { expect, test } from "vitest";
import { cleanUpLater } from "../../testing/cleanup.ts";
import { createMigratedDatabase } from "../../testing/test-database.ts";
import { openDatabase, sql } from "./database.ts";
import type { OrganizationDatabase, Transaction } from "./database.ts";
import { newUuid } from "../ids.ts";
import { transactionOnce } from "./transaction-once.ts";

const made = await createMigratedDatabase();
cleanUpLater(() => made.drop());
const database = openDatabase(made.url, { max: 2, onError: () => undefined });
cleanUpLater(() => database.close());
await sql`create table counted (n int)`.execute(database.db);

const GONE = Object.assign(new Error("gone"), { code: "ECONNRESET" });

/** Its first transaction ends as `first` does. */
function endingFirst(first: <T>(work: (tx: Transaction) => Promise<T>) => Promise<T>): OrganizationDatabase {
  let isFirst = true;
  return {
    ...database,
    transaction: (work) => {
      const isThis = isFirst;
      isFirst = false;
      return isThis ? first(work) : database.transaction(work);
    },
  };
}

const countIn = async (tx: Transaction): Promise<void> => void (await sql`insert into counted values (1)`.execute(tx));
async function takeCounted(): Promise<number> {
  const { rows } = await sql`delete from counted returning n`.execute(database.db);
  return rows.length;
}

test("a transaction whose response was lost after its commit is not made again", async () => {
  const once = transactionOnce(
    endingFirst(async (work) => {
      await database.transaction(work);
      throw GONE;
    }),
    newUuid(),
    countIn,
  );
  await expect(once()).rejects.toBe(GONE);
  await once();
  expect(await takeCounted()).toBe(1);
});

test("a transaction that was rolled back is made again", async () => {
  const once = transactionOnce(
    endingFirst((work) =>
      database.transaction(async (tx) => {
        await work(tx);
        throw GONE;
      }),
    ),
    newUuid(),
    countIn,
  );
  await expect(once()).rejects.toBe(GONE);
  expect(await takeCounted()).toBe(0);
  await once();
  expect(await takeCounted()).toBe(1);
});

test("a transaction that has not ended is waited for", async () => {
  const mayEnd = Promise.withResolvers<void>();
  let open: Promise<unknown> = Promise.resolve();
  const once = transactionOnce(
    endingFirst((work) => {
      const begun = Promise.withResolvers<never>();
      open = database.transaction(async (tx) => {
        await work(tx);
        begun.reject(GONE);
        await mayEnd.promise;
      });
      return begun.promise;
    }),
    newUuid(),
    countIn,
  );
  await expect(once()).rejects.toBe(GONE);
  await expect(once()).rejects.toThrow("lock timeout");
  mayEnd.resolve();
  await open;
  await once();
  expect(await takeCounted()).toBe(1);
});
