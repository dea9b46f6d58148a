-- The rules of the limiter (docs/decisions/0008; 0032-limiter-function.sql describes the whole): a provider that refuses some calls whatever the rate
-- (an overloaded node among many, a gateway) is no longer taken for one with a limit. Each refusal lowered the rate, down to one call a second
-- where one in fifty is refused.
--
--     refused three times after ten answers, below what was too much ──▶ by chance: the rate stays, and grows as in the beginning
--     refused three times in a row, or mostly after fewer answers ──▶ a limit
alter table limiters add column lone_refusals smallint not null default 0;

create or replace function take_limiter_slots(
  of_organization uuid,
  of_connection uuid,
  of_model text,
  -- Seconds since 1970 instead of the clock, for tests.
  given_time float8,
  configured_requests_per_minute float8,
  configured_tokens_per_minute float8,
  -- Expected tokens of each request that waits, in their order.
  wanted_tokens float8[],
  returned_slots float8,
  -- Tokens used beyond those that were expected; may be negative.
  extra_tokens float8,
  new_answers float8,
  -- Seconds since the latest-started of the calls that were answered, refused or answered by an overloaded server, started.
  answered_seconds_ago float8,
  refused_seconds_ago float8,
  overloaded_seconds_ago float8,
  -- The provider asked to wait so long.
  asked_pause float8,
  reported_requests_per_minute float8,
  reported_tokens_per_minute float8,
  -- For the first of the requests that wait; 0 or less is at once.
  out delays_ms float8[],
  -- When the slot after these is.
  out next_ms float8,
  -- Nothing starts before that.
  out cooling_ms float8,
  out counts_tokens boolean
) language plpgsql as $$
declare
  -- Of a limit, so that a server which counts in other windows, or receives requests late, does not refuse.
  PACE constant float8 := 0.985;
  -- What was not used in the last moment may be caught up: half of what the pace leaves free of a minute.
  CREDIT_SECONDS constant float8 := 0.45;
  -- Nobody starts later than that after everyone was asked to wait; and no process waits long for slots that another one has.
  HORIZON_SECONDS constant float8 := 0.25;
  -- What one process gets at a time, so that several share a limit evenly.
  SHARE_SECONDS constant float8 := 0.1;
  -- Requests a second to a provider of which nothing is known: fast enough for slow models, few enough for small allowances.
  START_RATE constant float8 := 20;
  STEP_SECONDS constant float8 := 0.2;
  -- Six a minute: less would look like a standstill.
  MIN_RATE constant float8 := 0.1;
  -- Beyond this the database is what limits.
  MAX_RATE constant float8 := 100000;
  -- Most allowances are of a minute: what a provider really allows is measured over one, and no debt of tokens is longer.
  MEASURE_SECONDS constant float8 := 60;
  LEAST_MEASURE_SECONDS constant float8 := 2;
  -- A limit that was kept for so long is not doubted because of one refusal.
  TRUST_SECONDS constant float8 := 120;
  -- A provider that says when to come back is believed twice in a row.
  BELIEVED_REFUSALS constant int := 2;
  FIRST_BACKOFF_SECONDS constant float8 := 0.5;
  -- Longer would miss too much of an allowance that is renewed.
  MAX_BACKOFF_SECONDS constant float8 := 8;
  -- So many refusals take more than a minute: what is used up is not an allowance of a minute.
  MANY_REFUSALS constant int := 12;
  LONG_BACKOFF_SECONDS constant float8 := 60;
  -- A provider that asks for more is called again: what it says may be wrong, and a run that stands still is worse than a refusal.
  MAX_COOLDOWN_SECONDS constant float8 := 900;
  -- A refusal after so many answers, at less than what was too much before, may have nothing to do with the rate.
  LONE_ANSWERS constant float8 := 10;
  -- A limit of a window that is used up asks for more.
  LONE_PAUSE_SECONDS constant float8 := 2;
  -- After so many more of such refusals than of others, the provider is taken to refuse some calls at any rate.
  MANY_LONE_REFUSALS constant int := 3;
  MOST_LONE_REFUSALS constant int := 6;
  -- What was learned counts that long after it was last seen.
  FORGET_SECONDS constant float8 := 600;

  stored limiters%rowtype;
  moment float8;
  elapsed float8;
  -- Requests a second where the rate is neither the limit nor START_RATE; null otherwise. What was too much.
  known_rate float8;
  known_ceiling float8;
  learned_requests float8;
  learned_tokens float8;
  -- Limits in effect: requests a second, tokens a minute and a second.
  cap float8;
  token_limit float8;
  token_pace float8;
  current_rate float8;
  is_answered boolean;
  is_refused boolean;
  is_overloaded boolean;
  is_trusted boolean;
  is_growing boolean;
  is_lone boolean;
  is_by_chance boolean;
  refusals_in_row int;
  unexplained_refusals int;
  pause float8;
  answers float8;
  answers_seconds float8;
  allowed_rate float8;
  next_rate float8;
  next_ceiling float8;
  pace_now float8;
  first_start float8;
  owed float8;
  cost float8;
  spent float8 := 0;
  slots int := 0;
  max_slots float8;
  starts_at float8;
  tokens float8;
  next_start float8;
begin
  loop
    select * into stored from limiters l
      where l.organization_id = of_organization and l.connection_id = of_connection and l.model = of_model for update;
    exit when found;
    insert into limiters (organization_id, connection_id, model, used_at)
      values (of_organization, of_connection, of_model, extract(epoch from now())) on conflict do nothing;
  end loop;

  -- 1. What is known, as far as it still counts. The time is read after the lock was taken; a clock that went back prolongs nothing.
  moment := coalesce(given_time, extract(epoch from clock_timestamp())::float8);
  elapsed := least(greatest(0, moment - stored.used_at), MEASURE_SECONDS);
  stored.cooling_until := least(stored.cooling_until, moment + MAX_COOLDOWN_SECONDS);
  -- The first limit that the provider reports replaces what was estimated.
  if stored.requests_per_minute is not null or reported_requests_per_minute is null then
    if moment - stored.used_at < FORGET_SECONDS then known_rate := stored.rate; end if;
    if moment - stored.slowed_at < FORGET_SECONDS then known_ceiling := stored.ceiling; end if;
  end if;
  if moment - stored.slowed_at >= FORGET_SECONDS then stored.lone_refusals := 0; end if;
  learned_requests := coalesce(reported_requests_per_minute,
    case when moment - stored.requests_learned_at < FORGET_SECONDS then stored.requests_per_minute end);
  learned_tokens := coalesce(reported_tokens_per_minute,
    case when moment - stored.tokens_learned_at < FORGET_SECONDS then stored.tokens_per_minute end);
  cap := least(configured_requests_per_minute, learned_requests) * PACE / 60;
  token_limit := least(configured_tokens_per_minute, learned_tokens);
  token_pace := token_limit * PACE / 60;
  current_rate := least(coalesce(known_rate, cap, START_RATE), cap);

  -- 2. What the responses say, as far as their calls started after the last slowing down.
  is_answered := coalesce(moment - answered_seconds_ago > stored.slowed_at, false);
  is_refused := coalesce(moment - refused_seconds_ago > stored.slowed_at, false);
  is_overloaded := coalesce(moment - overloaded_seconds_ago > stored.slowed_at, false);
  is_trusted := cap is not null and moment - stored.slowed_at > TRUST_SECONDS;

  -- 3. How long everybody waits: as the provider asked, or an exponential backoff.
  refusals_in_row := case when is_answered then 0 else stored.refusals end + is_refused::int;
  unexplained_refusals := refusals_in_row - case when asked_pause > 0 then BELIEVED_REFUSALS else 0 end;
  pause := coalesce(asked_pause, 0);
  if is_refused and unexplained_refusals > 0 then
    pause := greatest(pause, least(
      case when unexplained_refusals <= MANY_REFUSALS then MAX_BACKOFF_SECONDS else LONG_BACKOFF_SECONDS end,
      FIRST_BACKOFF_SECONDS * 2 ^ least(unexplained_refusals - 1, 20)));
  end if;
  if pause > 0 then
    stored.cooling_until := greatest(stored.cooling_until, moment + least(pause, MAX_COOLDOWN_SECONDS));
  end if;

  -- 4. What the provider seems to allow: answers since it last began to answer, over the time in which they came.
  if (is_answered and stored.refusals > 0) or elapsed >= MEASURE_SECONDS then
    answers := new_answers;
    answers_seconds := 0;
  else
    answers := stored.answered + new_answers;
    answers_seconds := stored.answered_seconds + elapsed;
  end if;
  -- While it does not answer, it allows nothing more. The estimate is a quarter of the rate at least. Two seconds are too short for one: the rate
  -- is halved then.
  if answers_seconds + pause < LEAST_MEASURE_SECONDS then
    allowed_rate := current_rate * 0.625;
  else
    allowed_rate := greatest(answers / (answers_seconds + pause), current_rate / 4);
  end if;

  -- By chance: as many before it had nothing to do with the rate. Lone: between answers, at less than what was too much before.
  is_by_chance := is_refused and refusals_in_row <= 2 and stored.lone_refusals >= MANY_LONE_REFUSALS;
  is_lone := is_refused and refusals_in_row = 1 and answers >= LONE_ANSWERS and pause <= LONE_PAUSE_SECONDS
    and (current_rate < known_ceiling or is_by_chance);

  -- 5. The rate from now on. Only who uses the rate needs more.
  is_growing := not is_refused and not is_overloaded and is_answered and (known_rate is not null or cap is null)
    and moment - stored.grown_at >= STEP_SECONDS
    and stored.answered_since_growth + new_answers
      >= current_rate * case when known_ceiling is null then STEP_SECONDS / 2 else 0.75 * least(1, moment - stored.grown_at) end;
  next_rate := known_rate;
  next_ceiling := known_ceiling;
  if is_lone and is_by_chance then
    -- No slower, and as fast as callers need.
    next_ceiling := null;
  elsif is_by_chance then
    next_rate := current_rate * 0.8;
    next_ceiling := current_rate;
  elsif is_refused and is_trusted then
    next_rate := current_rate * 0.7;
    next_ceiling := current_rate;
  elsif is_refused and refusals_in_row = 1 then
    next_rate := 0.8 * least(current_rate, allowed_rate);
    next_ceiling := least(current_rate, allowed_rate);
  elsif is_refused then
    -- Still refused: that is the same allowance, used up, and shows nothing new about the rate.
    next_rate := least(current_rate, 0.8 * allowed_rate);
    next_ceiling := least(known_ceiling, allowed_rate);
  elsif is_overloaded then
    next_rate := current_rate * 0.85;
    next_ceiling := current_rate;
  elsif is_growing and known_ceiling is null then
    next_rate := current_rate * 2;
  elsif is_growing and current_rate < 0.95 * known_ceiling then
    next_rate := least(current_rate * 1.25, 0.95 * known_ceiling);
  elsif is_growing then
    next_rate := current_rate * (1 + least(1, moment - stored.grown_at)
      * case when moment - stored.slowed_at < MEASURE_SECONDS then 0.003 else 0.01 end);
  end if;
  -- At the limit there is no rate to remember.
  if next_rate < cap or cap is null then
    next_rate := case when next_rate is not null then greatest(MIN_RATE, least(next_rate, MAX_RATE)) end;
  else
    next_rate := null;
  end if;
  pace_now := least(coalesce(next_rate, cap, START_RATE), cap);

  -- 6. Slots: from the first free moment on, each after the tokens before it are paid for.
  first_start := greatest(
    least(stored.next_request_at, moment + HORIZON_SECONDS + 1 / pace_now) - returned_slots / pace_now,
    moment - greatest(0, CREDIT_SECONDS - 1 / pace_now),
    stored.cooling_until);
  owed := coalesce(greatest(-CREDIT_SECONDS * token_pace,
    least(stored.tokens_owed + extra_tokens, MEASURE_SECONDS * token_pace) - elapsed * token_pace), 0);
  max_slots := greatest(1, ceil(pace_now * SHARE_SECONDS));
  delays_ms := '{}';
  foreach tokens in array wanted_tokens loop
    starts_at := greatest(first_start + slots / pace_now, coalesce(moment + (owed + spent) / token_pace, 0));
    exit when slots >= max_slots or starts_at > moment + HORIZON_SECONDS;
    -- No provider remembers tokens for longer than a minute. Large requests count for more, since they do not fit into what is left.
    cost := coalesce(least(MEASURE_SECONDS * token_pace,
      tokens * PACE * token_limit / greatest(token_limit / 2, least(PACE * token_limit, token_limit - tokens))), 0);
    delays_ms := delays_ms || (starts_at - moment) * 1000;
    spent := spent + cost;
    slots := slots + 1;
  end loop;
  next_start := first_start + slots / pace_now;

  update limiters l set
    next_request_at = next_start,
    tokens_owed = owed + spent,
    cooling_until = stored.cooling_until,
    rate = next_rate,
    ceiling = next_ceiling,
    slowed_at = case when is_refused or is_overloaded then moment else least(stored.slowed_at, moment) end,
    refusals = refusals_in_row,
    lone_refusals = case
      when is_refused and refusals_in_row > 2 then 0
      when is_lone then least(stored.lone_refusals + 1, MOST_LONE_REFUSALS)
      when is_refused then greatest(stored.lone_refusals - 1, 0)
      else stored.lone_refusals end,
    grown_at = case when is_growing then moment else least(stored.grown_at, moment) end,
    answered_since_growth =
      case when is_growing or is_refused or is_overloaded then 0 else stored.answered_since_growth + new_answers end,
    -- Decayed by half each minute.
    answered = case when answers_seconds > MEASURE_SECONDS then answers / 2 else answers end,
    answered_seconds = case when answers_seconds > MEASURE_SECONDS then answers_seconds / 2 else answers_seconds end,
    requests_per_minute = learned_requests,
    requests_learned_at =
      case when reported_requests_per_minute is not null then moment else least(stored.requests_learned_at, moment) end,
    tokens_per_minute = learned_tokens,
    tokens_learned_at =
      case when reported_tokens_per_minute is not null then moment else least(stored.tokens_learned_at, moment) end,
    used_at = moment
  where l.organization_id = of_organization and l.connection_id = of_connection and l.model = of_model;

  next_ms := (greatest(next_start, coalesce(moment + (owed + spent) / token_pace, 0)) - moment) * 1000;
  cooling_ms := greatest(0, stored.cooling_until - moment) * 1000;
  counts_tokens := token_limit is not null;
end $$;
