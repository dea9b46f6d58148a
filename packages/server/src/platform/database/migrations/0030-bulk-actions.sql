-- One action on many things. What it is about is written down when it is created; each thing gets its outcome in the transaction
-- of the action on it, so that nothing is done twice.
create table bulk_actions (
  organization_id uuid not null,
  id uuid not null,
  resource text not null check (resource in ('runs', 'datasets', 'exports')),
  action text not null check (action in ('cancel', 'pause', 'resume', 'retry', 'delete')),
  filter jsonb,
  -- json keeps numbers as they were written.
  retry json,
  state text not null check (state in ('queued', 'running', 'completed', 'aborted', 'failed')),
  total int not null,
  done int not null default 0,
  skipped int not null default 0,
  failed int not null default 0,
  reasons jsonb not null default '{}',
  error jsonb,
  api_key_id uuid not null,
  member_id uuid,
  request_id text not null,
  ip text not null,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  finished_at timestamptz,
  updated_at timestamptz not null default now(),
  primary key (organization_id, id),
  check ((state in ('completed', 'aborted', 'failed')) = (finished_at is not null)),
  check (done + skipped + failed <= total)
);
create index bulk_actions_by_state on bulk_actions (organization_id, resource, state, id);
create index bulk_actions_unfinished on bulk_actions (updated_at) where finished_at is null;

create table bulk_action_targets (
  organization_id uuid not null,
  bulk_action_id uuid not null,
  position int not null,
  target_id uuid not null,
  outcome text check (outcome in ('done', 'skipped', 'failed')),
  primary key (organization_id, bulk_action_id, position)
);
create index bulk_action_targets_waiting on bulk_action_targets (organization_id, bulk_action_id, position) where outcome is null;

do $$
declare
  own text := 'organization_id = (select nullif(current_setting(''app.organization_id'', true), '''')::uuid)';
  owned text;
begin
  foreach owned in array '{bulk_actions, bulk_action_targets}'::text[] loop
    execute format('alter table %I enable row level security', owned);
    execute format('create policy of_the_organization on %I using (%s) with check (%s)', owned, own, own);
  end loop;
end $$;
