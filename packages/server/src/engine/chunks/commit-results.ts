/** Commits results of a chunk, and tells whoever listens to rows, in one. */
import { sql } from "kysely";
import type { EventType } from "@rowmill/contract/events";
import { statementsOf } from "../../platform/database/database.ts";
import type { OrganizationDatabase, Transaction } from "../../platform/database/database.ts";
import { commitChunk } from "./chunk-claims.ts";
import type { ChunkResults, ClaimedChunk, CommitTarget } from "./chunk-claims.ts";
import { recordRowEvents } from "../../resources/runs/run-events.ts";
import type { FinishedRow } from "../../resources/runs/run-events.ts";
import type { RunRecord } from "../../resources/runs/runs.ts";
import { isDataError, siftOutputs } from "./sift-outputs.ts";

/** Events that somebody may listen to. */
export const ROW_EVENT_TYPES = ["row.succeeded", "row.failed"] as const;

export const targetOf = (run: RunRecord): CommitTarget => ({
  organizationId: run.organizationId,
  runId: run.id,
  jobSpecId: run.jobSpecId,
  apiKeyId: run.apiKeyId,
  familyLock: run.parentRunId === null ? null : lockKey(run.rootRunId),
});

/** 63 bits of the root run's id: an accidental meeting only makes two families take turns. */
const lockKey = (uuid: string): bigint => BigInt(`0x${uuid.replaceAll("-", "").slice(-16)}`) >> 1n;

interface CommitParts {
  database: OrganizationDatabase;
  publicUrl: () => string;
}

type Held = Pick<ClaimedChunk, "chunkNo" | "claimNo">;

/** Commits; outputs that the database refuses become failures of their rows. */
export async function commitAndTell(
  parts: CommitParts,
  run: RunRecord,
  listened: ReadonlySet<EventType>,
  chunk: Held,
  results: ChunkResults,
  state: "done" | "running" | "pending",
): Promise<boolean> {
  return withStorableOutputs(parts.database, results, async (storable) => {
    if (toldRows(storable, listened).length === 0)
      return commitChunk(parts.database.statements, targetOf(run), chunk, storable, state);
    return parts.database.transaction(async (tx) => {
      // The run before its chunk, as where a run is ended: in the other order the two would wait for each other.
      await sql`select 1 from runs where organization_id = ${run.organizationId} and id = ${run.id} for no key update`.execute(
        tx,
      );
      return commitWithin(tx, parts, run, listened, chunk, storable, state);
    });
  });
}

/** In a transaction that has locked the run where somebody listens to its rows. */
export async function commitWithin(
  tx: Transaction,
  { publicUrl }: Pick<CommitParts, "publicUrl">,
  run: RunRecord,
  listened: ReadonlySet<EventType>,
  chunk: Held,
  results: ChunkResults,
  state: "done" | "running" | "pending",
): Promise<boolean> {
  const rows = toldRows(results, listened);
  const held = await commitChunk(statementsOf(tx), targetOf(run), chunk, results, state);
  if (held && rows.length > 0) await recordRowEvents(tx, publicUrl(), run, rows, listened);
  return held;
}

/** Commits once more, without the outputs that the database has refused, which become failures. */
export async function withStorableOutputs<T>(
  { db }: Pick<OrganizationDatabase, "db">,
  results: ChunkResults,
  commit: (results: ChunkResults) => Promise<T>,
): Promise<T> {
  try {
    return await commit(results);
  } catch (error) {
    if (!isDataError(error)) throw error;
    const sifted = await siftOutputs(statementsOf(db), results);
    if (sifted.successes.length === results.successes.length) throw error;
    return commit(sifted);
  }
}

function toldRows(results: ChunkResults, listened: ReadonlySet<EventType>): FinishedRow[] {
  return [
    ...(listened.has("row.succeeded") ? results.successes.map(({ index }) => ({ index, failure: null })) : []),
    ...(listened.has("row.failed")
      ? results.failures.map(({ index, code, retryable }) => ({ index, failure: { code, retryable } }))
      : []),
  ];
}
