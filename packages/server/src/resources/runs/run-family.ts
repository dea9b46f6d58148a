/** The runs of a family that resolved results are made of, and what a row is in one that has no result for it. */
import type { Statements } from "../../platform/database/database.ts";
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

/** Those of the rows that the run has, whether finished or not. */
export async function readRunRows(client: Statements, runId: string, indexes: number[]): Promise<Set<number>> {
  if (indexes.length === 0) return new Set();
  const { rows } = await client.query<{ row_index: number }>({
    name: "read_run_rows",
    values: [runId, indexes],
    text: `select i.row_index from unnest($2::bigint[]) i(row_index)
      join lateral (select first_row, picked from run_chunks where run_id = $1 and last_row >= i.row_index order by last_row limit 1) c on true
      where i.row_index >= c.first_row and (c.picked is null or (i.row_index - c.first_row)::int = any(c.picked))`,
  });
  return new Set(rows.map((row) => row.row_index));
}

/** What a row without a result is, by the state of its run. */
export function unfinishedState(
  run: Pick<RunRecord, "state" | "finishedAt">,
  isInFlight: boolean,
): "pending" | "running" | "canceled" | "skipped" {
  if (run.finishedAt !== null) return run.state === "canceled" ? "canceled" : "skipped";
  return isInFlight ? "running" : "pending";
}
