-- The rules of the limiter (docs/decisions/0008; 0032-limiter-function.sql describes the whole), continued from 0052-counted-refusals.sql,
-- for outages and for refusals that come back fast:
--
--     lone ──▶ all callers wait for a tenth of the time since the refusal before at most, and by chance not at all; as long as the provider
--              asked waits only the call that was refused
--     a limit far below what was accepted in the minutes before ──▶ that rate again after 10 seconds without
--              such a refusal, half of it after 30, a quarter after 90
--
-- Where one call in fifty was refused at once, with a second to wait, nobody got more than fifty calls a second, since all waited a second
-- for each of them. After a minute in which some or all calls were refused, the little that was accepted in it was taken for the limit.
alter table limiters
  -- What the provider accepted per second before the latest limit, over a minute or more. When that was, or the latest refusal which
  -- was not lone. How long after that the rate is tried again.
  add column proven_rate float8,
  add column limited_at float8 not null default 0,
  add column return_seconds float8 not null default 10,
  -- When it was last tried again, and what was too much before that.
  add column returned_at float8 not null default 0,
  add column ceiling_before_return float8;

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
  -- Calls that were refused or answered by an overloaded server; null from processes of the version before.
  new_refusals float8,
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
  -- A refusal after so many calls is lone: what is used up refuses earlier.
  LONE_CALLS constant float8 := 8;
  -- A limit of a window that is used up asks for more.
  LONE_PAUSE_SECONDS constant float8 := 2;
  -- Where a larger share of the calls around a refusal is refused, it is not lone.
  LONE_SHARE constant float8 := 0.3;
  -- A lone refusal holds up the other callers for this share of the time since the refusal before at most, so that all of them together do
  -- not take more. One by chance holds up none: it has nothing to do with them.
  LONE_PAUSE_SHARE constant float8 := 0.1;
  -- So many lone refusals, each below this share of the rate at which others came, have nothing to do with the rate.
  MANY_LONE_REFUSALS constant int := 3;
  -- So many are counted.
  MOST_LONE_REFUSALS constant int := 6;
  LOWER constant float8 := 0.9;
  -- After so many refusals by chance the rate is lowered, to see whether that helps.
  MANY_CHANCE_REFUSALS constant int := 8;
  -- It does where so many usual runs pass without a refusal: by chance, that happens once in fifty times.
  RUNS_WITHOUT_REFUSAL constant float8 := 4;
  -- Of the latest run in the usual one.
  RUN_WEIGHT constant float8 := 0.3;
  -- A server that has given nothing but 503 for so long is away, and shows nothing about the rate.
  AWAY_SECONDS constant float8 := 5;
  -- What was accepted in so much of the time before a limit is a rate that the provider has taken: a limit of a minute shows within one.
  LEAST_ACCEPTED_SECONDS constant float8 := 20;
  -- Where a limit is below this share of that rate, the rate is tried again, when nothing but lone refusals came for so long; the next
  -- time later, and half of it.
  RETURN_SHARE constant float8 := 0.7;
  RETURN_SECONDS constant float8 := 10;
  RETURN_FACTOR constant float8 := 3;
  RETURN_RATE_FACTOR constant float8 := 0.5;
  -- As so many calls show.
  RETURN_CALLS constant float8 := 3;
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
  is_by_chance boolean;
  is_tried_slower boolean;
  is_sparse boolean;
  is_lone boolean := false;
  is_no_longer_lone boolean;
  is_limited boolean;
  is_taken_for_chance boolean;
  run float8;
  run_of_one float8;
  steady_rate float8;
  refusals_in_row int;
  unexplained_refusals int;
  pause float8;
  accepted float8;
  accepted_seconds float8;
  allowed_rate float8;
  factor float8;
  next_run float8;
  next_rate float8;
  next_ceiling float8;
  next_lone_refusals int;
  next_chance_refusals int;
  next_lone_rate float8;
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
  if moment - stored.slowed_at >= FORGET_SECONDS then
    stored.lone_refusals := 0;
    stored.chance_refusals := 0;
  end if;
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
  if is_answered then stored.kept_ceiling := null; end if;
  if new_answers > 0 then stored.responded_at := moment; end if;
  is_trusted := cap is not null and moment - stored.slowed_at > TRUST_SECONDS;

  -- 3. Whether a refusal is lone: between calls that were not refused. It no longer is where refusals follow of calls that were under way.
  is_by_chance := stored.lone_refusals >= MANY_LONE_REFUSALS;
  is_tried_slower := is_by_chance and stored.chance_refusals >= MANY_CHANCE_REFUSALS;
  if known_ceiling is null and not is_by_chance then stored.lone_rate := null; end if;
  run := greatest(0, stored.started - returned_slots);
  run_of_one := run / greatest(1, new_refusals);
  next_run := stored.usual_run + RUN_WEIGHT * (run_of_one - stored.usual_run);
  if is_refused or is_overloaded then
    stored.started_before := run;
    stored.refused_now := greatest(1, new_refusals);
  else
    stored.refused_now := stored.refused_now + coalesce(new_refusals, 0);
  end if;
  is_sparse := stored.started_before >= LONE_CALLS and stored.refused_now <= greatest(1, LONE_SHARE * stored.started_before)
    and (new_refusals is not null or not is_refused and not is_overloaded);
  is_no_longer_lone := (stored.is_lone_refusal or stored.is_lone_overload) and not is_sparse and not is_refused and not is_overloaded;
  -- The rate without the time in which nothing began.
  steady_rate := current_rate * greatest(0.25,
    1 - coalesce(greatest(0, least(moment, stored.cooling_until) - stored.slowed_at) / nullif(moment - stored.slowed_at, 0), 0));

  -- 4. How long everybody waits: as the provider asked, or an exponential backoff; after a lone refusal, only in proportion.
  refusals_in_row := case when is_answered or ((is_refused or is_overloaded) and is_sparse) then 0 else stored.refusals end + is_refused::int;
  unexplained_refusals := refusals_in_row - case when asked_pause > 0 then BELIEVED_REFUSALS else 0 end;
  pause := coalesce(asked_pause, 0);
  if is_refused and unexplained_refusals > 0 then
    pause := greatest(pause, least(
      case when unexplained_refusals <= MANY_REFUSALS then MAX_BACKOFF_SECONDS else LONG_BACKOFF_SECONDS end,
      FIRST_BACKOFF_SECONDS * 2 ^ least(unexplained_refusals - 1, 20)));
  end if;
  is_taken_for_chance := is_by_chance and pause <= LONE_PAUSE_SECONDS and refusals_in_row <= BELIEVED_REFUSALS and next_run >= LONE_CALLS;
  if is_sparse and new_refusals > 0 and pause <= LONE_PAUSE_SECONDS then
    pause := case when is_taken_for_chance or is_by_chance and not is_refused and not is_overloaded then 0
      else least(pause, LONE_PAUSE_SHARE * greatest(0, moment - stored.slowed_at)) end;
  end if;
  if pause > 0 then
    stored.cooling_until := greatest(stored.cooling_until, moment + least(pause, MAX_COOLDOWN_SECONDS));
  end if;

  -- 5. What the provider seems to allow: calls that it accepted since it last began to answer, over the time in which they started. That is
  -- known long before they are answered.
  if (is_answered and stored.refusals > 0 and not stored.is_lone_refusal) or elapsed >= MEASURE_SECONDS then
    accepted := 0;
    accepted_seconds := 0;
  else
    accepted := greatest(0, stored.answered - returned_slots - coalesce(new_refusals, 0));
    accepted_seconds := stored.answered_seconds + elapsed;
  end if;
  -- While it accepts nothing, it allows nothing more. The estimate is a quarter of the rate at least. Two seconds are too short for one: the rate
  -- is halved then.
  if accepted_seconds + pause < LEAST_MEASURE_SECONDS then
    allowed_rate := current_rate * 0.625;
  else
    allowed_rate := greatest(accepted / (accepted_seconds + pause), current_rate / 4);
  end if;

  -- 6. The rate from now on. Only who uses the rate needs more.
  is_growing := not is_refused and not is_overloaded and is_answered and not is_tried_slower and (known_rate is not null or cap is null)
    and moment - stored.grown_at >= STEP_SECONDS
    and stored.answered_since_growth + new_answers >= current_rate
      * case when known_ceiling is null and not is_by_chance then STEP_SECONDS / 2 else 0.75 * least(1, moment - stored.grown_at) end;
  factor := case when is_refused then 0.8 else 0.85 end;
  next_rate := known_rate;
  next_ceiling := known_ceiling;
  -- Only where nothing below finds that refusals are by chance or lone.
  next_lone_refusals := case when is_refused or is_overloaded or is_no_longer_lone then 0 else stored.lone_refusals end;
  next_chance_refusals := case when is_refused or is_overloaded or is_no_longer_lone then 0 else stored.chance_refusals end;
  next_lone_rate := case when is_refused or is_overloaded or is_no_longer_lone then null else stored.lone_rate end;
  if (is_refused or is_overloaded) and is_taken_for_chance then
    is_lone := is_sparse;
    next_lone_refusals := stored.lone_refusals;
    next_lone_rate := stored.lone_rate;
    stored.usual_run := next_run;
    if is_tried_slower then
      -- Slower did not help.
      next_rate := known_ceiling;
      next_ceiling := null;
    elsif stored.chance_refusals + 1 = MANY_CHANCE_REFUSALS then
      next_rate := factor * steady_rate;
      next_ceiling := current_rate;
      next_chance_refusals := MANY_CHANCE_REFUSALS;
    else
      next_chance_refusals := stored.chance_refusals + 1;
    end if;
  elsif is_no_longer_lone and stored.is_lone_refusal then
    next_rate := least(current_rate, 0.8 * allowed_rate);
    next_ceiling := least(known_ceiling, allowed_rate);
  elsif is_refused and is_trusted then
    next_rate := current_rate * 0.7;
    next_ceiling := current_rate;
  elsif is_refused and known_ceiling is null and not is_by_chance and is_sparse and pause <= LONE_PAUSE_SECONDS then
    -- The first one: so early, the rate is known even less than what it was compared with.
    is_lone := true;
    next_rate := factor * current_rate;
  elsif (is_refused and known_ceiling is not null or is_overloaded) and is_sparse and pause <= LONE_PAUSE_SECONDS then
    is_lone := true;
    next_lone_rate := greatest(stored.lone_rate, steady_rate);
    if steady_rate < LOWER * next_lone_rate then
      next_lone_refusals := least(MOST_LONE_REFUSALS, stored.lone_refusals + 1);
      stored.usual_run := case when stored.lone_refusals = 0 then run_of_one else (stored.usual_run + run_of_one) / 2 end;
    else
      next_lone_refusals := greatest(0, stored.lone_refusals - 1);
    end if;
    if next_lone_refusals >= MANY_LONE_REFUSALS then
      next_rate := next_lone_rate;
      next_ceiling := null;
    else
      next_ceiling := case when is_refused then least(current_rate, greatest(steady_rate, allowed_rate)) else steady_rate end;
      next_rate := factor * next_ceiling;
    end if;
  elsif is_refused and refusals_in_row = 1 then
    next_rate := 0.8 * least(current_rate, allowed_rate);
    next_ceiling := least(current_rate, allowed_rate);
  elsif is_refused then
    -- Still refused: that is the same allowance, used up, and shows nothing new about the rate.
    next_rate := least(current_rate, 0.8 * allowed_rate);
    next_ceiling := least(known_ceiling, allowed_rate);
  elsif is_overloaded then
    next_rate := current_rate * 0.85;
    if (stored.is_lone_refusal or stored.is_lone_overload) and not is_by_chance then
      -- The second within a moment shows nothing else.
      next_lone_refusals := stored.lone_refusals;
      next_lone_rate := stored.lone_rate;
    end if;
    -- Where nothing else came since, that it still is overloaded shows nothing new about the rate.
    next_ceiling := case when is_answered or is_sparse then current_rate else greatest(known_ceiling, current_rate) end;
  elsif is_tried_slower and run >= RUNS_WITHOUT_REFUSAL * stored.usual_run then
    -- Slower helped: there is a limit.
    next_lone_refusals := 0;
    next_chance_refusals := 0;
    next_lone_rate := null;
  elsif is_growing and known_ceiling is null then
    next_rate := current_rate * case when is_by_chance then 1.25 else 2 end;
  elsif is_growing and current_rate < 0.95 * known_ceiling then
    next_rate := least(current_rate * case when current_rate < known_ceiling / 2 then 2 else 1.25 end, 0.95 * known_ceiling);
  elsif is_growing then
    next_rate := current_rate * (1 + case
      when moment - stored.slowed_at < MEASURE_SECONDS then 0.003 * least(1, moment - stored.grown_at)
      else 0.01 * 2 ^ least(3, floor((moment - stored.slowed_at) / MEASURE_SECONDS) - 1)
        * least(moment - stored.grown_at, greatest(1, 1 / current_rate), 10) end);
  end if;
  if is_overloaded and not is_refused and is_lone then
    stored.kept_ceiling := greatest(stored.kept_ceiling, known_ceiling, case when known_ceiling is null then current_rate end);
  end if;
  if is_overloaded and next_lone_refusals < MANY_LONE_REFUSALS and moment - stored.responded_at > AWAY_SECONDS then
    next_ceiling := greatest(next_ceiling, stored.kept_ceiling);
  end if;
  -- Much less than what the provider took before: that may have been an outage.
  is_limited := (is_refused or is_overloaded) and not is_lone or is_no_longer_lone;
  if stored.limited_at = 0 then stored.limited_at := moment; end if;
  if (is_limited or is_lone) and next_ceiling is not null and moment - stored.returned_at < RETURN_SECONDS then
    -- That rate is too much now. What was accepted before it was tried again still is right.
    next_rate := greatest(next_rate, 0.8 * stored.ceiling_before_return);
    next_ceiling := greatest(next_ceiling, stored.ceiling_before_return);
  end if;
  if is_limited then
    if moment - stored.limited_at >= MEASURE_SECONDS and accepted_seconds >= LEAST_ACCEPTED_SECONDS then
      stored.proven_rate := accepted / accepted_seconds;
      stored.return_seconds := RETURN_SECONDS;
    end if;
    stored.limited_at := moment;
  elsif is_answered and not is_refused and not is_overloaded and next_lone_refusals < MANY_LONE_REFUSALS
    and next_ceiling < RETURN_SHARE * stored.proven_rate and run >= RETURN_CALLS
    and moment - stored.limited_at > stored.return_seconds and moment - stored.limited_at < FORGET_SECONDS then
    stored.ceiling_before_return := next_ceiling;
    stored.returned_at := moment;
    next_ceiling := stored.proven_rate;
    stored.return_seconds := stored.return_seconds * RETURN_FACTOR;
    stored.proven_rate := stored.proven_rate * RETURN_RATE_FACTOR;
  end if;
  -- At the limit there is no rate to remember.
  if next_rate < cap or cap is null then
    next_rate := case when next_rate is not null then greatest(MIN_RATE, least(next_rate, MAX_RATE)) end;
  else
    next_rate := null;
  end if;
  pace_now := least(coalesce(next_rate, cap, START_RATE), cap);

  -- 7. Slots: from the first free moment on, each after the tokens before it are paid for.
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
    lone_refusals = next_lone_refusals,
    chance_refusals = next_chance_refusals,
    lone_rate = next_lone_rate,
    usual_run = stored.usual_run,
    kept_ceiling = stored.kept_ceiling,
    proven_rate = stored.proven_rate,
    limited_at = least(stored.limited_at, moment),
    return_seconds = stored.return_seconds,
    returned_at = least(stored.returned_at, moment),
    ceiling_before_return = stored.ceiling_before_return,
    responded_at = least(stored.responded_at, moment),
    started = case when is_refused or is_overloaded then 0 else run end + slots,
    started_before = stored.started_before,
    refused_now = stored.refused_now,
    is_lone_refusal = case when is_refused or is_overloaded or is_no_longer_lone then is_lone and is_refused else stored.is_lone_refusal end,
    is_lone_overload =
      case when is_refused or is_overloaded or is_no_longer_lone then is_lone and not is_refused else stored.is_lone_overload end,
    grown_at = case when is_growing then moment else least(stored.grown_at, moment) end,
    answered_since_growth =
      case when is_growing or is_refused or is_overloaded then 0 else stored.answered_since_growth + new_answers end,
    -- Decayed by half each minute.
    answered = case when accepted_seconds > MEASURE_SECONDS then (accepted + slots) / 2 else accepted + slots end,
    answered_seconds = case when accepted_seconds > MEASURE_SECONDS then accepted_seconds / 2 else accepted_seconds end,
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
