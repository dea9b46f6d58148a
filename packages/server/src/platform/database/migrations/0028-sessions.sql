-- Sessions of browsers. A session belongs to an API key and ends with it, or to the admin key that was exchanged for it.
create table sessions (
  id uuid primary key,
  organization_id uuid,
  api_key_id uuid,
  admin_key_sha256 bytea,
  digest bytea not null unique,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  check ((organization_id is null) = (api_key_id is null)),
  check ((api_key_id is null) <> (admin_key_sha256 is null)),
  foreign key (organization_id, api_key_id) references api_keys (organization_id, id) on delete cascade
);
create index sessions_by_expiry on sessions (expires_at);
create index sessions_of_a_key on sessions (organization_id, api_key_id);
alter table sessions enable row level security;
create policy of_the_organization on sessions
  using (organization_id = (select nullif(current_setting('app.organization_id', true), '')::uuid))
  with check (organization_id = (select nullif(current_setting('app.organization_id', true), '')::uuid));

-- Login links that nobody has used yet.
create table login_links (
  digest bytea primary key,
  expires_at timestamptz not null
);
