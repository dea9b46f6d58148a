create table exports (
  organization_id uuid not null,
  id uuid not null,
  run_id uuid not null,
  type text not null,
  format text not null,
  compression text not null default 'none',
  include_input boolean not null default false,
  columns json,
  formula_guard boolean not null default true,
  status text not null check (status in ('queued', 'running', 'ready', 'expired', 'failed', 'canceled')),
  error jsonb,
  row_count bigint,
  size_bytes bigint,
  sha256 text,
  -- Not null as long as there may be a file.
  storage_key text,
  expires_at timestamptz,
  -- A new number for each worker that takes the export in hand: its writes hold only under that number.
  claim_no int not null default 0,
  -- Claims that count towards giving up: not those of workers that were told to stop.
  attempts int not null default 0,
  metadata jsonb not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  finished_at timestamptz,
  primary key (organization_id, id),
  check ((status in ('queued', 'running')) = (finished_at is null)),
  check ((status = 'failed') = (error is not null)),
  check (status <> 'ready' or num_nulls(row_count, size_bytes, sha256, storage_key, expires_at) = 0)
);
create index exports_by_run on exports (organization_id, run_id, id);
create index exports_by_status on exports (organization_id, status, id);
create index exports_by_type on exports (organization_id, type, id);
create index exports_by_format on exports (organization_id, format, id);
create index exports_to_expire on exports (expires_at) where status = 'ready';
create index exports_with_leftovers on exports (id)
  where storage_key is not null and status in ('expired', 'failed', 'canceled');
create index exports_unfinished on exports (id) where status in ('queued', 'running');
