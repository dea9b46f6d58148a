/** What rows took in earlier runs of the same version of a job spec: the best that can be known of later completions. */
import { runStates } from "@rowmill/contract/runs";
import type { RowUsage } from "../../processors/processor.ts";
import { statementsOf } from "../../platform/database/database.ts";
import type { Queryable } from "../../platform/database/database.ts";
import { meanOf } from "./estimate-totals.ts";
import type { EarlierResults } from "./estimate-totals.ts";
import { sampleUsages } from "./stored-results/samples.ts";

/** Fewer say too little about the length of completions. */
const FEWEST_RESULTS = 20;
/** The newest: data and providers change. */
const RUNS = 3;
/** So many where those have too few calls: of a table that is processed again and again, the cache has most rows. */
const MOST_RUNS = 10;
/** Runs of the version are looked for among this many of the newest runs of the job spec in each state. */
const RUNS_LOOKED_AT = 50;
/** Each is found by the index, wherever it is. */
const RESULTS_PER_RUN = 200;

/** Undefined: there are too few. */
export async function readEarlierResults(
  db: Queryable,
  version: { organizationId: string; jobSpecId: string; version: number },
): Promise<EarlierResults | undefined> {
  const client = statementsOf(db);
  const { rows: earlier } = await client.query<{ id: string }>({
    name: "find_earlier_runs",
    values: [
      version.organizationId,
      version.jobSpecId,
      version.version,
      RUNS_LOOKED_AT,
      MOST_RUNS,
      runStates.filter((state) => state !== "queued"),
    ],
    text: `
      with newest as (
        select r.* from unnest($6::text[]) s(state) cross join lateral (
          select id, job_spec_version from runs
          where organization_id = $1 and job_spec_id = $2 and state = s.state and deleted_at is null
          order by id desc, (organization_id::text = 'job_spec_id, state') desc limit $4) r)
      select id from newest where job_spec_version = $3 order by id desc limit $5`,
  });
  const usages: RowUsage[] = [];
  for (const [read, { id }] of earlier.entries()) {
    if (read >= RUNS && usages.length >= FEWEST_RESULTS) break;
    const texts = await sampleUsages(client, id, RESULTS_PER_RUN);
    const ofRun = texts.map((text) => JSON.parse(text) as RowUsage); // written by commitChunk
    usages.push(...ofRun.filter(({ requests = 0, cached }) => requests > 0 && cached !== true));
  }
  if (usages.length < FEWEST_RESULTS) return undefined;
  return {
    requests: meanOf(usages.map(({ requests = 0 }) => requests)),
    outputTokens: meanOf(usages.map(({ outputTokens = 0 }) => outputTokens)),
  };
}
