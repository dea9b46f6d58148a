/** Commits results of a chunk and the events of its rows in one transaction; and counts what was used where no results can be recorded. */
import { sql } from "kysely";
import type { EventType } from "@rowmill/contract/events";
import { statementsOf } from "../../platform/database/database.ts";
import type { OrganizationDatabase, Transaction } from "../../platform/database/database.ts";
import { isDistributed } from "../../platform/database/distribution-marks.ts";
import { isRowOf } from "../../platform/database/row-key.ts";
import { transactionOnce } from "../../platform/database/transaction-once.ts";
import type { LateWrites } from "../../platform/database/late-writes.ts";
import type { Meter } from "../../platform/meter.ts";
import type { CommitTarget } from "./chunk-claims.ts";
import { byNumber } from "./chunk-key.ts";
import type { ChunkResults } from "./chunk-results.ts";
import { accountUsage, commitChunk } from "./commit-chunk.ts";
import type { Commit, CommittedChunk } from "./commit-chunk.ts";
import { recountEndedRun } from "../../resources/runs/finish-run.ts";
import { recordRowEvents } from "../../resources/runs/run-events.ts";
import type { FinishedRow } from "../../resources/runs/run-events.ts";
import type { RunRecord } from "../../resources/runs/runs.ts";

/** Events that somebody may listen to. */
export const ROW_EVENT_TYPES = ["row.succeeded", "row.failed"] as const;

export const targetOf = (run: RunRecord): CommitTarget => ({
  organizationId: run.organizationId,
  runId: run.id,
  jobSpecId: run.jobSpecId,
  jobSpecVersion: run.jobSpecVersion,
  apiKeyId: run.apiKeyId,
  familyLock: run.parentRunId === null ? null : lockKey(run.rootRunId),
});

/** 63 bits of the root run's id: an accidental meeting only makes two families commit one after the other. */
const lockKey = (uuid: string): bigint => BigInt(`0x${uuid.replaceAll("-", "").slice(-16)}`) >> 1n;

interface CommitParts {
  database: OrganizationDatabase;
  meter: Meter;
}

/** Commits results that can be stored, see `unstorable-outputs.ts`. Counts `chunk.lastPart` up. */
export async function commitAndReport(
  parts: CommitParts,
  run: RunRecord,
  listened: ReadonlySet<EventType>,
  chunk: CommittedChunk,
  results: ChunkResults,
  state: "done" | "running" | "pending",
): Promise<boolean> {
  const isListenedTo = rowsWithListeners(results, listened).length > 0;
  const commit =
    !isListenedTo && !isDistributed(parts.database.statements)
      ? await commitChunk(parts.database.statements, targetOf(run), chunk, results, state)
      : await parts.database.transaction(async (tx) => {
          // The run before its chunk: see "The order of locks" in `docs/architecture.md`.
          if (isListenedTo)
            await sql`select 1 from runs where ${isRowOf("runs", run, run.id)} for no key update`.execute(tx);
          return commitWithin(tx, run, listened, chunk, results, state);
        });
  if (commit === undefined) return false;
  chunk.lastPart = commit.lastPart;
  if (!commit.isRepeated) parts.meter.countRows(results, run);
  return true;
}

/** In a transaction that has locked the run where somebody listens to its rows. */
export async function commitWithin(
  tx: Transaction,
  run: RunRecord,
  listened: ReadonlySet<EventType>,
  chunk: CommittedChunk,
  results: ChunkResults,
  state: "done" | "running" | "pending",
): Promise<Commit | undefined> {
  const rows = rowsWithListeners(results, listened);
  const commit = await commitChunk(statementsOf(tx), targetOf(run), chunk, results, state);
  if (commit?.isRepeated === false && rows.length > 0) await recordRowEvents(tx, run, rows, listened);
  return commit;
}

function rowsWithListeners(results: ChunkResults, listened: ReadonlySet<EventType>): FinishedRow[] {
  return [
    ...(listened.has("row.succeeded") ? results.successes.map(({ index }) => ({ index, failure: null })) : []),
    ...(listened.has("row.failed")
      ? results.failures.map(({ index, code, retryable }) => ({ index, failure: { code, retryable } }))
      : []),
  ];
}

/**
 * Counts what was paid for rows that their worker cannot record any more: another one has its chunk, or the run has ended. The calls were
 * made, so the run's usage and that of the organization contain them; the rows have no result, or another one, and do not.
 */
export async function accountLost(
  { database, lateWrites }: { database: OrganizationDatabase; lateWrites: Pick<LateWrites, "write"> },
  target: CommitTarget,
  chunkNo: number,
  usage: ChunkResults["usage"],
): Promise<void> {
  if (usage.requests === 0) return;
  const write = transactionOnce(database, target.organizationId, (tx) => account(tx, target, chunkNo, usage));
  await lateWrites.write(write, { runId: target.runId, chunkNo, usage });
}

async function account(
  tx: Transaction,
  target: CommitTarget,
  chunkNo: number,
  usage: ChunkResults["usage"],
): Promise<void> {
  const { organizationId, runId } = target;
  const { attempts, inputTokens, outputTokens, requests, unpricedRequests, costUsd } = usage;
  const client = statementsOf(tx);
  // The run before its chunk: see "The order of locks" in `docs/architecture.md`.
  await recountEndedRun(tx, { organizationId, id: runId }, async () => {
    const { rowCount } = await client.query({
      name: "account_lost",
      values: [runId, chunkNo, attempts, inputTokens, outputTokens, requests, unpricedRequests, costUsd],
      text: `
        update run_chunks set attempts = attempts + $3, input_tokens = input_tokens + $4, output_tokens = output_tokens + $5,
          requests = requests + $6, unpriced_requests = unpriced_requests + $7, cost_usd = cost_usd + $8::numeric
        where run_id = $1 and chunk_no = $2 ${byNumber(client, "$1")}`,
    });
    return rowCount === 1;
  });
  await accountUsage(client, target, usage);
}
