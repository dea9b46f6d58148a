/**
 * The scope `filter`: which rows of a dataset pass a condition. Found out before the run's transaction, chunk by chunk: as many
 * at once as there are threads, the next one is fetched meanwhile, and of each only the positions of the chosen rows are kept.
 *
 * A row for which the condition cannot be evaluated, because a member is missing or of another type, does not pass.
 */
import { sql } from "kysely";
import type { OrganizationCaller } from "../../platform/auth/caller.ts";
import { MAX_SOURCE_BYTES } from "../../platform/conditions/condition-limits.ts";
import type { Condition, Conditions } from "../../platform/conditions/conditions.ts";
import { statementsOf } from "../../platform/database/database.ts";
import type { Queryable, Transaction } from "../../platform/database/database.ts";
import type { Party } from "../../platform/fair-share.ts";
import { ConcurrencyGate } from "../../platform/http/concurrency-gate.ts";
import { ApiError } from "../../platform/http/errors.ts";
import { readStoredChunk } from "../datasets/chunk-store.ts";

/**
 * The caller waits, and connections are closed after 40 s of silence. It is enough for about ten million rows of a simple
 * condition with one thread, and for forty with four.
 */
const BUDGET_MS = 25_000;

/** Of one organization, in this process: each keeps all threads busy, and alternates with those of others. */
export const createFilterGate = (): ConcurrencyGate =>
  new ConcurrencyGate({
    atOnce: 2,
    refusal: (count) => `${count} filters are at work: wait for their runs.`,
    retryAfterSeconds: 5,
  });

/** In one statement; positions as text, so a few megabytes. */
const CHUNKS_PER_INSERT = 500;

/** What a condition chooses of one chunk. */
export interface PickedChunk {
  chunkNo: number;
  /** Of the chunk in the dataset. */
  firstRow: number;
  /** How many are chosen. */
  rowCount: number;
  /** Positions within the chunk, two bytes each: a chunk has 10 000 rows at most. Null: all. */
  positions: Uint16Array | null;
}

interface EvaluationError {
  row: number;
  message: string;
}

export interface FilterParts {
  conditions: Pick<Conditions, "check" | "evaluateRows" | "workers">;
  filterGate: ConcurrencyGate;
}

/** Rows of so many chunks took longer than a row may take: more of them would find out nothing else, and take the thread from others. */
const MAX_EXPENSIVE_CHUNKS = 3;

/**
 * Throws 422 `scope_invalid` for a condition that cannot be used, chooses nothing, or takes too long for the dataset, and 429 where `signal`
 * aborts before it is done.
 */
export async function pickRows(
  db: Queryable,
  { organizationId }: Pick<OrganizationCaller, "organizationId">,
  dataset: { id: string; rowCount: number },
  where: string,
  { conditions, filterGate }: FilterParts,
  signal?: AbortSignal,
): Promise<PickedChunk[]> {
  const condition: Condition = { source: where, variable: "row" };
  const problem =
    where.length > MAX_SOURCE_BYTES
      ? `The expression is longer than ${MAX_SOURCE_BYTES} bytes.`
      : await conditions.check(condition, partyOf(organizationId));
  if (problem !== undefined) throw invalid(problem);
  const owner = { organizationId, signal };
  return filterGate.run(organizationId, () => pickFromChunks(db, owner, dataset, condition, conditions));
}

async function pickFromChunks(
  db: Queryable,
  { organizationId, signal }: { organizationId: string; signal: AbortSignal | undefined },
  dataset: { id: string; rowCount: number },
  condition: Condition,
  conditions: FilterParts["conditions"],
): Promise<PickedChunk[]> {
  const endsAt = performance.now() + BUDGET_MS;
  const statements = statementsOf(db);
  const picked: PickedChunk[] = [];
  let seen = 0;
  let firstError: EvaluationError | undefined;
  let nextChunkNo = 0;
  let expensiveChunks = 0;
  const ending = new AbortController();

  async function pickOneAfterTheOther(): Promise<void> {
    while (!ending.signal.aborted) {
      if (signal?.aborted === true) throw nobodyWaits();
      const chunkNo = nextChunkNo++;
      const chunk = await readStoredChunk(statements, dataset.id, chunkNo);
      if (chunk === undefined) return;
      const { rowCount } = chunk;
      const evaluation = await conditions.evaluateRows(condition, chunk.body, rowCount, partyOf(organizationId));
      if (evaluation.isTooExpensive && ++expensiveChunks >= MAX_EXPENSIVE_CHUNKS)
        throw tooExpensive(chunk.firstRow + (evaluation.firstError?.at ?? 0));
      const positions = evaluation.results.flatMap((result, at) => (result === "match" ? [at] : []));
      if (positions.length > 0)
        picked.push({
          chunkNo,
          firstRow: chunk.firstRow,
          rowCount: positions.length,
          positions: positions.length === rowCount ? null : Uint16Array.from(positions),
        });
      if (evaluation.firstError !== null) {
        const row = chunk.firstRow + evaluation.firstError.at;
        if (firstError === undefined || row < firstError.row)
          firstError = { row, message: evaluation.firstError.message };
      }
      seen += rowCount;
      if (performance.now() > endsAt && seen < dataset.rowCount)
        throw tookTooLong(seen, dataset.rowCount, ofError(firstError));
    }
  }

  // One more than there are threads: while they work, the next chunk is fetched.
  const pickers = Array.from({ length: conditions.workers + 1 }, pickOneAfterTheOther);
  await Promise.all(pickers).finally(() => ending.abort());
  picked.sort((a, b) => a.chunkNo - b.chunkNo);
  if (picked.length === 0) throw invalid(`No row passes the filter${ofError(firstError) ?? "."}`);
  return picked;
}

/** All filters of an organization together are one owner of its share. */
const partyOf = (organizationId: string): Party => ({ organizationId, ownerId: "filters" });

const tooExpensive = (row: number): ApiError =>
  invalid(
    `The filter takes longer than a row may take, again and again; the last time at row ${row}. ` +
      "Make the expression simpler: each nested `all`, `exists`, `filter` or `map` multiplies its work.",
  );

/** `error`: a filter that names a member which no row has takes longest, and is not made right by being simpler. */
const tookTooLong = (seen: number, rowCount: number, error = "."): ApiError =>
  invalid(
    `The filter has evaluated ${seen} of the dataset's ${rowCount} rows in ${BUDGET_MS / 1_000} seconds, which is all it may take${error} ` +
      "Make it simpler, or use a smaller dataset.",
  );

const ofError = (error: EvaluationError | undefined): string | undefined =>
  error && `; the first evaluation error is at row ${error.row}: ${error.message}`;

/** Nobody reads it, and it is kept for no repeat of the request. It counts as no failure of the service. */
const nobodyWaits = (): ApiError =>
  new ApiError("rate_limited", "The filter was ended, since the client has left.", { retryAfterSeconds: 1 });

const invalid = (message: string): ApiError => new ApiError("scope_invalid", message, { param: "scope.where" });

export async function insertPickedChunks(
  tx: Transaction,
  run: { organizationId: string; runId: string; dataset: { id: string } },
  picked: readonly PickedChunk[],
): Promise<{ chunkCount: number; rowTotal: number }> {
  let rowTotal = 0;
  for (let from = 0; from < picked.length; from += CHUNKS_PER_INSERT) {
    const some = picked.slice(from, from + CHUNKS_PER_INSERT);
    const { rows } = await sql<{ rowCount: number }>`
      insert into run_chunks (organization_id, run_id, chunk_no, first_row, last_row, row_count, picked)
      select ${run.organizationId}, ${run.runId}, c.chunk_no, c.first_row, c.first_row + c.row_count - 1,
        coalesce(cardinality(p.positions::int[]), c.row_count), p.positions::int[]
      from unnest(
        ${some.map(({ chunkNo }) => chunkNo)}::int[],
        ${some.map(({ positions }) => (positions === null ? null : `{${positions.join(",")}}`))}::text[]
      ) p (chunk_no, positions)
      join dataset_chunks c on c.dataset_id = ${run.dataset.id} and c.chunk_no = p.chunk_no
      returning row_count`.execute(tx);
    rowTotal += rows.reduce((sum, row) => sum + row.rowCount, 0);
  }
  return { chunkCount: picked.length, rowTotal };
}
