/** Looks at some results of a run: its first ones, and some from all over it. */
import type { FailureCode } from "@rowmill/contract/failures";
import type { Statements } from "../../../platform/database/database.ts";
import { decodeHeads } from "./segment-format.ts";

interface HeadRecord {
  row_count: number;
  finished_us: number;
  positions: Buffer;
  heads: Buffer | null;
}

const HEAD_COLUMNS = "row_count, (extract(epoch from finished_at) * 1000000)::bigint as finished_us, positions, heads";

export interface RowEnd {
  code: FailureCode | null;
  finishedUs: number;
}

/** How rows of the run ended: all of them, or `most` or more if it has so many. */
export async function readRowEnds(client: Statements, runId: string, most: number): Promise<RowEnd[]> {
  const { rows: ends } = await client.query<RowEnd>({
    name: "read_failure_ends",
    values: [runId, most],
    text: `select code, (extract(epoch from finished_at) * 1000000)::bigint as "finishedUs"
      from run_failures where run_id = $1 limit $2`,
  });
  if (ends.length >= most) return ends;
  const { rows: segments } = await client.query<HeadRecord>({
    name: "read_segment_ends",
    values: [runId, most],
    text: `select ${HEAD_COLUMNS} from run_segments where run_id = $1 limit $2`,
  });
  for (const segment of segments) {
    const heads = await decode(segment);
    for (let at = 0; at < segment.row_count; at++) ends.push({ code: null, finishedUs: heads.finishedUsAt(at) });
    if (ends.length >= most) break;
  }
  return ends;
}

/** What rows have used, as JSON texts: up to `count` of them, spread over the run, since its first rows may be of one kind. */
export async function sampleUsages(client: Statements, runId: string, count: number): Promise<string[]> {
  const { rows: sums } = await client.query<{ succeeded: number; failed: number }>({
    name: "count_results",
    values: [runId],
    text: `select coalesce(sum(succeeded), 0)::float8 as succeeded, coalesce(sum(failed), 0)::float8 as failed
      from run_chunks where run_id = $1`,
  });
  const { succeeded = 0, failed = 0 } = sums[0] ?? {};
  if (succeeded + failed === 0) return [];
  const ofFailures = Math.round((count * failed) / (succeeded + failed));
  return [
    ...(await sampleSuccesses(client, runId, count - ofFailures)),
    ...(await sampleFailures(client, runId, ofFailures)),
  ];
}

async function sampleSuccesses(client: Statements, runId: string, count: number): Promise<string[]> {
  if (count === 0) return [];
  const { rows: segments } = await client.query<HeadRecord & { hits: number }>({
    name: "sample_segments",
    values: [runId, count],
    text: `
      select s.hits::int as hits, r.* from (
        select found.chunk_no, found.part_no, count(*) as hits
        from (
          select (select chunk_no from run_segments where run_id = $1 order by chunk_no limit 1) as first,
            (select chunk_no from run_segments where run_id = $1 order by chunk_no desc limit 1) as last) ends
        cross join generate_series(0, $2::int - 1) n
        cross join lateral (
          select chunk_no, part_no from run_segments
          where run_id = $1 and chunk_no >= ends.first + (ends.last - ends.first)::bigint * n / $2::int
          order by chunk_no, part_no limit 1) found
        group by found.chunk_no, found.part_no) s
      cross join lateral (
        select ${HEAD_COLUMNS} from run_segments
        where run_id = $1 and chunk_no = s.chunk_no and part_no = s.part_no limit 1) r`,
  });
  const usages: string[] = [];
  for (const segment of segments) {
    const heads = await decode(segment);
    const hits = Math.min(segment.hits, segment.row_count);
    for (let hit = 0; hit < hits; hit++) {
      const usage = heads.usageAt(Math.floor((hit * segment.row_count) / hits));
      if (usage !== null) usages.push(usage);
    }
  }
  return usages;
}

async function sampleFailures(client: Statements, runId: string, count: number): Promise<string[]> {
  if (count === 0) return [];
  const { rows } = await client.query<{ usage: string }>({
    name: "sample_failures",
    values: [runId, count],
    text: `
      select distinct r.row_index, r.usage::text as usage
      from (
        select (select row_index from run_failures where run_id = $1 order by row_index limit 1) as first,
          (select row_index from run_failures where run_id = $1 order by row_index desc limit 1) as last) ends
      cross join generate_series(0, $2::int - 1) n
      cross join lateral (
        select row_index, usage from run_failures
        where run_id = $1 and row_index >= ends.first + (ends.last - ends.first) * n / $2::int
        order by row_index limit 1) r
      where r.usage is not null`,
  });
  return rows.map(({ usage }) => usage);
}

const decode = ({ row_count: rowCount, finished_us: finishedUs, positions, heads }: HeadRecord) =>
  decodeHeads({ rowCount, finishedUs, positions, heads });
