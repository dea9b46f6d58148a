/** Notifies processes at once that a run's state changed. It only speeds things up: who waits also looks by a timer. */
import { sql } from "kysely";
import type { Transaction } from "../../platform/database/database.ts";

export const RUNS_CHANNEL = "rowmill_runs";

export async function notifyRun(tx: Transaction, runId: string): Promise<void> {
  await sql`select pg_notify(${RUNS_CHANNEL}, ${runId})`.execute(tx);
}
