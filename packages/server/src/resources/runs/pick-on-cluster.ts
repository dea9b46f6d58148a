/**
 * What a retry chooses by results, on a cluster (decision 0025): each run of a family may be on another server, and no statement looks into
 * several of them chunk by chunk. So the parent's chunks are read in pages, with its failures and the family's successes beside them.
 */
import type { Selection } from "@rowmill/contract/run-rows";
import { sql } from "kysely";
import type { RawBuilder } from "kysely";
import type { Queryable } from "../../platform/database/database.ts";
import type { PickedChunk } from "./filter-scope.ts";
import type { RunRecord } from "./runs.ts";
import { positionsIn } from "./stored-results/segment-format.ts";

/** Of a page: some megabytes of positions at most. */
const CHUNKS_AT_ONCE = 500;

export type SelectionByResult = Exclude<Selection, { type: "all" | "rows" }>;

interface ParentChunk {
  chunkNo: number;
  firstRow: number;
  lastRow: number;
  picked: number[] | null;
}

/** As `selectedChunks` in `retry-selection.ts` chooses. */
export async function pickOnCluster(
  db: Queryable,
  parent: RunRecord,
  selection: SelectionByResult,
): Promise<PickedChunk[]> {
  const family = await db
    .selectFrom("runs")
    .select("id")
    .where("organizationId", "=", parent.organizationId)
    .where("rootRunId", "=", parent.rootRunId)
    .where("deletedAt", "is", null)
    .execute();
  const found: PickedChunk[] = [];
  for (let after = -1; ;) {
    const chunks = await readChunksAfter(db, parent, selection, after);
    const last = chunks.at(-1);
    if (last === undefined) return found;
    after = last.chunkNo;
    const done = await readSucceeded(
      db,
      family.map(({ id }) => id),
      chunks.map(({ chunkNo }) => chunkNo),
    );
    const failed = await readFailed(db, parent, selection, chunks[0]?.firstRow ?? 0, last.lastRow);
    for (const { chunkNo, firstRow, lastRow, picked } of chunks) {
      const succeeded = done.get(chunkNo);
      const rows = picked ?? Array.from({ length: lastRow - firstRow + 1 }, (_unused, position) => position);
      const positions = rows.filter(
        (position) => succeeded?.has(position) !== true && (failed?.has(firstRow + position) ?? true),
      );
      if (positions.length > 0)
        found.push({ chunkNo, firstRow, rowCount: positions.length, positions: Uint16Array.from(positions) });
    }
  }
}

async function readChunksAfter(
  db: Queryable,
  parent: RunRecord,
  { type }: SelectionByResult,
  after: number,
): Promise<ParentChunk[]> {
  const { rows } = await sql<ParentChunk>`
    select chunk_no, first_row, last_row, picked from run_chunks
    where run_id = ${parent.id} and chunk_no > ${after}
      and ${type === "unfinished" ? sql`succeeded < row_count` : sql`failed > 0`}
    order by chunk_no limit ${CHUNKS_AT_ONCE}`.execute(db);
  return rows;
}

/** Positions by chunk. */
async function readSucceeded(
  db: Queryable,
  runIds: readonly string[],
  chunkNos: readonly number[],
): Promise<Map<number, Set<number>>> {
  const found = new Map<number, Set<number>>();
  for (const runId of runIds) {
    const { rows } = await sql<{ chunkNo: number; rowCount: number; positions: Buffer }>`
      select chunk_no, row_count, positions from run_segments
      where run_id = ${runId} and chunk_no = any(${chunkNos}::int[])`.execute(db);
    for (const { chunkNo, rowCount, positions } of rows) {
      const known = found.get(chunkNo) ?? new Set<number>();
      for (const position of positionsIn(positions, rowCount)) known.add(position);
      found.set(chunkNo, known);
    }
  }
  return found;
}

/** Indexes of rows that the selection asks to have failed so; undefined: it does not ask. */
async function readFailed(
  db: Queryable,
  parent: RunRecord,
  selection: SelectionByResult,
  from: number,
  to: number,
): Promise<Set<number> | undefined> {
  if (selection.type === "unfinished") return undefined;
  const { rows } = await sql<{ rowIndex: number }>`
    select row_index from run_failures
    where run_id = ${parent.id} and row_index between ${from} and ${to} and ${conditionOf(selection)}`.execute(db);
  return new Set(rows.map(({ rowIndex }) => rowIndex));
}

const conditionOf = (selection: SelectionByResult): RawBuilder<unknown> =>
  selection.type === "codes"
    ? sql`code = any(${selection.codes})`
    : selection.type === "retryable_failures"
      ? sql`retryable`
      : sql`true`;
