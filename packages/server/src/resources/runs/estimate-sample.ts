/**
 * The rows by which a run is estimated: evenly spread over those of its scope or selection, the same ones every time. They come
 * in an order of which every beginning is spread as well, so that a sample of rows that are large may end early.
 */
import { MAX_SAMPLED_ROWS } from "@rowmill/contract/run-estimates";
import type { Selection } from "@rowmill/contract/run-rows";
import { sql } from "kysely";
import { statementsOf } from "../../platform/database/database.ts";
import type { Queryable } from "../../platform/database/database.ts";
import { isDistributed } from "../../platform/database/distribution-marks.ts";
import type { InputRow } from "../../processors/processor.ts";
import { readChunk } from "../datasets/chunk-store.ts";
import { pickOnCluster } from "./pick-on-cluster.ts";
import { selectedChunks } from "./retry-selection.ts";
import type { RunRecord } from "./runs.ts";
import type { ScopeRows } from "./scopes.ts";

export interface SamplePlan {
  /** Of the run. */
  rows: number;
  /** Row indexes, `MAX_SAMPLED_ROWS` at most. */
  indexes: number[];
}

/** Rows that are looked for together: what is in one chunk is read once. */
const ROWS_AT_ONCE = 50;
/** Of text, and of time: then the sample ends. The caller waits, and connections are closed after 40 s of silence. */
const MAX_SAMPLED_CHARACTERS = 64 * 1024 * 1024;
const MAX_SAMPLING_MS = 10_000;

export function planScopeSample(scope: ScopeRows): SamplePlan {
  switch (scope.by) {
    case "range": {
      const rows = scope.to - scope.from;
      return { rows, indexes: samplePoints(rows).map((point) => scope.from + point) };
    }
    case "indexes":
      return {
        rows: scope.indexes.length,
        indexes: samplePoints(scope.indexes.length).flatMap((point) => scope.indexes[point] ?? []),
      };
    case "chunks":
      return planChunks(scope.picked);
  }
}

function planChunks(picked: Extract<ScopeRows, { by: "chunks" }>["picked"]): SamplePlan {
  const rows = picked.reduce((sum, chunk) => sum + chunk.rowCount, 0);
  const indexOf = new Map<number, number>();
  let chunkAt = 0;
  let start = 0;
  for (const point of samplePoints(rows).toSorted((a, b) => a - b)) {
    for (let chunk = picked[chunkAt]; chunk !== undefined && point >= start + chunk.rowCount; chunk = picked[++chunkAt])
      start += chunk.rowCount;
    const chunk = picked[chunkAt];
    if (chunk !== undefined) indexOf.set(point, chunk.firstRow + (chunk.positions?.[point - start] ?? point - start));
  }
  return { rows, indexes: samplePoints(rows).flatMap((point) => indexOf.get(point) ?? []) };
}

/** Found out where the rows are: of a retry there may be as many as of its parent. */
export async function planSelectionSample(
  db: Queryable,
  parent: RunRecord,
  selection: Selection,
  datasetRows: number,
): Promise<SamplePlan> {
  if (isDistributed(db) && selection.type !== "all" && selection.type !== "rows")
    return planChunks(await pickOnCluster(db, parent, selection));
  const { rows: found } = await sql<{ rowTotal: number; point: number | null; rowIndex: number | null }>`
    with chosen as materialized (${selectedChunks(parent, selection, datasetRows)}),
    placed as (
      select c.*, sum(row_count) over (order by chunk_no) as upto, sum(row_count) over (order by chunk_no) - row_count as start from chosen c),
    total as (select coalesce(sum(row_count), 0)::bigint as n, least(coalesce(sum(row_count), 0), ${MAX_SAMPLED_ROWS})::bigint as sampled from chosen)
    select t.n as row_total, s.point, s.row_index
    from total t left join lateral (
      select k.point, p.first_row + coalesce(p.picked[k.point - p.start + 1], k.point - p.start)::bigint as row_index
      from placed p
      -- The points of the sample that lie within the chunk: point k is floor((k + 1/2) · n / sampled).
      cross join lateral (
        select floor((k + 0.5) * t.n / t.sampled)::bigint as point
        from generate_series(ceil(p.start * t.sampled / t.n - 0.5)::int, ceil(p.upto * t.sampled / t.n - 0.5)::int - 1) k) k
    ) s on t.n > 0`.execute(db);
  const rows = found[0]?.rowTotal ?? 0;
  const indexOf = new Map(found.map(({ point, rowIndex }) => [point, rowIndex]));
  return { rows, indexes: samplePoints(rows).flatMap((point) => indexOf.get(point) ?? []) };
}

/** Numbers below `rows`: the middles of equal parts, the parts in the order of their reversed bits. */
export function samplePoints(rows: number): number[] {
  const size = Math.min(rows, MAX_SAMPLED_ROWS);
  const bits = Math.ceil(Math.log2(Math.max(2, size)));
  const reversed = (part: number): number =>
    Array.from({ length: bits }, (_, bit) => ((part >> bit) & 1) << (bits - 1 - bit)).reduce(
      (sum, bit) => sum + bit,
      0,
    );
  return Array.from({ length: size }, (_, part) => part)
    .toSorted((a, b) => reversed(a) - reversed(b))
    .map((part) => Math.floor(((part + 0.5) * rows) / size));
}

/** The rows themselves, some at a time, until they are too many characters, or it takes too long. */
export async function* readSample(
  db: Queryable,
  datasetId: string,
  indexes: readonly number[],
): AsyncGenerator<InputRow> {
  const statements = statementsOf(db);
  const endsAt = performance.now() + MAX_SAMPLING_MS;
  let characters = 0;
  for (let from = 0; from < indexes.length; from += ROWS_AT_ONCE) {
    const wanted = indexes.slice(from, from + ROWS_AT_ONCE);
    const { rows: found } = await statements.query<{ row_index: number; chunk_no: number }>({
      name: "find_chunks_of_sample",
      values: [datasetId, wanted],
      text: `
        select i.row_index, c.chunk_no from unnest($2::bigint[]) i(row_index)
        cross join lateral (
          select chunk_no from dataset_chunks where dataset_id = $1 and first_row <= i.row_index
          order by first_row desc limit 1) c`,
    });
    for (const [chunkNo, rows] of Map.groupBy(found, (row) => row.chunk_no)) {
      const chunk = await readChunk(statements, datasetId, chunkNo);
      if (chunk === undefined) continue;
      for (const { row_index: index } of rows) {
        const text = chunk.lines[index - chunk.firstRow];
        if (text === undefined) continue;
        characters += text.length;
        yield { index, text };
      }
      if (characters > MAX_SAMPLED_CHARACTERS || performance.now() > endsAt) return;
    }
  }
}
