-- What open upload sessions have declared and not sent yet. All of it together, of every organization, must fit on the disk.
alter table dataset_uploads add column declared_bytes bigint not null generated always as (
  case when state = 'awaiting_content' then coalesce((source ->> 'sizeBytes')::bigint, 0) else 0 end) stored;
alter table storage_usage add column declared_bytes bigint not null default 0;
update storage_usage u set declared_bytes = d.bytes from (
  select organization_id, sum(declared_bytes) as bytes from dataset_uploads group by organization_id) d
  where u.organization_id = d.organization_id;

create function count_declared() returns trigger language plpgsql as $$
declare
  difference bigint := 0;
begin
  if tg_op <> 'DELETE' then difference := new.declared_bytes; end if;
  if tg_op <> 'INSERT' then difference := difference - old.declared_bytes; end if;
  insert into storage_usage as u (organization_id, declared_bytes)
    values (case when tg_op = 'DELETE' then old.organization_id else new.organization_id end, difference)
    on conflict (organization_id) do update set declared_bytes = u.declared_bytes + excluded.declared_bytes;
  return null;
end $$;
create trigger dataset_uploads_declared after insert on dataset_uploads
  for each row when (new.declared_bytes <> 0) execute function count_declared();
create trigger dataset_uploads_redeclared after update on dataset_uploads
  for each row when (new.declared_bytes <> old.declared_bytes) execute function count_declared();
create trigger dataset_uploads_undeclared after delete on dataset_uploads
  for each row when (old.declared_bytes <> 0) execute function count_declared();

-- With the rights of the owner: a request sees the sum of its own organization only, and this is one number about all of them.
create function declared_bytes_of_all() returns bigint language sql stable security definer set search_path from current
  as 'select coalesce(sum(declared_bytes), 0)::bigint from storage_usage';
