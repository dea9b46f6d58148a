/** The runs of a family that resolved results are made of, and what a row is in one that has no result for it. */
import type { Statements } from "../../platform/database/database.ts";
import { queryByRun } from "../../platform/database/query-by-run.ts";
import type { RunRecord } from "./runs.ts";

/** What a row without a result is in resolved results. */
export function withoutEnd({ state, finished_at: finishedAt }: FamilyRun): "pending" | "canceled" | "skipped" {
  const unfinished = unfinishedState({ state, finishedAt }, false);
  return unfinished === "running" ? "pending" : unfinished;
}

export interface FamilyRun {
  id: string;
  retry_number: number;
  state: RunRecord["state"];
  finished_at: Date | null;
  chunks_made: boolean;
  is_explicit: boolean;
}

/** The runs of the family up to this one, oldest first. */
export async function readFamily(client: Statements, run: RunRecord): Promise<FamilyRun[]> {
  if (run.id === run.rootRunId) {
    const { id, state } = run;
    const [retry_number, is_explicit] = [0, false]; // it is no retry
    return [{ id, retry_number, state, finished_at: run.finishedAt, chunks_made: run.chunksMade, is_explicit }];
  }
  const { rows } = await client.query<FamilyRun>({
    name: "read_family",
    values: [run.organizationId, run.rootRunId, run.retryNumber],
    text: `select id, retry_number, state, finished_at, chunks_made, coalesce(selection->>'type' in ('all', 'rows'), false) as is_explicit
      from runs where organization_id = $1 and root_run_id = $2 and retry_number <= $3 and deleted_at is null order by retry_number`,
  });
  return rows;
}

/** Which of the rows each of the runs has, whether finished or not; runs that have none of them are missing. */
export async function readRunRows(
  client: Statements,
  runIds: readonly string[],
  indexes: readonly number[],
): Promise<Map<string, Set<number>>> {
  const found = new Map<string, Set<number>>();
  if (runIds.length === 0 || indexes.length === 0) return found;
  const toRead = (ids: readonly string[], ofRun: (parameter: number) => string) => ({
    name: "read_run_rows",
    values: [ids, indexes],
    text: `select r.id as run_id, i.row_index from unnest($1::uuid[]) r(id) cross join unnest($2::bigint[]) i(row_index)
      cross join lateral (select first_row, picked from run_chunks
        where run_id = r.id and last_row >= i.row_index ${ofRun(3)} order by last_row limit 1) c
      where i.row_index >= c.first_row and (c.picked is null or (i.row_index - c.first_row)::int = any(c.picked))`,
  });
  const rows = await queryByRun<string, { run_id: string; row_index: number }>(client, runIds, (id) => id, toRead);
  for (const { run_id: runId, row_index: index } of rows) {
    const ofRun = found.get(runId);
    if (ofRun === undefined) found.set(runId, new Set([index]));
    else ofRun.add(index);
  }
  return found;
}

/** What a row without a result is, by the state of its run. */
export function unfinishedState(
  run: Pick<RunRecord, "state" | "finishedAt">,
  isInFlight: boolean,
): "pending" | "running" | "canceled" | "skipped" {
  if (run.finishedAt !== null) return run.state === "canceled" ? "canceled" : "skipped";
  return isInFlight ? "running" : "pending";
}
