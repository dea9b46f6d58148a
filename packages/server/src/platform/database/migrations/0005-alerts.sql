create table alert_rules (
  organization_id uuid not null,
  id uuid not null,
  name text not null,
  event_type text not null,
  enabled boolean not null default true,
  filter text,
  -- The latest event that the filter could not judge: {message, eventId, at}.
  filter_error jsonb,
  trigger jsonb not null,
  cooldown_seconds int not null,
  destination jsonb not null,
  -- Sealed; of webhook destinations.
  signing_secret text,
  -- Counts up with every change of what the rule is about: a judgement begun before it is thrown away.
  revision int not null default 0,
  -- Set while a worker judges events for it; another may once this has passed.
  judged_until timestamptz,
  -- Events counted so far, oldest first: [[milliseconds, count]].
  counted jsonb not null default '[]',
  cooling_until timestamptz,
  -- The record that counts what the present cooldown suppresses.
  suppressed_delivery_id uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  primary key (organization_id, id)
);
create index alert_rules_listening on alert_rules (organization_id, event_type) where enabled and deleted_at is null;

-- Events that a rule has still to judge: written by the fan-out, removed in the transaction that decides on them.
create table alert_candidates (
  organization_id uuid not null,
  alert_rule_id uuid not null,
  event_id uuid not null,
  primary key (alert_rule_id, event_id)
);

create table alert_deliveries (
  organization_id uuid not null,
  id uuid not null,
  alert_rule_id uuid not null,
  event_id uuid not null,
  event_type text not null,
  event_count int not null default 1,
  is_test boolean not null default false,
  -- The alert as it is sent, JSON; null for a suppressed one.
  alert text,
  status text not null check (status in ('pending', 'succeeded', 'failed', 'suppressed')),
  attempts jsonb not null default '[]',
  attempts_made int not null default 0,
  next_attempt_at timestamptz,
  -- Set while a worker has it in hand; another may take it once this has passed. A record is fenced by claim_no.
  claimed_until timestamptz,
  claim_no int not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (organization_id, id),
  check ((status = 'pending') = (next_attempt_at is not null)),
  check ((status = 'suppressed') = (alert is null))
);
create unique index alert_deliveries_once on alert_deliveries (organization_id, alert_rule_id, event_id) where not is_test;
-- What waits, by rule.
create index alert_deliveries_waiting on alert_deliveries (alert_rule_id, next_attempt_at) include (organization_id)
  where status = 'pending' and claimed_until is null;
create index alert_deliveries_in_hand on alert_deliveries (claimed_until) where claimed_until is not null;
-- Every combination of the list's filters is a union of ranges of one of these, each in the order of the list.
create index alert_deliveries_by_rule on alert_deliveries (organization_id, alert_rule_id, status, id);
create index alert_deliveries_by_status on alert_deliveries (organization_id, status, id);
create index alert_deliveries_by_age on alert_deliveries using brin (created_at);
alter table alert_candidates set (autovacuum_vacuum_scale_factor = 0.02);
alter table alert_deliveries set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05);
