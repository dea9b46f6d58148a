-- How many datasets each organization has, so that nobody counts a hundred thousand of them to show one number. A change of a dataset
-- is counted when its transaction commits: the row is locked last, and no longer than the commit takes. The function works with the
-- rights of the owner, so that processes of the version before, whose roles do not know the table, go on.
create table dataset_counts (
  organization_id uuid primary key,
  datasets bigint not null default 0
) with (fillfactor = 50);
alter table dataset_counts enable row level security;
create policy of_the_organization on dataset_counts
  using (organization_id = (select nullif(current_setting('app.organization_id', true), '')::uuid))
  with check (organization_id = (select nullif(current_setting('app.organization_id', true), '')::uuid));

create function count_datasets() returns trigger language plpgsql security definer as $$
declare
  difference int := 0;
begin
  if tg_op <> 'DELETE' and new.deleted_at is null then difference := 1; end if;
  if tg_op <> 'INSERT' and old.deleted_at is null then difference := difference - 1; end if;
  insert into dataset_counts as c (organization_id, datasets)
    values (case when tg_op = 'DELETE' then old.organization_id else new.organization_id end, difference)
    on conflict (organization_id) do update set datasets = c.datasets + excluded.datasets;
  return null;
end $$;
-- A trigger works without this right; nobody else may make one of the function, on a table of their own.
revoke execute on function count_datasets() from public;
do $$ begin
  execute format('alter function count_datasets() set search_path = %s, pg_temp', current_setting('search_path'));
end $$;

-- The first trigger waits for all who write datasets, and lets nobody else write one before the commit: the sums are complete.
create constraint trigger datasets_counted after insert on datasets deferrable initially deferred
  for each row when (new.deleted_at is null) execute function count_datasets();
create constraint trigger datasets_recounted after update of deleted_at on datasets deferrable initially deferred
  for each row when ((new.deleted_at is null) <> (old.deleted_at is null)) execute function count_datasets();
create constraint trigger datasets_uncounted after delete on datasets deferrable initially deferred
  for each row when (old.deleted_at is null) execute function count_datasets();
insert into dataset_counts (organization_id, datasets)
  select organization_id, count(*) from datasets where deleted_at is null group by organization_id;
