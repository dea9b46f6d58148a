/** Reads failures, which are rows: a page at most of each range of an index. */
import type { FailureCode } from "@rowmill/contract/failures";
import { queryByRun } from "../../../platform/database/query-by-run.ts";
import type { Statements } from "../../../platform/database/database.ts";

export interface StoredFailure {
  runId: string;
  index: number;
  attempts: number;
  durationMs: number;
  finishedUs: number;
  code: FailureCode;
  retryable: boolean;
  /** JSON text: message and details. */
  failure: string | null;
  /** JSON text. */
  usage: string | null;
}

/** A failure as a line of a list of rows. */
export type FailureHead = Pick<StoredFailure, "runId" | "index" | "attempts" | "durationMs" | "finishedUs" | "code"> & {
  message: string;
};

const FINISHED_US = "(extract(epoch from finished_at) * 1000000)::bigint";
const COLUMNS = `run_id as "runId", row_index as index, attempts, duration_ms as "durationMs", ${FINISHED_US} as "finishedUs", code,
  retryable, failure, usage`;

/** The largest bigint. */
const LAST_ROW_INDEX = "9223372036854775807";

export interface FailureFilter {
  codes?: readonly FailureCode[] | undefined;
  retryable?: boolean | undefined;
}

/** Failures read at once: each may have kilobytes of details. */
const AT_ONCE = 200;

/** In row order, after row `after`, `wanted` of them or all, as many at once as fit into memory. */
export async function* readAllFailures(
  client: Statements,
  runId: string,
  after: number,
  wanted: number,
  filter: FailureFilter,
): AsyncGenerator<StoredFailure[]> {
  let from = after;
  for (let missing = wanted; missing > 0;) {
    const limit = Math.min(missing, AT_ONCE);
    const failures = await readFailures(client, runId, from, limit, filter);
    yield failures;
    const last = failures.at(-1);
    if (last === undefined || failures.length < limit) return;
    from = last.index;
    missing -= failures.length;
  }
}

/** In row order, after row `after`. The order of `retryable` is that of its index alone. */
export async function readFailures(
  client: Statements,
  runId: string,
  after: number,
  limit: number,
  { retryable, codes }: FailureFilter,
): Promise<StoredFailure[]> {
  if (codes !== undefined) return readFailuresByCode(client, runId, after, limit, codes, retryable);
  const { rows } = await client.query<StoredFailure>(
    retryable === undefined
      ? {
          name: "read_failures",
          values: [runId, after, limit],
          text: `select ${COLUMNS} from run_failures where run_id = $1 and row_index > $2 order by row_index limit $3`,
        }
      : {
          name: "read_failures_by_retryable",
          values: [runId, after, limit, retryable],
          text: `select ${COLUMNS} from run_failures
            where run_id = $1 and (retryable, row_index) > ($4::boolean, $2::bigint)
              and (retryable, row_index) <= ($4::boolean, ${LAST_ROW_INDEX}) order by retryable, row_index limit $3`,
        },
  );
  return rows;
}

/**
 * Each code, retryable or not, is a range of an index in row order: of each a page at most is read. Written as comparisons of
 * rows, as above, which no other index serves: of a code that is rare in the run, the planner would rather walk all of its failures.
 */
async function readFailuresByCode(
  client: Statements,
  runId: string,
  after: number,
  limit: number,
  codes: readonly FailureCode[],
  retryable: boolean | undefined,
): Promise<StoredFailure[]> {
  const { rows } = await client.query<StoredFailure>({
    name: "read_failures_by_code",
    values: [runId, after, limit, codes, retryable === undefined ? [true, false] : [retryable]],
    // Each row is looked up by itself: of an array, the planner would rather walk all failures of the run.
    text: `select r.* from unnest(array(
        select f.row_index from unnest($4::text[]) as c (code) cross join unnest($5::boolean[]) as t (retryable)
        cross join lateral (
          select row_index from run_failures
          where run_id = $1 and (code, retryable, row_index) > (c.code, t.retryable, $2::bigint)
            and (code, retryable, row_index) <= (c.code, t.retryable, ${LAST_ROW_INDEX})
          order by code, retryable, row_index limit $3) f
        order by f.row_index limit $3)) w(row_index)
      cross join lateral (
        select ${COLUMNS} from run_failures where run_id = $1 and row_index = w.row_index limit 1) r
      order by w.row_index`,
  });
  return rows;
}

/** Those among the rows, in each of the runs. */
export async function readFailureHeads(
  client: Statements,
  runIds: readonly string[],
  indexes: readonly number[],
): Promise<FailureHead[]> {
  if (indexes.length === 0) return [];
  const toRead = (ids: readonly string[], ofRun: (parameter: number) => string) => ({
    name: "read_failure_heads",
    values: [ids, indexes],
    // One look into the index for each: a plain join reads the whole run while the table has no statistics.
    text: `select r.* from unnest($1::uuid[]) f(id) cross join unnest($2::bigint[]) i(row_index) cross join lateral (
        select run_id as "runId", row_index as index, attempts, duration_ms as "durationMs", ${FINISHED_US} as "finishedUs", code,
          coalesce(failure ->> 'message', '') as message
        from run_failures where run_id = f.id and row_index = i.row_index ${ofRun(3)} limit 1) r`,
  });
  return queryByRun<string, FailureHead>(client, runIds, (id) => id, toRead);
}

/** Of the rows from one index to another, those that have failed in one of the runs. */
export async function readFailedIndexes(
  client: Statements,
  runIds: readonly string[],
  from: number,
  to: number,
): Promise<Set<number>> {
  const toRead = (ids: readonly string[], ofRun: (parameter: number) => string) => ({
    name: "read_failed_indexes",
    values: [ids, from, to],
    text: `select r.index from unnest($1::uuid[]) f(id) cross join lateral (
        select row_index as index from run_failures
        where run_id = f.id and row_index between $2::bigint and $3::bigint ${ofRun(4)} order by row_index) r`,
  });
  const rows = await queryByRun<string, { index: number }>(client, runIds, (id) => id, toRead);
  return new Set(rows.map(({ index }) => index));
}

export async function readWholeFailures(
  client: Statements,
  rows: readonly Pick<StoredFailure, "runId" | "index">[],
): Promise<StoredFailure[]> {
  if (rows.length === 0) return [];
  const toRead = (some: typeof rows, ofRun: (parameter: number) => string) => ({
    name: "read_whole_failures",
    values: [some.map(({ runId }) => runId), some.map(({ index }) => index)],
    text: `select r.* from unnest($1::uuid[], $2::bigint[]) w(run_id, row_index) cross join lateral (
        select ${COLUMNS} from run_failures where run_id = w.run_id and row_index = w.row_index ${ofRun(3)} limit 1) r`,
  });
  return queryByRun<(typeof rows)[number], StoredFailure>(client, rows, ({ runId }) => runId, toRead);
}

/** The beginning of the message of some failure with one of these codes. */
export async function readFailureMessage(
  client: Statements,
  runId: string,
  codes: readonly string[],
  maxCharacters: number,
): Promise<string | undefined> {
  const { rows } = await client.query<{ message: string | null }>({
    name: "read_failure_message",
    values: [runId, codes, maxCharacters],
    text: "select left(failure ->> 'message', $3) as message from run_failures where run_id = $1 and code = any($2::text[]) limit 1",
  });
  return rows[0]?.message ?? undefined;
}
