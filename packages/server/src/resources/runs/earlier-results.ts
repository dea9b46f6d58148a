/** What rows took in earlier runs of the same version of a job spec: the best that can be known of answers to come. */
import { runStates } from "@rowmill/contract/runs";
import type { RowUsage } from "../../processors/processor.ts";
import { statementsOf } from "../../platform/database/database.ts";
import type { Queryable } from "../../platform/database/database.ts";
import { meanOf } from "./estimate-totals.ts";
import type { EarlierResults } from "./estimate-totals.ts";

/** Fewer say too little of the length of answers. */
const FEWEST_RESULTS = 20;
/** The newest: data and providers change. */
const RUNS = 3;
/** Among so many of the newest runs of the job spec in each state, those of the version are looked for. */
const RUNS_LOOKED_AT = 50;
/** Each is found by the index, wherever it is. */
const RESULTS_PER_RUN = 200;

/** Undefined: there are too few. */
export async function readEarlierResults(
  db: Queryable,
  version: { organizationId: string; jobSpecId: string; version: number },
): Promise<EarlierResults | undefined> {
  const { rows } = await statementsOf(db).query<{ usage: string }>({
    name: "read_earlier_usage",
    values: [
      version.organizationId,
      version.jobSpecId,
      version.version,
      RUNS_LOOKED_AT,
      RUNS,
      RESULTS_PER_RUN,
      runStates.filter((state) => state !== "queued"),
    ],
    // Spread over each run, since its first rows may be of one kind.
    text: `
      with newest as (
        select r.* from unnest($7::text[]) s(state) cross join lateral (
          select id, job_spec_version from runs
          where organization_id = $1 and job_spec_id = $2 and state = s.state and deleted_at is null
          order by id desc limit $4) r),
      earlier as (select id from newest where job_spec_version = $3 order by id desc limit $5)
      select distinct e.id, r.row_index, r.usage::text as usage
      from earlier e
      cross join lateral (
        select (select row_index from run_results where run_id = e.id order by row_index limit 1) as first,
          (select row_index from run_results where run_id = e.id order by row_index desc limit 1) as last) ends
      cross join generate_series(0, $6::int - 1) n
      cross join lateral (
        select row_index, usage from run_results
        where run_id = e.id and row_index >= ends.first + (ends.last - ends.first) * n / $6::int
        order by row_index limit 1) r
      where r.usage is not null`,
  });
  const usages = rows
    .map(({ usage }) => JSON.parse(usage) as RowUsage) // written by commitChunk
    .filter(({ requests = 0, cached }) => requests > 0 && cached !== true);
  if (usages.length < FEWEST_RESULTS) return undefined;
  return {
    requests: meanOf(usages.map(({ requests = 0 }) => requests)),
    outputTokens: meanOf(usages.map(({ outputTokens = 0 }) => outputTokens)),
  };
}
