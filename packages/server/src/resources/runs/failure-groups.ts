/**
 * The failures of a run by their cause. Where all have one cause, as when a provider is down, the chunks know how many they are. Otherwise
 * they are counted again for each page, in an index that has nothing but the causes: of a million failures that takes a tenth of a
 * second, and, until PostgreSQL has vacuumed what is new, one second.
 */
import type { Operations } from "@rowmill/contract";
import type { FailureCode } from "@rowmill/contract/failures";
import { failureCodes } from "@rowmill/contract/failures";
import type { Input, PageOf } from "@rowmill/contract/operation";
import type { FailureGroup } from "@rowmill/contract/run-failure-groups";
import type { OrganizationCaller } from "../../platform/auth/caller.ts";
import { statementsOf } from "../../platform/database/database.ts";
import type { Queryable } from "../../platform/database/database.ts";
import { isDistributed } from "../../platform/database/distribution-marks.ts";
import { cutPage } from "../../platform/http/pages.ts";
import { makeRowId, rowIdPrefix } from "../../platform/ids.ts";
import { findRun } from "./runs.ts";

interface GroupRow {
  code: FailureCode;
  retryable: boolean;
  failure_path: string | null;
  /** The path in a cursor, whatever its length. */
  path_digest: string;
  count: number;
  row_index: number;
  finished_at: Date;
  message: string;
}

/**
 * One failure of a group, from the index of causes: written as comparisons of rows in its order, since the planner would look for one
 * that equals in the whole table. A path of null is equal to nothing; nulls stand last in the index, so that it is read backward.
 */
const sampleWithPath = (ofRun: string): string => `(
  select row_index, finished_at, failure from run_failures
  where (run_id, organization_id, code, retryable, failure_path) >= ($2::uuid, $1::uuid, page.code, page.retryable, page.failure_path)
    and (run_id, organization_id, code, retryable, failure_path) <= ($2::uuid, $1::uuid, page.code, page.retryable, page.failure_path)${ofRun}
  order by run_id, organization_id, code, retryable, failure_path limit 1)`;
const sampleWithoutPath = (ofRun: string): string => `(
  select row_index, finished_at, failure from run_failures
  where (run_id, organization_id, code, retryable) >= ($2::uuid, $1::uuid, page.code, page.retryable)
    and (run_id, organization_id, code, retryable) <= ($2::uuid, $1::uuid, page.code, page.retryable)
    and failure_path is null and page.failure_path is null${ofRun}
  order by run_id desc, organization_id desc, code desc, retryable desc, failure_path desc limit 1)`;

const COUNT = `
  select code, retryable, failure_path, count(*) as count from run_failures where run_id = $2 and organization_id = $1`;
const GROUPED = "group by code, retryable, failure_path";
/** The first and the last cause of the index are the same, if there is one alone: of all failures then, which the chunks have counted. */
const COUNT_WITH_SHORTCUT = `
  with only_cause as materialized (
    select first.* from (
      select code, retryable, failure_path from run_failures where run_id = $2 and organization_id = $1
      order by code, retryable, failure_path limit 1) first
    join (
      select code, retryable, failure_path from run_failures where run_id = $2 and organization_id = $1
      order by code desc, retryable desc, failure_path desc limit 1) last
    on first.code = last.code and first.retryable = last.retryable and first.failure_path is not distinct from last.failure_path)
  select only_cause.*, (select sum(failed) from run_chunks where run_id = $2 and organization_id = $1 and failed > 0) as count from only_cause
  union all ${COUNT} and not exists (select from only_cause) ${GROUPED}`;

/** Order of the list, in which cursors go on: the largest first, then what distinguishes groups. */
const ORDER = "count desc, code, retryable, path_digest";
const AFTER = "count < $4 or (count = $4 and (code, retryable, path_digest) > ($5, $6, $7))";

export async function listFailureGroups(
  db: Queryable,
  caller: OrganizationCaller,
  { params, page }: Input<Operations["listFailureGroups"]>,
): Promise<PageOf<FailureGroup>> {
  const run = await findRun(db, caller, params.runId);
  // A cluster finds the run's server by an equation; PostgreSQL's planner would take another index for it.
  const isOnCluster = isDistributed(db);
  const ofRun = isOnCluster ? " and run_id = $2" : "";
  const { rows: found } = await statementsOf(db).query<GroupRow>({
    name: page.after === undefined ? "list_failure_groups" : "list_failure_groups_after",
    values: [run.organizationId, run.id, page.limit + 1, ...(page.after ?? [])],
    text: `
      with counted as (${isOnCluster ? `${COUNT} ${GROUPED}` : COUNT_WITH_SHORTCUT}),
      groups as (select *, coalesce(md5(failure_path), '') as path_digest from counted),
      page as (select * from groups ${page.after === undefined ? "" : `where ${AFTER}`} order by ${ORDER} limit $3)
      select page.*, sample.row_index, sample.finished_at, coalesce(sample.failure ->> 'message', '') as message
      from page cross join lateral (
        ${sampleWithPath(ofRun)} union all
        ${sampleWithoutPath(ofRun)} limit 1) sample
      order by ${ORDER}`,
  });
  const { rows, next } = cutPage(found, page, (row) => [row.count, row.code, String(row.retryable), row.path_digest]);
  const prefix = rowIdPrefix(run.datasetId);
  return {
    data: rows.map((row) => ({
      code: row.code,
      class: failureCodes[row.code].class,
      retryable: row.retryable,
      path: row.failure_path,
      count: row.count,
      sample: {
        datasetRowId: makeRowId(prefix, row.row_index),
        index: row.row_index,
        message: row.message,
        failedAt: row.finished_at.toISOString(),
      },
    })),
    next,
  };
}
