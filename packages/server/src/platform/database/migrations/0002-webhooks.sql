create table webhook_endpoints (
  organization_id uuid not null,
  id uuid not null,
  url text not null,
  event_types text[] not null,
  description text,
  enabled boolean not null default true,
  disabled_reason text check (disabled_reason in ('by_user', 'receiver_gone', 'failing')),
  -- Sealed. The older ones still sign beside the newest until their time ends: [{sealed, expiresAt}], newest first.
  signing_secret text not null,
  previous_secrets jsonb not null default '[]',
  -- Health: written with the records of attempts. failed_deliveries counts those that failed since failing_since.
  failing_since timestamptz,
  failed_deliveries int not null default 0,
  warned_percent smallint not null default 0,
  last_success_at timestamptz,
  last_answer_at timestamptz,
  consecutive_timeouts int not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  primary key (organization_id, id),
  check (enabled = (disabled_reason is null))
);
create index webhook_endpoints_listening on webhook_endpoints (organization_id) where enabled and deleted_at is null;
create index webhook_endpoints_failing on webhook_endpoints (failing_since)
  where failing_since is not null and enabled and deleted_at is null;

create table webhook_deliveries (
  organization_id uuid not null,
  id uuid not null,
  webhook_endpoint_id uuid not null,
  event_id uuid not null,
  event_type text not null,
  -- Null: the event's own payload. Tests are no domain events and carry theirs here.
  payload text,
  kind text not null default 'event' check (kind in ('event', 'replay', 'redelivery', 'test')),
  status text not null default 'pending' check (status in ('pending', 'succeeded', 'failed', 'canceled')),
  attempts jsonb not null default '[]',
  attempts_made int not null default 0,
  is_retry boolean not null generated always as (attempts_made > 0) stored,
  next_attempt_at timestamptz,
  -- Set while a worker has it in hand; another may take it once this has passed. A record is fenced by claim_no.
  claimed_until timestamptz,
  claim_no int not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (organization_id, id),
  check ((status = 'pending') = (next_attempt_at is not null))
);
create unique index webhook_deliveries_once on webhook_deliveries (organization_id, event_id, webhook_endpoint_id) where kind = 'event';
create index webhook_deliveries_replayed on webhook_deliveries (organization_id, event_id, webhook_endpoint_id) where kind = 'replay';
-- The lanes: what waits, by endpoint, first attempts apart from retries.
create index webhook_deliveries_waiting on webhook_deliveries (webhook_endpoint_id, is_retry, next_attempt_at) include (organization_id)
  where status = 'pending' and claimed_until is null;
create index webhook_deliveries_in_hand on webhook_deliveries (claimed_until) where claimed_until is not null;
-- Every combination of the list's filters is a union of ranges of one of these, each in the order of the list.
create index webhook_deliveries_by_endpoint on webhook_deliveries (organization_id, webhook_endpoint_id, event_type, status, id);
create index webhook_deliveries_by_type on webhook_deliveries (organization_id, event_type, status, id);
create index webhook_deliveries_by_status on webhook_deliveries (organization_id, status, id);
-- For the purge of old ones; rows are appended in the order of time, so this stays tiny.
create index webhook_deliveries_by_age on webhook_deliveries using brin (created_at);
create index events_by_age on events using brin (created_at);
-- A queue inside a table: every delivery is three versions of its row.
alter table webhook_deliveries set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05);
