-- What runs may spend, what they have spent, and answers that need not be paid for twice.

alter table runs
  add budget jsonb,
  add api_key_id uuid,
  -- Runs that wait for others (models, services) take turns among themselves: see `lanes.ts`.
  add lane_kind text not null default 'computing' check (lane_kind in ('computing', 'waiting'));
alter table run_chunks add unpriced_requests bigint not null default 0;
alter table job_spec_versions
  add cache json,
  add dedupe text check (dedupe in ('exact', 'none'));

-- One row per run with a budget. holds: what each worker process has set aside for calls under way, and until when that
-- counts should the process die: {"<process>": {"usd": "0.12", "until": 1790000000}}.
create table run_budgets (
  organization_id uuid not null,
  run_id uuid not null,
  spent_usd numeric not null default 0,
  holds jsonb not null default '{}',
  -- The budget that was found too small: the run is resumed only with a larger one.
  exhausted_at_usd numeric,
  primary key (run_id)
);

-- Outputs by what they depend on. Free to lose.
create table row_cache (
  organization_id uuid not null,
  key bytea not null,
  output text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  primary key (organization_id, key)
);
create index row_cache_expired on row_cache (expires_at);

-- In runs that answer exact duplicates once: which row of the run is processed for all that are like it.
create table run_row_keys (
  organization_id uuid not null,
  run_id uuid not null,
  key bytea not null,
  row_index bigint not null,
  primary key (run_id, key)
);

-- What was used, by day (UTC) and run; the run says for which job spec and key.
create table usage_days (
  organization_id uuid not null,
  day date not null,
  run_id uuid not null,
  job_spec_id uuid not null,
  api_key_id uuid,
  rows bigint not null default 0,
  attempts bigint not null default 0,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  requests bigint not null default 0,
  unpriced_requests bigint not null default 0,
  cost_usd numeric not null default 0,
  primary key (organization_id, day, run_id)
);

do $$
declare
  own text := 'organization_id = (select nullif(current_setting(''app.organization_id'', true), '''')::uuid)';
  owned record;
begin
  for owned in
    select name, own as visible from unnest('{row_cache, usage_days}'::text[]) name
    union all select name, format('coalesce(%s, false)', own) from unnest('{run_budgets, run_row_keys}'::text[]) name
  loop
    execute format('alter table %I enable row level security', owned.name);
    execute format('create policy of_the_organization on %I using (%s) with check (%s)', owned.name, owned.visible, own);
  end loop;
end $$;
