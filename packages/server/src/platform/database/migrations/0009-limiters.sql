-- What all worker processes know together of how fast a connection may be asked for one model: see docs/decisions. Lost in a
-- crash, it is learned again. Moments are seconds since 1970 by the clock of the database, since all that is done with them is
-- arithmetic.
create unlogged table limiters (
  organization_id uuid not null,
  connection_id uuid not null,
  -- Empty for connections without models.
  model text not null,
  -- When the next request may begin.
  next_request_at double precision not null default 0,
  -- Tokens that must be waited for before the next request; below 0, what there is to begin with.
  tokens_owed double precision not null default 0,
  -- Nothing begins before that.
  cooling_until double precision not null default 0,
  -- Requests a second, where it is neither the limit nor the rate at which an unknown connection begins.
  rate double precision,
  -- The rate that was too much.
  ceiling double precision,
  slowed_at double precision not null default 0,
  -- One after the other, without a call in between that was answered.
  refusals int not null default 0,
  grown_at double precision not null default 0,
  answered_since_growth double precision not null default 0,
  -- Answers since the provider last began to answer, of a minute at most, and the seconds in which they came.
  answered double precision not null default 0,
  answered_seconds double precision not null default 0,
  -- As the provider says.
  requests_per_minute double precision,
  requests_learned_at double precision not null default 0,
  tokens_per_minute double precision,
  tokens_learned_at double precision not null default 0,
  used_at double precision not null default 0,
  primary key (organization_id, connection_id, model)
) with (fillfactor = 50);

-- As 0006 does it.
alter table limiters enable row level security;
create policy of_the_organization on limiters
  using (organization_id = (select nullif(current_setting('app.organization_id', true), '')::uuid))
  with check (organization_id = (select nullif(current_setting('app.organization_id', true), '')::uuid));
