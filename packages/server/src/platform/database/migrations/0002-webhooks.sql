create table webhook_endpoints (
  organization_id uuid not null,
  id uuid not null,
  url text not null,
  event_types text[] not null,
  description text,
  enabled boolean not null default true,
  disabled_reason text check (disabled_reason in ('by_user', 'receiver_gone', 'failing')),
  -- Sealed. The older ones still sign beside the newest until their time ends: [{sealed, expiresAt}].
  signing_secret text not null,
  previous_secrets jsonb not null default '[]',
  failing_since timestamptz,
  failed_deliveries int not null default 0,
  last_success_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  primary key (organization_id, id),
  check (enabled or disabled_reason is not null)
);
create index webhook_endpoints_listening on webhook_endpoints (organization_id) where enabled and deleted_at is null;

create table webhook_deliveries (
  organization_id uuid not null,
  id uuid not null,
  webhook_endpoint_id uuid not null,
  event_id uuid not null,
  event_type text not null,
  -- Null: the event's own payload. Test events are no domain events and carry theirs here.
  payload text,
  kind text not null default 'event' check (kind in ('event', 'test', 'redelivery')),
  status text not null default 'pending' check (status in ('pending', 'succeeded', 'failed', 'canceled')),
  attempts jsonb not null default '[]',
  attempts_made int not null default 0,
  next_attempt_at timestamptz,
  -- Set while a worker has it in hand; another may take it once this has passed.
  claimed_until timestamptz,
  claim_no int not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (organization_id, id),
  check ((status = 'pending') = (next_attempt_at is not null))
);
create unique index webhook_deliveries_once on webhook_deliveries (organization_id, event_id, webhook_endpoint_id) where kind = 'event';
create index webhook_deliveries_due on webhook_deliveries (webhook_endpoint_id, next_attempt_at) where status = 'pending';
create index webhook_deliveries_by_endpoint on webhook_deliveries (organization_id, webhook_endpoint_id, id);
create index webhook_deliveries_by_status on webhook_deliveries (organization_id, status, id);
create index webhook_deliveries_by_type on webhook_deliveries (organization_id, event_type, id);
