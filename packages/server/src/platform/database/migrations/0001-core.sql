-- Control tables carry organization_id first in their keys, bulk tables their dataset or run, so that each can be
-- distributed by that column. No statement of a hot path needs two organizations, datasets or runs.

-- What this installation is: hash of the admin key, fingerprint of the encryption key.
create table installation (
  name text primary key,
  value text not null,
  created_at timestamptz not null default now()
);

create table organizations (
  id uuid primary key,
  name text not null,
  slug text unique,
  state text not null default 'active' check (state in ('active', 'suspended')),
  limits jsonb not null default '{}',
  metadata jsonb not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create table api_keys (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  name text not null,
  digest bytea not null unique,
  redacted_key text not null,
  scopes text[] not null,
  member_id uuid,
  last_used_at timestamptz,
  expires_at timestamptz,
  revoked_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (organization_id, id)
);

-- One row per idempotent request that succeeded, written in the transaction of its work.
-- scope_id is the organization, or the nil UUID for the admin.
create table idempotency_keys (
  scope_id uuid not null,
  method text not null,
  path text not null,
  key text not null,
  fingerprint bytea not null,
  status smallint,
  location text,
  body text,
  is_sealed boolean not null default false,
  created_at timestamptz not null default now(),
  primary key (scope_id, key, method, path)
);
create index idempotency_keys_age on idempotency_keys (created_at);

create table audit_events (
  organization_id uuid not null,
  id uuid not null,
  type text not null,
  actor_type text not null check (actor_type in ('api_key', 'admin', 'member', 'system')),
  actor_id uuid,
  api_key_id uuid,
  target_type text not null,
  target_id text,
  ip text,
  request_id text,
  changes jsonb not null default '{}',
  created_at timestamptz not null default now(),
  primary key (organization_id, id)
);
create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'audit events are append-only';
end $$;
create trigger audit_events_append_only before update or delete or truncate on audit_events
  for each statement execute function refuse_change();

-- Domain events: those of a run are numbered without gaps; payload is the envelope exactly as it is delivered.
create table events (
  organization_id uuid not null,
  id uuid not null,
  type text not null,
  run_id uuid,
  sequence int,
  payload text not null,
  is_fanned_out boolean not null default false,
  created_at timestamptz not null default now(),
  primary key (organization_id, id)
);
create unique index events_of_run on events (run_id, sequence) where run_id is not null and sequence is not null;
create index events_to_fan_out on events (id) where not is_fanned_out;

create table datasets (
  organization_id uuid not null,
  id uuid not null,
  name text not null,
  description text,
  state text not null check (state in ('processing', 'ready', 'failed')),
  row_count bigint not null default 0,
  chunk_count int not null default 0,
  size_bytes bigint not null default 0,
  columns json not null default '[]',
  content_sha256 text,
  upload_id uuid not null,
  metadata jsonb not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  primary key (organization_id, id)
);
create index datasets_to_purge on datasets (deleted_at) where deleted_at is not null;

-- Rows of a dataset, up to ROWMILL_CHUNK_ROWS together: JSON lines, compressed with zstd.
create table dataset_chunks (
  organization_id uuid not null,
  dataset_id uuid not null,
  chunk_no int not null,
  first_row bigint not null,
  row_count int not null,
  body bytea not null,
  primary key (dataset_id, chunk_no)
);
alter table dataset_chunks alter body set storage external; -- compressed already
create unique index dataset_chunks_by_row on dataset_chunks (dataset_id, first_row);

create table dataset_uploads (
  organization_id uuid not null,
  id uuid not null,
  name text not null,
  source_type text not null check (source_type in ('inline', 'upload', 'url')),
  source jsonb not null default '{}',
  format text,
  csv jsonb,
  on_invalid_row text not null default 'reject' check (on_invalid_row in ('reject', 'skip')),
  state text not null check (state in ('awaiting_content', 'processing', 'completed', 'failed', 'expired', 'canceled')),
  dataset_id uuid,
  storage_key text,
  bytes_received bigint not null default 0,
  bytes_read bigint not null default 0,
  rows_accepted bigint not null default 0,
  rows_rejected bigint not null default 0,
  errors jsonb not null default '[]',
  claim_no int not null default 0,
  metadata jsonb not null default '{}',
  expires_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  finished_at timestamptz,
  primary key (organization_id, id),
  check ((state in ('completed', 'failed', 'expired', 'canceled')) = (finished_at is not null))
);
create index dataset_uploads_waiting on dataset_uploads (expires_at) where state = 'awaiting_content';

create table job_specs (
  organization_id uuid not null,
  id uuid not null,
  name text not null,
  description text,
  latest_version int not null,
  metadata jsonb not null default '{}',
  archived_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (organization_id, id)
);
create index job_specs_listed on job_specs (organization_id, id) where archived_at is null;

create table job_spec_versions (
  organization_id uuid not null,
  job_spec_id uuid not null,
  version int not null,
  id uuid not null,
  processor json not null,
  input_schema json,
  output_schema json,
  retry json,
  timeout_seconds int,
  concurrency int,
  failure_policy json,
  created_at timestamptz not null default now(),
  primary key (organization_id, job_spec_id, version),
  foreign key (organization_id, job_spec_id) references job_specs (organization_id, id)
);

create table runs (
  organization_id uuid not null,
  id uuid not null,
  name text,
  dataset_id uuid not null,
  job_spec_id uuid not null,
  job_spec_version int not null,
  scope jsonb not null,
  priority smallint not null default 3,
  concurrency int,
  failure_policy jsonb,
  deadline_at timestamptz,
  metadata jsonb not null default '{}',
  state text not null check (state in
    ('queued', 'running', 'paused', 'canceling', 'succeeded', 'partially_succeeded', 'failed', 'canceled', 'expired')),
  state_reason text,
  error jsonb,
  parent_run_id uuid,
  root_run_id uuid not null,
  retry_number int not null default 0,
  selection jsonb,
  event_sequence int not null default 0,
  -- Row events told one by one so far; beyond a number they are told as digests.
  row_succeeded_events int not null default 0,
  row_failed_events int not null default 0,
  -- Lanes of an earlier generation end: a resumed run gets new ones while old ones may still be on their way.
  lane_generation int not null default 0,
  -- Rows and chunks the run has; what became of them is counted per chunk and written here once, at the end.
  row_total bigint not null,
  chunk_count int not null,
  final_counts jsonb,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  finished_at timestamptz,
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  primary key (organization_id, id),
  check ((state in ('succeeded', 'partially_succeeded', 'failed', 'canceled', 'expired')) = (finished_at is not null)),
  check ((finished_at is null) = (final_counts is null))
);
create index runs_by_state on runs (organization_id, state, id);
create index runs_by_dataset on runs (organization_id, dataset_id, id);
create index runs_by_job_spec on runs (organization_id, job_spec_id, id);
create index runs_by_creation on runs (organization_id, created_at, id);
create index runs_by_family on runs (organization_id, root_run_id, retry_number);
create index runs_unfinished on runs (id) where finished_at is null;
create index runs_to_purge on runs (deleted_at) where deleted_at is not null;

-- The chunks of a run: what a worker claims, processes and commits. picked holds the chosen positions within the chunk,
-- null meaning all. A commit is fenced by claim_no.
create table run_chunks (
  organization_id uuid not null,
  run_id uuid not null,
  chunk_no int not null,
  -- The dataset's chunk: its first and last row index. row_count is the number of rows the run has of it.
  first_row bigint not null,
  last_row bigint not null,
  row_count int not null,
  picked int[],
  state text not null default 'pending' check (state in ('pending', 'running', 'done')),
  claimed_by uuid,
  claim_no int not null default 0,
  succeeded int not null default 0,
  failed int not null default 0,
  attempts int not null default 0,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  requests bigint not null default 0,
  cost_usd numeric not null default 0,
  -- Workers that died with this chunk in hand, and the row that was alone in hand when the later ones died.
  deaths smallint not null default 0,
  suspect_row int,
  suspect_deaths smallint not null default 0,
  primary key (run_id, chunk_no)
);
create index run_chunks_open on run_chunks (run_id, chunk_no) where state <> 'done';
create unique index run_chunks_by_row on run_chunks (run_id, last_row);

-- Append-only: a finished row is one row here, a pending one is none.
create table run_results (
  organization_id uuid not null,
  run_id uuid not null,
  row_index bigint not null,
  attempts smallint not null,
  duration_ms int not null,
  finished_at timestamptz not null,
  -- Null for a succeeded row.
  code text,
  retryable boolean,
  output json,
  failure json,
  usage json,
  primary key (run_id, row_index)
);
create index run_results_failed on run_results (run_id, row_index) where code is not null;
create index run_results_failed_retryable on run_results (run_id, retryable, row_index) where code is not null;
