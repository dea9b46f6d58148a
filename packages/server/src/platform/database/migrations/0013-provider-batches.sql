-- Rows that are sent to a model provider in files, which it answers within a day, for less.

alter table job_spec_versions add execution json;
alter table runs
  -- {"mode": "provider_batch", "maxWaitSeconds": 86400}; null: in real time.
  add execution jsonb,
  -- No more batches are made from then on.
  add real_time_since timestamptz,
  -- The last thing that was wrong with batches of the run: {"code", "message"}.
  add batch_problem jsonb;

-- A chunk in a batch is in nobody's hand: `submitted`.
alter table run_chunks
  drop constraint run_chunks_state_check,
  add constraint run_chunks_state_check check (state in ('pending', 'submitted', 'running', 'done')),
  add batch_id uuid,
  add constraint run_chunks_in_batch check ((state = 'submitted') = (batch_id is not null)),
  -- What has no result goes on in real time, though the run is one of batches.
  add in_real_time boolean not null default false,
  -- Of rows that go on in real time: what their call in a batch has used, which the counters have already.
  -- {"<row index>": {"attempts": 1, "usage": {…}}}
  add booked json;

create table provider_batches (
  organization_id uuid not null,
  id uuid not null,
  run_id uuid not null,
  connection_id uuid not null,
  model text not null,
  state text not null default 'preparing' check (state in ('preparing', 'submitted', 'ended', 'failed', 'canceled')),
  -- As the provider calls it.
  provider_batch_id text,
  requests int not null default 0,
  request_bytes bigint not null default 0,
  -- Most requests that the provider takes in one file, where it has refused more.
  most_requests int,
  -- The highest cost of its requests, set aside in the run's budget.
  reserved_usd numeric not null default 0,
  -- Turns that a worker has begun with it; each write proves that no later one has.
  turn_no int not null default 0,
  turn_job uuid,
  polls int not null default 0,
  -- Calls in a row that gave nothing.
  failures int not null default 0,
  -- Readings of its answers in which some were missing.
  readings int not null default 0,
  -- From then on the provider may have it.
  submit_started_at timestamptz,
  submitted_at timestamptz,
  polled_at timestamptz,
  next_turn_at timestamptz,
  -- The provider was asked to stop, or is to be, since its run has ended.
  cancel_requested_at timestamptz,
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  -- {"code", "message"}
  error jsonb,
  primary key (organization_id, id),
  check ((state in ('preparing', 'submitted')) = (finished_at is null)),
  check (state <> 'submitted' or provider_batch_id is not null)
);
create index provider_batches_of_run on provider_batches (run_id);
create index provider_batches_open on provider_batches (next_turn_at) where finished_at is null;

-- As 0006 does it.
alter table provider_batches enable row level security;
create policy of_the_organization on provider_batches
  using (organization_id = (select nullif(current_setting('app.organization_id', true), '')::uuid))
  with check (organization_id = (select nullif(current_setting('app.organization_id', true), '')::uuid));
