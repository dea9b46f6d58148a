/**
 * A transaction that is made once, also where the response to its commit is lost.
 *
 * Its mark, under a key of its own, is a row of the same transaction. It stands beside the keys of requests, and is deleted with them. PostgreSQL keeps of each
 * transaction whether it was committed (`pg_xact_status`), too, but that cannot be asked by its id: a crash loses what was not yet
 * on the disk, the use of the id included, and another transaction gets it. So does the standby that takes over without what was last written.
 */
import { newUuid } from "../ids.ts";
import { statementsOf } from "./database.ts";
import type { OrganizationDatabase, Transaction } from "./database.ts";

/** A transaction whose connection is lost, and PostgreSQL has not noticed yet, is waited for no longer: others wait behind it. */
const OPEN_WAIT_MS = 2_000;

/** Returns what makes the transaction, and may be called again after an error, and after it was made. */
export function transactionOnce(
  database: OrganizationDatabase,
  organizationId: string,
  work: (tx: Transaction) => Promise<void>,
): () => Promise<void> {
  const key = newUuid();
  return () =>
    database.transaction(async (tx) => {
      if (await isFirst(tx, organizationId, key)) await work(tx);
    });
}

/** False where a transaction with this key was committed. One that has not ended is waited for, and is an error after a moment. */
async function isFirst(tx: Transaction, organizationId: string, key: string): Promise<boolean> {
  const { rows } = await statementsOf(tx).query({
    name: "mark_transaction",
    values: [organizationId, key],
    // No request has such a method.
    text: `
      insert into idempotency_keys (scope_id, method, path, key, fingerprint)
      select $1::uuid, '-', 'transaction', $2::text, ''::bytea
      from (select set_config('lock_timeout', '${OPEN_WAIT_MS}ms', true) as set) waiting where waiting.set is not null
      on conflict do nothing returning set_config('lock_timeout', '0', true)`,
  });
  return rows.length > 0;
}
