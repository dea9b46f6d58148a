-- The events of an organization, in one order. Positions are given by the fan-out, one transaction of an organization at a time:
-- they have no gaps, and whoever sees one sees all before it. Events from before this migration have none.
create table event_logs (
  organization_id uuid primary key,
  last_position bigint not null default 0
) with (fillfactor = 50);
alter table events add column position bigint;
create unique index events_by_position on events (organization_id, position) where position is not null;

-- Organizations take turns, so their waiting events are found by organization.
drop index events_to_fan_out;
create index events_to_fan_out on events (organization_id, id) where not is_fanned_out;

-- Open streams that ask for events of rows, which are written only while somebody listens to them.
create table event_listeners (
  organization_id uuid not null,
  id uuid not null,
  event_types text[] not null,
  expires_at timestamptz not null,
  primary key (organization_id, id)
);

do $$
declare
  own text := 'organization_id = (select nullif(current_setting(''app.organization_id'', true), '''')::uuid)';
  owned text;
begin
  foreach owned in array '{event_logs, event_listeners}'::text[] loop
    execute format('alter table %I enable row level security', owned);
    execute format('create policy of_the_organization on %I using (%s) with check (%s)', owned, own, own);
  end loop;
end $$;
