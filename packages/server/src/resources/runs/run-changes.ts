/** Notifies processes at once that a run's state changed. It only speeds things up: who waits also looks by a timer. */
import { executeLater, sql } from "../../platform/database/database.ts";
import type { Transaction } from "../../platform/database/database.ts";

export const RUNS_CHANNEL = "rowmill_runs";

export async function notifyRun(tx: Transaction, runId: string): Promise<void> {
  await executeLater(tx, sql`select pg_notify(${RUNS_CHANNEL}, ${runId})`);
}
