/** A transaction that is made once, also where the response to its commit is lost. */
import { sql } from "kysely";
import type { OrganizationDatabase, Transaction } from "./database.ts";

/**
 * Returns what makes the transaction, and may be called again after an error: PostgreSQL keeps of each transaction whether it was committed,
 * and is asked that first. Not after it has resolved.
 */
export function transactionOnce(
  database: OrganizationDatabase,
  work: (tx: Transaction) => Promise<void>,
): () => Promise<void> {
  let triedId: string | undefined;
  return async () => {
    if (triedId !== undefined && (await wasCommitted(database, triedId))) return;
    triedId = undefined;
    await database.transaction(async (tx) => {
      const { rows } = await sql<{ id: string }>`select pg_current_xact_id()::text as id`.execute(tx);
      triedId = rows[0]?.id;
      await work(tx);
    });
  };
}

async function wasCommitted({ db }: OrganizationDatabase, id: string): Promise<boolean> {
  const { rows } = await sql<{ status: string | null }>`select pg_xact_status(${id}::xid8) as status`.execute(db);
  const status = rows[0]?.status ?? "forgotten";
  // Its connection is lost, and PostgreSQL has not noticed yet; or so many came after it that its end is not kept any more.
  if (status !== "committed" && status !== "aborted")
    throw new Error(`a transaction whose response was lost is ${status}`);
  return status === "committed";
}
