/**
 * Items of a run's row-level lists as JSON text, in row order: what the lists parse, NDJSON streams pass on and exports
 * write. Outputs are passed on as they are stored; nobody looks into them here.
 */
import type { FailureClass, FailureCode } from "@rowmill/contract/failures";
import { failureCodes } from "@rowmill/contract/failures";
import type { ResultState, RunRowState } from "@rowmill/contract/run-results";
import type { Statements } from "../../platform/database/database.ts";
import { makeRowId, rowIdPrefix } from "../../platform/ids.ts";
import { readPositions } from "./positions.ts";
import type { WantedChunks } from "./positions.ts";
import { resolveRow } from "./resolve-row.ts";
import type { Candidate } from "./resolve-row.ts";
import type { RunRecord } from "./runs.ts";
import { formatId } from "../../platform/ids.ts";

export type ItemType = "outputs" | "failures" | "resolved_results" | "rows";

export interface ItemText {
  index: number;
  text: string;
}

/** The largest bigint. */
const LAST_ROW_INDEX = "9223372036854775807";

/** Where a filter may leave few of them, fewer at once would be many questions. */
const POSITIONS_AT_ONCE = 1_000;

export interface ItemFilter {
  codes?: readonly FailureCode[];
  retryable?: boolean;
  rowStates?: readonly RunRowState[];
  resultStates?: readonly ResultState[];
}

/**
 * Items after row index `after` (-1 for the first); fewer than `limit` means the end.
 * `family`: the runs over which results are resolved, oldest first (only for `resolved_results`).
 */
export async function readItemTexts(
  client: Statements,
  run: RunRecord,
  type: ItemType,
  after: number,
  limit: number,
  filter: ItemFilter = {},
): Promise<ItemText[]> {
  const prefix = rowIdPrefix(run.datasetId);
  switch (type) {
    case "outputs":
      return (await readOutputs(client, run, after, limit)).map((row) => ({
        index: row.row_index,
        text: outputText(prefix, row),
      }));
    case "failures":
      return (await readFailures(client, run, after, limit, filter)).map((row) => ({
        index: row.row_index,
        text: failureText(prefix, row),
      }));
    case "rows":
      return readRunRows(client, run, prefix, after, limit, filter);
    case "resolved_results":
      return readResolved(client, run, prefix, after, limit, filter.resultStates);
  }
}

interface ResultRow {
  run_id: string;
  row_index: number;
  attempts: number;
  duration_ms: number;
  finished_at: Date;
  code: FailureCode | null;
  retryable: boolean | null;
  output: string | null;
  failure: string | null;
  usage: string | null;
}

const RESULT_COLUMNS = "run_id, row_index, attempts, duration_ms, finished_at, code, retryable, output, failure, usage";

export async function readOutputs(
  client: Statements,
  run: RunRecord,
  after: number,
  limit: number,
): Promise<ResultRow[]> {
  // Chunk by chunk, since those without an output are stepped over by their counters, however many there are.
  const { rows } = await client.query<ResultRow>({
    name: "read_outputs",
    values: [run.id, after, limit],
    text: `select ${RESULT_COLUMNS.replaceAll(/\w+/g, "r.$&")} from run_chunks c cross join lateral (
        select ${RESULT_COLUMNS} from run_results
        where run_id = c.run_id and row_index > $2 and row_index between c.first_row and c.last_row and code is null
        order by row_index limit $3) r
      where c.run_id = $1 and c.last_row > $2 and c.succeeded > 0 order by c.last_row, r.row_index limit $3`,
  });
  return rows;
}

async function readFailures(
  client: Statements,
  run: RunRecord,
  after: number,
  limit: number,
  { retryable, codes }: ItemFilter,
): Promise<ResultRow[]> {
  if (codes !== undefined) return readFailuresByCode(client, run, after, limit, codes, retryable);
  const { rows } = await client.query<ResultRow>(
    retryable === undefined
      ? {
          name: "read_failures",
          values: [run.id, after, limit],
          text: `select ${RESULT_COLUMNS} from run_results
            where run_id = $1 and row_index > $2 and code is not null order by row_index limit $3`,
        }
      : {
          name: "read_failures_by_retryable",
          values: [run.id, after, limit, retryable],
          text: `select ${RESULT_COLUMNS} from run_results
            where run_id = $1 and retryable = $4 and row_index > $2 and code is not null order by row_index limit $3`,
        },
  );
  return rows;
}

/**
 * Each code, retryable or not, is a range of an index in row order: of each a page at most is read. Written as comparisons of
 * rows, which no other index serves: of a code that is rare in the run, the planner would rather walk all of its failures.
 */
async function readFailuresByCode(
  client: Statements,
  run: RunRecord,
  after: number,
  limit: number,
  codes: readonly FailureCode[],
  retryable: boolean | undefined,
): Promise<ResultRow[]> {
  const { rows } = await client.query<ResultRow>({
    name: "read_failures_by_code",
    values: [run.id, after, limit, codes, retryable === undefined ? [true, false] : [retryable]],
    text: `select ${RESULT_COLUMNS} from run_results where run_id = $1 and row_index = any(array(
        select f.row_index from unnest($4::text[]) as c (code) cross join unnest($5::boolean[]) as t (retryable)
        cross join lateral (
          select row_index from run_results
          where run_id = $1 and code is not null and (code, retryable, row_index) > (c.code, t.retryable, $2::bigint)
            and (code, retryable, row_index) <= (c.code, t.retryable, ${LAST_ROW_INDEX})
          order by code, retryable, row_index limit $3) f
        order by f.row_index limit $3))
      order by row_index`,
  });
  return rows;
}

async function readRunRows(
  client: Statements,
  run: RunRecord,
  prefix: string,
  after: number,
  limit: number,
  { rowStates: states, codes }: ItemFilter,
): Promise<ItemText[]> {
  // Only failed rows have a code.
  if (codes !== undefined && states?.includes("failed") === false) return [];
  if (codes !== undefined || (states?.length === 1 && states[0] === "failed"))
    return (await readFailures(client, run, after, limit, codes === undefined ? {} : { codes })).map((row) => ({
      index: row.row_index,
      text: runRowText(prefix, row.row_index, "failed", row),
    }));
  const wanted = states === undefined ? undefined : new Set(states);
  const items: ItemText[] = [];
  for await (const positions of readPositions(
    client,
    run.id,
    after,
    Math.max(limit, states === undefined ? 0 : POSITIONS_AT_ONCE),
    {
      succeeded: wanted?.has("succeeded") ?? true,
      failed: wanted?.has("failed") ?? true,
      unfinished: wanted === undefined || states?.some((state) => state !== "succeeded" && state !== "failed") === true,
    },
  )) {
    const results = new Map(
      (
        await readResultHeads(
          client,
          [run.id],
          positions.map((p) => p.index),
        )
      ).map((row) => [row.row_index, row]),
    );
    for (const position of positions) {
      const result = results.get(position.index);
      const state =
        result === undefined
          ? unfinishedState(run, position.isInFlight)
          : result.code === null
            ? "succeeded"
            : "failed";
      if (wanted !== undefined && !wanted.has(state)) continue;
      items.push({ index: position.index, text: runRowText(prefix, position.index, state, result) });
      if (items.length === limit) return items;
    }
  }
  return items;
}

/** What a row without a result is, by the state of its run. */
export function unfinishedState(
  run: Pick<RunRecord, "state" | "finishedAt">,
  isInFlight: boolean,
): "pending" | "running" | "canceled" | "skipped" {
  if (run.finishedAt !== null) return run.state === "canceled" ? "canceled" : "skipped";
  return isInFlight ? "running" : "pending";
}

async function readResolved(
  client: Statements,
  run: RunRecord,
  prefix: string,
  after: number,
  limit: number,
  states: readonly ResultState[] | undefined,
): Promise<ItemText[]> {
  const family = await readFamily(client, run);
  const wanted = states === undefined ? undefined : new Set(states);
  const items: ItemText[] = [];
  for await (const positions of readPositions(
    client,
    run.rootRunId,
    after,
    Math.max(limit, states === undefined ? 0 : POSITIONS_AT_ONCE),
    rootChunks(wanted, family.length > 1),
  )) {
    const indexes = positions.map((p) => p.index);
    const candidates = await readCandidates(client, family, indexes);
    const chosen: { index: number; state: ResultState; candidate: Candidate | undefined }[] = [];
    for (const { index } of positions) {
      const resolved = resolveRow(candidates.get(index) ?? []);
      if (wanted !== undefined && !wanted.has(resolved.state)) continue;
      chosen.push({ index, ...resolved });
      if (items.length + chosen.length === limit) break;
    }
    const whole = await readWholeResults(client, chosen);
    for (const { index, state, candidate } of chosen) {
      const row = candidate === undefined ? undefined : whole.get(`${candidate.runId}/${index}`);
      items.push({ index, text: resolvedText(prefix, index, state, candidate, row) });
    }
    if (items.length === limit) return items;
  }
  return items;
}

/**
 * In which chunks of the root run there may be rows of these results. A success stays one; what had another end may have any
 * after a retry, except that a row that has ended is never pending again.
 */
function rootChunks(wanted: ReadonlySet<ResultState> | undefined, hasRetries: boolean): WantedChunks {
  if (wanted === undefined) return { succeeded: true, failed: true, unfinished: true };
  const isEnd = [...wanted].some((state) => state !== "pending");
  return {
    succeeded: wanted.has("succeeded"),
    failed: wanted.has("failed") || (hasRetries && isEnd),
    unfinished: hasRetries || [...wanted].some((state) => state !== "succeeded" && state !== "failed"),
  };
}

interface FamilyRun {
  id: string;
  retry_number: number;
  state: RunRecord["state"];
  finished_at: Date | null;
  is_explicit: boolean;
}

/** The runs of the family up to this one, oldest first. */
async function readFamily(client: Statements, run: RunRecord): Promise<FamilyRun[]> {
  const { rows } = await client.query<FamilyRun>({
    name: "read_family",
    values: [run.organizationId, run.rootRunId, run.retryNumber],
    text: `select id, retry_number, state, finished_at, coalesce(selection->>'type' in ('all', 'rows'), false) as is_explicit
      from runs where organization_id = $1 and root_run_id = $2 and retry_number <= $3 and deleted_at is null order by retry_number`,
  });
  return rows;
}

/** What each run of the family has to say of each row: a result, or that it had the row and did not finish it. */
async function readCandidates(
  client: Statements,
  family: FamilyRun[],
  indexes: number[],
): Promise<Map<number, Candidate[]>> {
  const heads = await readResultHeads(
    client,
    family.map((run) => run.id),
    indexes,
  );
  const byRun = new Map<string, Map<number, ResultHead>>();
  for (const head of heads) {
    const results = byRun.get(head.run_id) ?? new Map<number, ResultHead>();
    results.set(head.row_index, head);
    byRun.set(head.run_id, results);
  }
  const candidates = new Map<number, Candidate[]>(indexes.map((index) => [index, []]));
  for (const run of family) {
    const results = byRun.get(run.id) ?? new Map<number, ResultHead>();
    const missing = indexes.filter((index) => !results.has(index));
    const held = missing.length === 0 ? new Set<number>() : await readHeldRows(client, run.id, missing);
    for (const [index, list] of candidates) {
      const head = results.get(index);
      const common = { runId: run.id, retryNumber: run.retry_number, isExplicit: run.is_explicit };
      if (head) {
        list.push({
          ...common,
          state: head.code === null ? "succeeded" : "failed",
          finishedAt: head.finished_us,
        });
      } else if (held.has(index)) {
        const state = unfinishedState({ state: run.state, finishedAt: run.finished_at }, false);
        list.push({ ...common, state: state === "running" ? "pending" : state, finishedAt: Number.POSITIVE_INFINITY });
      }
    }
  }
  return candidates;
}

/** Those of the rows that the run has, whether finished or not. */
async function readHeldRows(client: Statements, runId: string, indexes: number[]): Promise<Set<number>> {
  const { rows } = await client.query<{ row_index: number }>({
    name: "read_held_rows",
    values: [runId, indexes],
    text: `select i.row_index from unnest($2::bigint[]) i(row_index)
      join lateral (select first_row, picked from run_chunks where run_id = $1 and last_row >= i.row_index order by last_row limit 1) c on true
      where i.row_index >= c.first_row and (c.picked is null or (i.row_index - c.first_row)::int = any(c.picked))`,
  });
  return new Set(rows.map((row) => row.row_index));
}

interface ResultHead extends Pick<
  ResultRow,
  "run_id" | "row_index" | "attempts" | "duration_ms" | "finished_at" | "code" | "failure"
> {
  /** In microseconds: two retry runs may record a row within the same millisecond. */
  finished_us: number;
}

/** Results without their outputs, which may be large. */
async function readResultHeads(client: Statements, runIds: string[], indexes: number[]): Promise<ResultHead[]> {
  if (indexes.length === 0) return [];
  const { rows } = await client.query<ResultHead>({
    name: "read_result_heads",
    values: [runIds, indexes],
    // One look into the index for each: a plain join reads the whole run while the table has no statistics.
    text: `select r.* from unnest($1::uuid[]) f(id) cross join unnest($2::bigint[]) i(row_index) cross join lateral (
        select run_id, row_index, attempts, duration_ms, finished_at, code, failure,
          (extract(epoch from finished_at) * 1000000)::bigint as finished_us
        from run_results where run_id = f.id and row_index = i.row_index limit 1) r`,
  });
  return rows;
}

async function readWholeResults(
  client: Statements,
  chosen: { index: number; candidate: Candidate | undefined }[],
): Promise<Map<string, ResultRow>> {
  const finished = chosen.flatMap(({ index, candidate }) =>
    candidate !== undefined && (candidate.state === "succeeded" || candidate.state === "failed")
      ? [{ index, runId: candidate.runId }]
      : [],
  );
  if (finished.length === 0) return new Map();
  const { rows } = await client.query<ResultRow>({
    name: "read_whole_results",
    values: [finished.map((row) => row.runId), finished.map((row) => row.index)],
    text: `select r.* from unnest($1::uuid[], $2::bigint[]) w(run_id, row_index) cross join lateral (
        select * from run_results where run_id = w.run_id and row_index = w.row_index limit 1) r`,
  });
  return new Map(rows.map((row) => [`${row.run_id}/${row.row_index}`, row]));
}

const outputText = (prefix: string, row: ResultRow): string =>
  `{"datasetRowId":"${makeRowId(prefix, row.row_index)}","index":${row.row_index},${outputMembers(row)}}`;

const outputMembers = (row: ResultRow): string =>
  `"data":${row.output},"attempts":${row.attempts},"usage":${row.usage ?? "null"},"producedAt":"${row.finished_at.toISOString()}"`;

const failureText = (prefix: string, row: ResultRow): string =>
  `{"datasetRowId":"${makeRowId(prefix, row.row_index)}","index":${row.row_index},${failureMembers(row)}}`;

function failureMembers(row: ResultRow): string {
  const { message, details } = readFailure(row.failure);
  const code = row.code ?? "internal_error";
  const failureClass: FailureClass = failureCodes[code].class;
  return JSON.stringify({
    code,
    class: failureClass,
    retryable: row.retryable ?? false,
    message,
    details,
    attempts: row.attempts,
    usage: row.usage === null ? null : (JSON.parse(row.usage) as unknown),
    failedAt: row.finished_at.toISOString(),
  }).slice(1, -1);
}

function readFailure(text: string | null): { message: string; details: unknown } {
  return text === null ? { message: "", details: null } : (JSON.parse(text) as { message: string; details: unknown }); // written by commitChunk
}

function runRowText(
  prefix: string,
  index: number,
  state: RunRowState,
  result: Omit<ResultHead, "finished_us"> | undefined,
): string {
  const finishedAt = result?.finished_at.getTime();
  return JSON.stringify({
    datasetRowId: makeRowId(prefix, index),
    index,
    state,
    attempts: result?.attempts ?? 0,
    startedAt: finishedAt === undefined ? null : new Date(finishedAt - (result?.duration_ms ?? 0)).toISOString(),
    finishedAt: finishedAt === undefined ? null : new Date(finishedAt).toISOString(),
    durationMs: result?.duration_ms ?? null,
    error: result?.code == null ? null : { code: result.code, message: readFailure(result.failure).message },
  });
}

function resolvedText(
  prefix: string,
  index: number,
  state: ResultState,
  candidate: Candidate | undefined,
  row: ResultRow | undefined,
): string {
  const runId = candidate === undefined || state === "pending" ? "null" : `"${formatId("run", candidate.runId)}"`;
  const head = `{"datasetRowId":"${makeRowId(prefix, index)}","index":${index},"resultState":"${state}","runId":${runId}`;
  if (row === undefined) return `${head}}`;
  return state === "succeeded"
    ? `${head},"output":{${outputMembers(row)}}}`
    : `${head},"failure":{${failureMembers(row)}}}`;
}
