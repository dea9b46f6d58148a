create table invitations (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  email text not null,
  role text not null check (role in ('owner', 'developer', 'operator', 'viewer')),
  -- Of a pending one whose time has passed, `expired` is read, and written by the next who looks.
  state text not null default 'pending' check (state in ('pending', 'accepted', 'revoked', 'expired')),
  token_digest bytea not null unique,
  member_id uuid,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (organization_id, id),
  check ((state = 'accepted') = (member_id is not null))
);
create unique index invitations_pending on invitations (organization_id, lower(email)) where state = 'pending';
create index invitations_by_state on invitations (organization_id, state, id);
create index invitations_to_expire on invitations (expires_at) where state = 'pending';

create table members (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  name text not null,
  email text not null,
  role text not null check (role in ('owner', 'developer', 'operator', 'viewer')),
  invitation_id uuid not null,
  created_at timestamptz not null default now(),
  removed_at timestamptz,
  primary key (organization_id, id)
);
create unique index members_by_email on members (organization_id, lower(email)) where removed_at is null;
create index members_listed on members (organization_id, id) where removed_at is null;
create index api_keys_of_member on api_keys (organization_id, member_id) where member_id is not null;

alter table api_keys add column requests_per_minute int;

-- Every combination of the list's filters is a union of ranges of one of these, each in the order of the list. Times need no
-- index: an event's id begins with its time.
create index audit_events_by_type on audit_events (organization_id, type, actor_type, id);
create index audit_events_by_actor_type on audit_events (organization_id, actor_type, id);
create index audit_events_by_api_key on audit_events (organization_id, api_key_id, type, actor_type, id)
  where api_key_id is not null;

-- When an attempt of a key was last recorded as denied for a reason, and how many there were since.
create table denied_attempts (
  organization_id uuid not null,
  api_key_id uuid not null,
  code text not null,
  recorded_at timestamptz not null,
  unrecorded bigint not null default 0,
  -- The latest of the unrecorded: {memberId, requestId, ip, method, path, requiredScopes}.
  latest jsonb,
  primary key (organization_id, api_key_id, code)
);
create index denied_attempts_unrecorded on denied_attempts (recorded_at) where unrecorded > 0;

-- Token buckets of rate limits, from which processes take leases: see docs/decisions. Lost in a crash, they begin full.
create unlogged table rate_limit_buckets (
  organization_id uuid not null,
  -- The organization, or one of its keys.
  subject_id uuid not null,
  tokens double precision not null,
  -- What the latest lease got: the answer of the statement that took it.
  granted double precision not null,
  refilled_at timestamptz not null,
  primary key (organization_id, subject_id)
) with (fillfactor = 50);

create index organizations_suspended on organizations (id) where state = 'suspended';
create index runs_paused_by_suspension on runs (organization_id, id)
  where state = 'paused' and state_reason = 'organization_suspended';
