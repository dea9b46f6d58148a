-- Named credentials of a model provider or an HTTP service. A deleted one keeps its row, so that what was paid through it
-- still has a name; its secret is gone.
create table connections (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  name text not null,
  type text not null check (type in ('openai_compatible', 'anthropic', 'http')),
  base_url text not null,
  -- Sealed.
  secret text,
  -- What may be shown of it.
  redacted_secret text,
  requests_per_minute int,
  tokens_per_minute int,
  prices jsonb,
  metadata jsonb not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  primary key (organization_id, id),
  check ((secret is null) = (redacted_secret is null)),
  check (deleted_at is null or secret is null)
);
create index connections_listed on connections (organization_id, id) where deleted_at is null;

-- As 0006 does it.
alter table connections enable row level security;
create policy of_the_organization on connections
  using (organization_id = (select nullif(current_setting('app.organization_id', true), '')::uuid))
  with check (organization_id = (select nullif(current_setting('app.organization_id', true), '')::uuid));
