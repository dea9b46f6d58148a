/** The row of a run's budget: what is read of it under its lock, and how it is written. The rules are in `run-budgets.ts`. */
import { sql } from "kysely";
import { sendLater, statementsOf } from "../../platform/database/database.ts";
import type { Transaction } from "../../platform/database/database.ts";
import { formatUsd, parseUsd } from "../../platform/usd.ts";
import type { PicoUsd } from "../../platform/usd.ts";

/** In the name of what is set aside for a batch; that of a process is a UUID. */
export const BATCH_PREFIX = "batch:";

/** What is set aside, by who has set it aside. */
export type Holds = Record<string, { usd: string; until: number }>;

export interface BudgetState {
  /** Undefined: the budget was taken away. */
  max: PicoUsd | undefined;
  spent: PicoUsd;
  reservedByOthers: PicoUsd;
  /** Of that, what is set aside for batches. */
  reservedByBatches: PicoUsd;
  otherHolds: Holds;
  /** Seconds of the database's clock. */
  now: number;
}

export async function lockBudget(
  tx: Transaction,
  run: { organizationId: string; id: string },
  holder: string,
  /** Recorded with results in this transaction, and written down here after this. */
  recordedNow: PicoUsd = 0n,
): Promise<BudgetState | undefined> {
  const { rows } = await statementsOf(tx).query<{
    max: string | null;
    spent: string;
    holds: Holds;
    now: number;
  }>({
    name: "lock_budget",
    values: [run.id],
    text: `
      select r.budget->>'maxCostUsd' as max, b.spent_usd::text as spent, b.holds, extract(epoch from clock_timestamp())::float8 as now
      from run_budgets b join runs r on r.organization_id = b.organization_id and r.id = b.run_id
      where b.run_id = $1 for update of b`,
  });
  const row = rows[0];
  if (row === undefined) return undefined;
  const otherHolds = Object.fromEntries(
    Object.entries(row.holds).filter(([name, { until }]) => name !== holder && until > row.now),
  );
  const isOneDead = Object.entries(row.holds).some(([name, { until }]) => name !== holder && until <= row.now);
  const spent = parseUsd(row.spent);
  const recorded = isOneDead ? (await readRecordedCost(tx, run)) - recordedNow : 0n;
  return {
    max: row.max === null ? undefined : parseUsd(row.max),
    spent: recorded > spent ? recorded : spent,
    reservedByOthers: sumOf(Object.values(otherHolds)),
    reservedByBatches: sumOf(
      Object.entries(otherHolds).flatMap(([name, hold]) => (name.startsWith(BATCH_PREFIX) ? [hold] : [])),
    ),
    otherHolds,
    now: row.now,
  };
}

/** What a dead process has recorded may not be in the budget. Beside what others record just now it is too much, by moments' worth. */
async function readRecordedCost(tx: Transaction, { id }: { id: string }): Promise<PicoUsd> {
  const { rows } = await sql<{ cost: string }>`
    select coalesce(sum(cost_usd), 0)::text as cost from run_chunks where run_id = ${id}`.execute(tx);
  return parseUsd(rows[0]?.cost ?? "0");
}

const sumOf = (holds: readonly { usd: string }[]): PicoUsd => holds.reduce((sum, { usd }) => sum + parseUsd(usd), 0n);

/**
 * What a process writes down after it has looked at the budget, together with its commit: while rows are called, it does so every few
 * milliseconds, for all that have asked.
 */
export function writeTalk(
  tx: Transaction,
  run: { id: string },
  { spent, holds, max, isExhausted }: Pick<BudgetState, "spent" | "max"> & { holds: Holds; isExhausted: boolean },
): Promise<void> {
  return sendLater(tx, {
    name: "write_budget",
    values: [run.id, formatUsd(spent), JSON.stringify(holds), isExhausted, max === undefined ? null : formatUsd(max)],
    text: `
      update run_budgets set spent_usd = $2::numeric, holds = $3::jsonb,
        exhausted_at_usd = case when $4::boolean then $5::numeric
          -- What fits in later, or is only written down, makes no room for what did not.
          when exhausted_at_usd >= $5::numeric then exhausted_at_usd end
      where run_id = $1`,
  });
}

export async function writeBudget(tx: Transaction, run: { id: string }, holds: Holds, spent: PicoUsd): Promise<void> {
  await sql`
    update run_budgets set holds = ${JSON.stringify(holds)}::jsonb, spent_usd = ${formatUsd(spent)}::numeric
    where run_id = ${run.id}`.execute(tx);
}
