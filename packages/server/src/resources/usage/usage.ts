/**
 * What was used, and what it cost. The books (`usage_days`) have a row per run and day, and one per test of a job spec, written with the
 * results that they account for; here they are added up. By day a page adds up its own days only. By run, key and job spec the list is in
 * the order of costs, which are known when all of the range is added up: that is done for each page, in the database, and the range of days
 * bounds how much it is. A month of 84,000 runs takes a tenth of a second, a year of a million two. A cursor carries its range, so that a
 * list which is read over midnight stays one list.
 */
import type { Operations } from "@rowmill/contract";
import type { Input } from "@rowmill/contract/operation";
import { DEFAULT_USAGE_DAYS, MAX_USAGE_DAYS } from "@rowmill/contract/usage";
import type { UsageGroup, UsageGrouping } from "@rowmill/contract/usage";
import { sql } from "kysely";
import type { RawBuilder } from "kysely";
import type { OrganizationCaller } from "../../platform/auth/caller.ts";
import type { Queryable } from "../../platform/database/database.ts";
import type { Position } from "../../platform/http/cursors.ts";
import { ApiError } from "../../platform/http/errors.ts";
import type { OperationFunction } from "../../platform/http/handlers.ts";
import { indexName } from "../../platform/http/newest-first.ts";
import { cutPage } from "../../platform/http/pages.ts";
import { formatId, formatIdOrNull } from "../../platform/ids.ts";
import type { RowUsage } from "../../processors/processor.ts";
import { showUsd } from "../../platform/usd.ts";
import { sharedNow } from "../../platform/shared-time.ts";

const DAY_MS = 86_400_000;

type Filters = Input<Operations["listUsage"]>["filters"];

interface Sums {
  /** A date, or an id; null where there is no id. */
  key: string | null;
  rows: number;
  attempts: number;
  requests: number;
  inputTokens: number;
  outputTokens: number;
  unpricedRequests: number;
  /** Of the calls whose price is known. */
  costUsd: string;
  /** Of that, by tests of job specs. */
  testRequests: number;
  testUnpricedRequests: number;
  testCostUsd: string;
}

const columns: Record<UsageGrouping, RawBuilder<unknown>> = {
  day: sql`wanted.day`,
  run: sql`case when is_test then null else run_id end::text`,
  api_key: sql`api_key_id::text`,
  job_spec: sql`job_spec_id::text`,
  model: sql`model`,
};

export const listUsage: OperationFunction<"listUsage"> = async (db, { organizationId }, { filters, page }) => {
  const now = sharedNow();
  const { groupBy = "day" } = filters;
  const [from, to, ...after] = page.after ?? rangeOf(filters, now);
  const range = usedIn(organizationId, filters, sql`${from}::date`, sql`${to}::date`);
  // Versions are few beside their uses, and are looked up one by one: an organization has many that were not used in the range.
  const used =
    groupBy === "model"
      ? sql`${range} used left join (
          select uses.job_spec_id, uses.job_spec_version, named.model
          from (select distinct job_spec_id, job_spec_version from ${range} used) uses
          cross join lateral (
            select model from job_spec_versions
            where organization_id = ${organizationId} and job_spec_id = uses.job_spec_id and version = uses.job_spec_version
            limit 1) named) versions using (job_spec_id, job_spec_version)`
      : sql`${range} used`;
  const limit = page.limit + 1;
  const days =
    groupBy === "day" ? daysWithUsage(organizationId, filters, { from, to, after: after[0], limit }) : undefined;
  const { rows: found } = await sql<Sums>`
    select key::text as key, rows, attempts, requests, input_tokens, output_tokens, unpriced_requests, cost_usd::text as cost_usd,
      test_requests, test_unpriced_requests, test_cost_usd::text as test_cost_usd from (
      select ${columns[groupBy]} as key, sum(rows)::bigint as rows, sum(attempts)::bigint as attempts,
        sum(requests)::bigint as requests, sum(input_tokens)::bigint as input_tokens, sum(output_tokens)::bigint as output_tokens,
        sum(unpriced_requests)::bigint as unpriced_requests, sum(cost_usd) as cost_usd,
        coalesce(sum(requests) filter (where is_test), 0)::bigint as test_requests,
        coalesce(sum(unpriced_requests) filter (where is_test), 0)::bigint as test_unpriced_requests,
        coalesce(sum(cost_usd) filter (where is_test), 0) as test_cost_usd
      from ${days ?? used} group by 1) sums
    ${days === undefined ? largestFirst(after, limit) : sql`order by sums.key desc`}`.execute(db);
  const { rows, next } = cutPage(found, page, (row) => [String(from), String(to), ...keyOf(groupBy, row)]);
  return { data: rows.map((row) => show(groupBy, row)), next };
};

/** First and last day, checked; the filters are dates already. */
function rangeOf(filters: Filters, now: Date): [from: string, to: string] {
  const to = filters.to ?? dayOf(now.getTime());
  const from = filters.from ?? dayOf(Date.parse(to) - (DEFAULT_USAGE_DAYS - 1) * DAY_MS);
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  if (days < 1) throw invalidRange(`\`from\` (${from}) lies behind \`to\` (${to}).`);
  if (days > MAX_USAGE_DAYS)
    throw invalidRange(
      `${from} to ${to} are ${days} days, and no more than ${MAX_USAGE_DAYS} can be asked for at once: give a later \`from\`, or an earlier \`to\`.`,
    );
  return [from, to];
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

const invalidRange = (message: string): ApiError => new ApiError("invalid_parameter", message, { param: "from" });

/** What of an item a cursor holds, in the order of the list. */
const keyOf = (groupBy: UsageGrouping, { key, costUsd, requests }: Sums): Position =>
  groupBy === "day" ? [key ?? ""] : [costUsd, requests, key ?? ""];

/** What was used from a day to a day, as a range of an index, in its order (`platform/http/newest-first.ts` says why). */
function usedIn(
  organizationId: string,
  { runId, apiKeyId, jobSpecId }: Filters,
  from: RawBuilder<unknown>,
  to: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const [first, ...others] = [
    ...(runId === undefined ? [] : [{ name: "run_id", column: sql`run_id`, id: runId }]),
    ...(apiKeyId === undefined ? [] : [{ name: "api_key_id", column: sql`api_key_id`, id: apiKeyId }]),
    ...(jobSpecId === undefined ? [] : [{ name: "job_spec_id", column: sql`job_spec_id`, id: jobSpecId }]),
  ];
  const conditions = [
    sql`organization_id = ${organizationId}`,
    ...(first === undefined ? [] : [sql`${first.column} = ${first.id}`]),
    sql`day between ${from} and ${to}`,
    // Written so that no index serves them.
    ...others.map(({ column, id }) => sql`coalesce(${column} = ${id}, false)`),
  ];
  const name = first === undefined ? sql`` : sql`, ${indexName("usageDays", [first.name])}`;
  return sql`(select * from usage_days where ${sql.join(conditions, sql` and `)} order by day ${name})`;
}

/** What was used on the days of a page: each day is looked at by itself, and those without usage do not count. */
function daysWithUsage(
  organizationId: string,
  filters: Filters,
  page: { from: unknown; to: unknown; after: unknown; limit: number },
): RawBuilder<unknown> {
  const ofDay = usedIn(organizationId, filters, sql`wanted.day`, sql`wanted.day`);
  const end = page.after === undefined ? sql`${page.to}::date` : sql`${page.after}::date - 1`;
  return sql`(
      select wanted.day
      from (select generate_series(${page.from}::date, ${end}, interval '1 day')::date as day) wanted
      cross join lateral (select 1 from ${ofDay} uses limit 1) used
      order by wanted.day desc limit ${page.limit}) wanted
    cross join lateral ${ofDay} used`;
}

/** What has no id stands behind all others that cost and call as much. */
function largestFirst(after: Position, limit: number): RawBuilder<unknown> {
  const [cost, requests, key] = after;
  return sql`${
    after.length === 0
      ? sql``
      : sql`where (cost_usd, requests, coalesce(key, '')) < (${cost}::numeric, ${requests}::bigint, ${key}::text)`
  } order by sums.cost_usd desc, requests desc, coalesce(key, '') desc limit ${limit}`;
}

function show(
  groupBy: UsageGrouping,
  { key, costUsd, testRequests, testUnpricedRequests, testCostUsd, ...sums }: Sums,
): UsageGroup {
  return {
    ...nameOf(groupBy, key),
    ...sums,
    // A part of the costs would pass for all of them.
    costUsd: sums.unpricedRequests > 0 ? null : showUsd(costUsd),
    pricedCostUsd: showUsd(costUsd),
    tests: { requests: testRequests, costUsd: testUnpricedRequests > 0 ? null : showUsd(testCostUsd) },
  };
}

/**
 * What a row of a test of a job spec has used. It has a UUID of its own in the place of a run's: requests may add, and change nothing. By that,
 * and the day that it ended on, it may be repeated, also on the next day.
 */
export async function recordTestUsage(
  db: Queryable,
  { organizationId, apiKeyId }: OrganizationCaller,
  {
    uuid,
    endedAt,
    jobSpecId,
    jobSpecVersion,
    usage,
  }: { uuid: string; endedAt: Date; jobSpecId: string; jobSpecVersion: number; usage: RowUsage },
): Promise<void> {
  const { inputTokens = 0, outputTokens = 0, requests = 0, unpricedRequests = 0, costUsd = "0" } = usage;
  await sql`
    insert into usage_days (organization_id, day, run_id, is_test, job_spec_id, job_spec_version, api_key_id, rows, attempts, input_tokens, output_tokens,
      requests, unpriced_requests, cost_usd)
    values (${organizationId}, (${endedAt}::timestamptz at time zone 'UTC')::date, ${uuid}, true, ${jobSpecId}, ${jobSpecVersion}, ${apiKeyId}, 1, 1,
      ${inputTokens}, ${outputTokens}, ${requests}, ${unpricedRequests}, ${costUsd}::numeric)
    on conflict do nothing`.execute(db);
}

function nameOf(groupBy: UsageGrouping, key: string | null): Partial<UsageGroup> {
  switch (groupBy) {
    case "day":
      return { day: key ?? "" };
    case "run":
      return { runId: formatIdOrNull("run", key) };
    case "api_key":
      return { apiKeyId: formatIdOrNull("apiKey", key) };
    case "model":
      return { model: key };
    case "job_spec":
      return { jobSpecId: formatId("jobSpec", key ?? "") };
  }
}
