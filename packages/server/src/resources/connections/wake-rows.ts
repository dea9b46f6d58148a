/**
 * Rows that rest: an attempt has failed, and they wait for the next one under no claim. Where the secret of their connection is another
 * one, they need not wait for what was said of the one before.
 */
import { sql } from "../../platform/database/database.ts";
import type { Transaction } from "../../platform/database/database.ts";

/** SQL: `not_before` of a chunk whose rows are due that wait for another attempt, whatever they wait for. */
export const WOKEN = "'epoch'::timestamptz";

/** Of these runs; where no lane has their chunk, one looks at least each minute (`lane-turns.ts`). One after the other: on a cluster, their chunks are apart. */
export async function wakeRestingRows(tx: Transaction, runIds: readonly string[]): Promise<void> {
  for (const runId of runIds)
    await sql`
      update run_chunks set not_before = ${sql.raw(WOKEN)}
      where run_id = ${runId} and state <> 'done' and (state = 'running' or state = 'pending' and booked is not null)
        and suspects is null`.execute(tx);
}
