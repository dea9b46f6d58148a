/**
 * The rules of the limiter: one statement that brings a row of `limiters` up to date with what a process has heard from the
 * provider, and hands out start slots.
 *
 * A slot is the moment at which one request may begin, in milliseconds from now, so that the clocks of machines need not
 * agree. Slots of all processes lie evenly one after the other, a little slower than the limit, no further ahead than the
 * horizon. Tokens are a debt: a request begins when those before it are paid for, whatever it costs itself, so that one which
 * is larger than a minute's allowance passes, too.
 *
 * Where no limit is known, the rate doubles with the answers that come, until there is a limit or a refusal:
 *
 *     no limit known:   START_RATE ──answers──▶ ×2 every STEP ──refused──▶ a quarter, or what was answered per second
 *     limit known:      the limit ─────────────────────────────refused──▶ 0.7 of it; the same, if that does not help
 *     slowed down:      ──answers──▶ quickly to 0.95 of the ceiling (the rate that was too much) ──▶ slowly on, to the limit
 *
 * Only calls that began after the last slowing down can slow down once more: a burst of refusals is one signal.
 */
import type { Pool, QueryConfig } from "pg";

/** Of a limit, so that a server which counts in other windows, or hears of requests late, does not refuse. */
const PACE = 0.985;
/** What was not used in the last moment may be caught up: half of what the pace leaves free of a minute. */
const CREDIT_SECONDS = 0.45;
/** Nobody begins later than that after everyone was asked to wait; and no process waits long for slots that another one holds. */
const HORIZON_SECONDS = 0.25;
/** What one process gets at a time, so that several share a limit evenly. */
const SHARE_SECONDS = 0.1;

/** Requests a second to somebody of whom nothing is known: fast enough for slow models, few enough for small allowances. */
const START_RATE = 20;
const STEP_SECONDS = 0.2;
/** Six a minute: less would look like a standstill. */
const MIN_RATE = 0.1;
/** Beyond this the database is what limits. */
const MAX_RATE = 100_000;

/** Most allowances are of a minute: what a provider really allows is measured over one, and no debt of tokens is longer. */
const MEASURE_SECONDS = 60;
const LEAST_MEASURE_SECONDS = 2;
/** A limit that was good for so long is not doubted for one refusal. */
const TRUST_SECONDS = 120;
const BELIEVED_REFUSALS = 2;
const FIRST_BACKOFF_SECONDS = 0.5;
/** Longer would miss too much of an allowance that begins anew. */
const MAX_BACKOFF_SECONDS = 8;
/** After these, which take more than a minute, it is no allowance of a minute that is used up. */
const MANY_REFUSALS = 12;
const LONG_BACKOFF_SECONDS = 60;
/** A provider that asks for more is asked again: what it says may be wrong, and a run that stands still is worse than a refusal. */
const MAX_COOLDOWN_SECONDS = 15 * 60;
/** What was learned counts that long after it was last seen. */
const FORGET_SECONDS = 10 * 60;
/** Nothing in a row matters any more when it was left alone for so long. */
const PURGE_AFTER_SECONDS = 3600;

/** The database is asked again after that: it hangs, and all who wait would with it. */
const STATEMENT_TIMEOUT_MS = 10_000;

export interface LimiterKey {
  organizationId: string;
  /** The UUID. */
  connectionId: string;
  model: string;
}

export interface Limits {
  requestsPerMinute: number | null;
  tokensPerMinute: number | null;
}

/** What a process tells, and what it wants. Each `…SecondsAgo` is when the latest-begun of those calls began. */
export interface Ask extends LimiterKey {
  limits: Limits;
  /** Expected tokens of each request that waits, in their order. */
  wanted: number[];
  returnedSlots: number;
  /** Tokens used beyond those that were expected; may be negative. */
  tokens: number;
  answered: number;
  answeredSecondsAgo: number | null;
  refusedSecondsAgo: number | null;
  strainedSecondsAgo: number | null;
  /** Nothing shall begin for so long. */
  pauseSeconds: number | null;
  learnedRequestsPerMinute: number | null;
  learnedTokensPerMinute: number | null;
}

export interface Slots {
  /** For the first of those that were wanted, in milliseconds from now; 0 or less is at once. */
  delaysMs: number[];
  /** When the slot after these is, from now. */
  nextMs: number;
  /** Nothing begins before that, from now. */
  coolingMs: number;
  countsTokens: boolean;
}

/** `now` is for tests: seconds since 1970 instead of the database's clock. */
export async function takeSlots(pool: Pick<Pool, "query">, ask: Ask, now?: number): Promise<Slots> {
  for (;;) {
    // The driver knows this option of a single query, its types do not.
    const statement: QueryConfig & { query_timeout: number } = {
      name: "take-limiter-slots",
      text: TAKE_SLOTS,
      values: [
        ask.organizationId,
        ask.connectionId,
        ask.model,
        now ?? null,
        ask.limits.requestsPerMinute,
        ask.limits.tokensPerMinute,
        ask.wanted,
        ask.returnedSlots,
        ask.tokens,
        ask.answered,
        ask.answeredSecondsAgo,
        ask.refusedSecondsAgo,
        ask.strainedSecondsAgo,
        ask.pauseSeconds,
        ask.learnedRequestsPerMinute,
        ask.learnedTokensPerMinute,
      ],
      query_timeout: STATEMENT_TIMEOUT_MS,
    };
    const { rows } = await pool.query<Slots>(statement);
    const [slots] = rows;
    if (slots !== undefined) return slots;
    await pool.query({ text: ADD_ROW, values: [ask.organizationId, ask.connectionId, ask.model] });
  }
}

/** Also those of connections that are gone: nobody uses them. */
export async function purgeUnusedLimiters(pool: Pick<Pool, "query">): Promise<void> {
  await pool.query(`delete from limiters where used_at < extract(epoch from now()) - ${PURGE_AFTER_SECONDS}`);
}

const ADD_ROW = `insert into limiters (organization_id, connection_id, model, used_at)
  values ($1, $2, $3, extract(epoch from now())) on conflict do nothing`;

/** Each step is materialized: pulled into each other, their expressions would be copied for each use, and cost 2 ms and not 0.2. */
const TAKE_SLOTS = `
with found as materialized (
  select * from limiters where organization_id = $1 and connection_id = $2 and model = $3 for update
),
-- The time at which the row is ours, and not that at which the wait for it began.
timed as materialized (
  select *, coalesce($4::float8, extract(epoch from clock_timestamp())::float8) as now from found
),
-- What is known, as far as it still counts; a clock that went back does not prolong anything.
aged as materialized (
  select now, next_request_at, tokens_owed, slowed_at, refusals, grown_at, answered_since_growth, answered, answered_seconds,
    requests_learned_at, tokens_learned_at,
    least(greatest(0, now - used_at), ${MEASURE_SECONDS}) as elapsed,
    least(cooling_until, now + ${MAX_COOLDOWN_SECONDS}) as cooling_until,
    case when now - used_at < ${FORGET_SECONDS} and not is_told then rate end as rate,
    case when now - slowed_at < ${FORGET_SECONDS} and not is_told then ceiling end as ceiling,
    coalesce($15::float8, case when now - requests_learned_at < ${FORGET_SECONDS} then requests_per_minute end) as learned_requests,
    coalesce($16::float8, case when now - tokens_learned_at < ${FORGET_SECONDS} then tokens_per_minute end) as learned_tokens
  -- What was guessed gives way to what is told.
  from (select *, requests_per_minute is null and $15::float8 is not null as is_told from timed) t
),
limited as materialized (
  select *,
    least($5::float8, learned_requests) * ${PACE} / 60 as cap,
    least($6::float8, learned_tokens) as token_limit
  from aged
),
judged as materialized (
  select *,
    least(coalesce(rate, case when cap is null then ${START_RATE} else cap end), cap) as current,
    coalesce(now - $11::float8 > slowed_at, false) as is_answered,
    coalesce(now - $12::float8 > slowed_at, false) as is_refused,
    coalesce(now - $13::float8 > slowed_at, false) as is_strained,
    cap is not null and now - slowed_at > ${TRUST_SECONDS} as is_trusted
  from limited
),
counted as materialized (
  select *, (case when is_answered then 0 else refusals end) + is_refused::int as refusals_now from judged
),
-- Who says when to come back is believed; twice, if that is no good.
counting as materialized (
  select *, refusals_now - case when $14::float8 > 0 then ${BELIEVED_REFUSALS} else 0 end as unexplained from counted
),
paused as materialized (
  select *,
    coalesce(greatest($14::float8, case when is_refused and unexplained > 0 then least(
      case when unexplained <= ${MANY_REFUSALS} then ${MAX_BACKOFF_SECONDS} else ${LONG_BACKOFF_SECONDS} end,
      ${FIRST_BACKOFF_SECONDS} * 2 ^ least(unexplained - 1, 20)) end), 0) as pause
  from counting
),
-- What it allows is what it answered since it last began to, over the time in which it did so; half of it when that is a minute.
measured as materialized (
  select *,
    case when is_answered and refusals > 0 or elapsed >= ${MEASURE_SECONDS} then 0 else answered end + $10::float8 as answered_now,
    case when is_answered and refusals > 0 or elapsed >= ${MEASURE_SECONDS} then 0 else answered_seconds + elapsed end as seconds_now
  from paused
),
concluded as materialized (
  select *,
    greatest(cooling_until, case when pause > 0 then now + least(pause, ${MAX_COOLDOWN_SECONDS}) end) as cooling_now,
    -- Until it answers again it allows no more. No conclusion goes below a quarter, and of a moment there is none: that makes half.
    case when seconds_now + pause < ${LEAST_MEASURE_SECONDS} then current * 0.625
      else greatest(answered_now / (seconds_now + pause), current / 4) end as allowed,
    -- Only who uses the rate needs more.
    not is_refused and not is_strained and is_answered and (rate is not null or cap is null)
      and now - grown_at >= ${STEP_SECONDS}
      and answered_since_growth + $10::float8
        >= current * case when ceiling is null then ${STEP_SECONDS} / 2 else 0.75 * least(1, now - grown_at) end as is_growing
  from measured
),
rated as materialized (
  select *,
    case
      when is_refused and is_trusted then current * 0.7
      when is_refused and refusals_now = 1 then 0.8 * least(current, allowed)
      -- Still refused: that is the same allowance, used up, and says nothing new of the rate.
      when is_refused then least(current, 0.8 * allowed)
      when is_strained then current * 0.85
      when is_growing and ceiling is null then current * 2
      when is_growing and current < 0.95 * ceiling then least(current * 1.25, 0.95 * ceiling)
      when is_growing then
        current * (1 + least(1, now - grown_at) * case when now - slowed_at < ${MEASURE_SECONDS} then 0.003 else 0.01 end)
      else rate
    end as rate_now,
    case
      when is_refused and not is_trusted then least(case when refusals_now = 1 then current else ceiling end, allowed)
      when is_refused or is_strained then current
      else ceiling
    end as ceiling_now
  from concluded
),
bounded as materialized (
  select *,
    case when rate_now < cap or (cap is null and rate_now is not null)
      then greatest(${MIN_RATE}, least(rate_now, ${MAX_RATE})) end as rate_kept
  from rated
),
paced as materialized (
  select *,
    least(coalesce(rate_kept, case when cap is null then ${START_RATE} else cap end), cap) as pace,
    token_limit * ${PACE} / 60 as token_pace
  from bounded
),
begun as materialized (
  select *,
    greatest(
      least(next_request_at, now + ${HORIZON_SECONDS} + 1 / pace) - $8::float8 / pace,
      now - greatest(0, ${CREDIT_SECONDS} - 1 / pace), cooling_now) as first_request_at,
    coalesce(greatest(-${CREDIT_SECONDS} * token_pace,
      least(tokens_owed + $9::float8, ${MEASURE_SECONDS} * token_pace) - elapsed * token_pace), 0) as owed
  from paced
),
-- Nobody's memory of tokens is longer than a minute. Large requests count for more, since they do not fit into what is left.
wanted as (
  select nth, coalesce(least(${MEASURE_SECONDS} * token_pace,
    tokens * ${PACE} * token_limit / greatest(token_limit / 2, least(${PACE} * token_limit, token_limit - tokens))), 0) as cost
  from begun, unnest($7::float8[]) with ordinality as w (tokens, nth)
),
placed as (
  select nth,
    greatest(first_request_at + (nth - 1) / pace,
      coalesce(now + (owed + sum(cost) over (order by nth) - cost) / token_pace, 0)) as starts_at,
    sum(cost) over (order by nth) as spent
  from begun, wanted
),
granted as (
  select count(*) as slots, coalesce(max(spent), 0) as spent,
    coalesce(array_agg((starts_at - now) * 1000 order by nth), '{}') as delays
  from placed, begun
  where starts_at <= now + ${HORIZON_SECONDS} and nth <= greatest(1, ceil(pace * ${SHARE_SECONDS}))
),
written as (
  update limiters l set
    next_request_at = first_request_at + slots / pace,
    tokens_owed = owed + spent,
    cooling_until = cooling_now,
    rate = rate_kept,
    ceiling = ceiling_now,
    slowed_at = case when is_refused or is_strained then now else least(b.slowed_at, now) end,
    refusals = refusals_now,
    grown_at = case when is_growing then now else least(b.grown_at, now) end,
    answered_since_growth = case when is_growing or is_refused or is_strained then 0 else b.answered_since_growth + $10::float8 end,
    answered = case when seconds_now > ${MEASURE_SECONDS} then answered_now / 2 else answered_now end,
    answered_seconds = case when seconds_now > ${MEASURE_SECONDS} then seconds_now / 2 else seconds_now end,
    requests_per_minute = learned_requests,
    requests_learned_at = case when $15::float8 is not null then now else least(b.requests_learned_at, now) end,
    tokens_per_minute = learned_tokens,
    tokens_learned_at = case when $16::float8 is not null then now else least(b.tokens_learned_at, now) end,
    used_at = now
  from begun b, granted
  where organization_id = $1 and connection_id = $2 and model = $3
)
select delays as "delaysMs",
  (greatest(first_request_at + slots / pace, coalesce(now + (owed + spent) / token_pace, 0)) - now) * 1000 as "nextMs",
  greatest(0, cooling_now - now) * 1000 as "coolingMs",
  token_limit is not null as "countsTokens"
from begun, granted`;
