/**
 * Scopes: which rows of the dataset a run has, written as its list of chunks. A chunk of a run has the number of the
 * dataset's chunk; `picked` holds positions within it, null meaning every row. Chunks of a range are written when the run
 * starts (`range-chunks.ts`), those of chosen rows when it is created.
 */
import type { Scope } from "@rowmill/contract/run-rows";
import { sql } from "kysely";
import type { Selectable } from "kysely";
import type { Transaction } from "../../platform/database/database.ts";
import type { DatasetsTable } from "../../platform/database/data-tables.ts";
import { ApiError } from "../../platform/http/errors.ts";
import { parseRowId, wrongKind } from "../../platform/ids.ts";
import { insertPickedChunks } from "./filter-scope.ts";
import type { PickedChunk } from "./filter-scope.ts";
import { countRangeChunks } from "./range-chunks.ts";
import type { RowRange } from "./range-chunks.ts";
import { sampleIndexes } from "./sample.ts";
import { plural } from "../../platform/plural.ts";

export interface ScopedRun {
  organizationId: string;
  runId: string;
  dataset: Selectable<DatasetsTable>;
  scope: Scope;
  /** What the condition of a `filter` has chosen. */
  picked: readonly PickedChunk[];
}

/** The rows of a scope, in order, as it says them: neither is a list of all of them where there may be many. */
export type ScopeRows =
  | ({ by: "range" } & RowRange)
  | { by: "indexes"; indexes: number[] }
  | { by: "chunks"; picked: readonly PickedChunk[] };

/** Throws the decided error for a scope that chooses nothing. */
export function rowsOfScope({ scope, dataset, picked }: Pick<ScopedRun, "scope" | "dataset" | "picked">): ScopeRows {
  const range = (from: number, to: number): ScopeRows => ({ by: "range", from, to });
  if (dataset.rowCount === 0) throw invalid("The dataset has no rows.", "scope");
  switch (scope.type) {
    case "all":
      return range(0, dataset.rowCount);
    case "limit":
      return range(0, Math.min(scope.count, dataset.rowCount));
    case "range":
      if (scope.from >= scope.to) throw invalid("`scope.from` must be below `scope.to`.", "scope.from");
      if (scope.from >= dataset.rowCount)
        throw invalid(
          `\`scope.from\` is past the end: the dataset has ${plural(dataset.rowCount, "row")}.`,
          "scope.from",
        );
      return range(scope.from, Math.min(scope.to, dataset.rowCount));
    case "sample":
      if (scope.count >= dataset.rowCount) return range(0, dataset.rowCount);
      return { by: "indexes", indexes: sampleIndexes(dataset.rowCount, scope.count, scope.seed) };
    case "rows":
      return { by: "indexes", indexes: rowIndexes(scope.rowIds, dataset.id, dataset.rowCount, "scope") };
    case "filter":
      return { by: "chunks", picked };
  }
}

/** What a new run has to process. */
export interface ChunkTotals {
  chunkCount: number;
  rowTotal: number;
  /** False: its start writes them. */
  chunksMade: boolean;
}

/** Whether `openScope` writes them. A sample that has all rows writes none. */
export const writesChunks = ({ type }: Scope): boolean => type === "sample" || type === "rows" || type === "filter";

export async function openScope(tx: Transaction, run: ScopedRun): Promise<ChunkTotals> {
  const rows = rowsOfScope(run);
  switch (rows.by) {
    case "range": {
      const isWhole = rows.from === 0 && rows.to === run.dataset.rowCount;
      const chunkCount = isWhole ? run.dataset.chunkCount : await countRangeChunks(tx, run.dataset.id, rows);
      return { chunkCount, rowTotal: rows.to - rows.from, chunksMade: false };
    }
    case "indexes":
      return insertIndexes(tx, run, rows.indexes);
    case "chunks":
      return { ...(await insertPickedChunks(tx, run, rows.picked)), chunksMade: true };
  }
}

/** Sorted row indexes of ids, each once; `member` of the body is where they stand. */
export function rowIndexes(
  rowIds: readonly string[],
  datasetId: string,
  rowCount: number,
  member: "scope" | "selection",
): number[] {
  const indexes = new Set<number>();
  for (const [i, id] of rowIds.entries()) {
    const row = parseRowId(id);
    if (row?.datasetId !== datasetId || row.index >= rowCount)
      throw invalid(
        wrongKind(id, "row", `\`rowIds[${i}]\``) ?? `\`rowIds[${i}]\` is not a row of this dataset.`,
        `${member}.rowIds.${i}`,
      );
    indexes.add(row.index);
  }
  return [...indexes].toSorted((a, b) => a - b);
}

const invalid = (message: string, param: string): ApiError => new ApiError("scope_invalid", message, { param });

async function insertIndexes(tx: Transaction, run: ScopedRun, indexes: number[]) {
  return counted(
    await sql<{ rowCount: number }>`
      insert into run_chunks (organization_id, run_id, chunk_no, first_row, last_row, row_count, picked)
      select ${run.organizationId}, ${run.runId}, c.chunk_no, c.first_row, c.first_row + c.row_count - 1, count(*),
        array_agg((i.row_index - c.first_row)::int order by i.row_index)
      from unnest(${indexes}::bigint[]) i(row_index)
      join lateral (
        select chunk_no, first_row, row_count from dataset_chunks
        where dataset_id = ${run.dataset.id} and first_row <= i.row_index order by first_row desc limit 1
      ) c on true
      group by c.chunk_no, c.first_row, c.row_count
      returning row_count`.execute(tx),
  );
}

export function counted({ rows }: { rows: { rowCount: number }[] }): ChunkTotals {
  return { chunkCount: rows.length, rowTotal: rows.reduce((sum, row) => sum + row.rowCount, 0), chunksMade: true };
}
