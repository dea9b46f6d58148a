/** What the limiters of a connection know, for people who want to see why calls wait. */
import { sql } from "../../platform/database/database.ts";
import type { Queryable } from "../../platform/database/database.ts";

/** What was learned counts that long after it was last seen: as `take_limiter_slots` does it. */
const FORGET_SECONDS = 600;

/** A refusal, or an overload, that is not forgotten keeps the rate below what was too much: one in a thousand calls is enough for that. */
export const isSlowed = sql<boolean>`(rate is not null and ceiling is not null and slowed_at > now - ${FORGET_SECONDS})`;

export interface LimiterState {
  model: string;
  learnedRequestsPerMinute: number | null;
  learnedTokensPerMinute: number | null;
  requestsPerMinute: number | null;
  refusals: number;
  pausedSeconds: number;
  waitSeconds: number;
  slowedAt: Date | null;
  lastUsedAt: Date;
}

export async function readLimiters(
  db: Queryable,
  organizationId: string,
  connectionId: string,
  limit: number,
): Promise<LimiterState[]> {
  const { rows } = await sql<LimiterState>`
    with clock as (select extract(epoch from now())::float8 as now)
    select model,
      case when requests_learned_at > now - ${FORGET_SECONDS} then round(requests_per_minute)::int end
        as learned_requests_per_minute,
      case when tokens_learned_at > now - ${FORGET_SECONDS} then round(tokens_per_minute)::int end
        as learned_tokens_per_minute,
      round(rate * 60)::int as requests_per_minute, refusals,
      greatest(0, round((cooling_until - now)::numeric, 1))::float8 as paused_seconds,
      greatest(0, round((greatest(next_request_at, cooling_until) - now)::numeric, 1))::float8 as wait_seconds,
      case when ${isSlowed} then to_timestamp(slowed_at) end as slowed_at,
      to_timestamp(used_at) as last_used_at
    from limiters cross join clock
    where organization_id = ${organizationId} and connection_id = ${connectionId}
    order by used_at desc limit ${limit}`.execute(db);
  return rows;
}

/** The connection has another secret, or another address: pauses and limits were those of the one before. Calls that wait get slots in a second. */
export async function forgetLimiters(db: Queryable, organizationId: string, connectionId: string): Promise<void> {
  await sql`delete from limiters where organization_id = ${organizationId} and connection_id = ${connectionId}`.execute(
    db,
  );
}
