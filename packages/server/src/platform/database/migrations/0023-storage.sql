-- What each organization stores. `storage_bytes` follows from the state of a row, so that whatever ends an upload, deletes a
-- dataset or expires an export frees its bytes, too. Triggers add the differences up in one row for each organization.
create table storage_usage (
  organization_id uuid primary key,
  bytes bigint not null default 0
) with (fillfactor = 50);

-- A session holds what it reserved until its content is there, then the content until its rows are stored. Rows that are stored
-- already count with their dataset: content and rows together count as the larger of both, so that a file which fits is taken in.
alter table dataset_uploads
  add column reserved_bytes bigint not null default 0,
  add column stored_bytes bigint not null default 0;
alter table dataset_uploads add column storage_bytes bigint not null generated always as (
  case when state = 'awaiting_content' then reserved_bytes
    when state = 'processing'
      then greatest(0, case when bytes_received = 0 then reserved_bytes else bytes_received end - stored_bytes)
    else 0 end) stored;

-- Bytes of the stored chunks, which are compressed.
alter table datasets add column stored_bytes bigint not null default 0;
alter table datasets add column storage_bytes bigint not null generated always as (
  case when deleted_at is null then stored_bytes else 0 end) stored;

-- An export that is being written reserves some bytes ahead of its writer.
alter table exports add column reserved_bytes bigint not null default 0;
alter table exports add column storage_bytes bigint not null generated always as (
  case when status = 'ready' then coalesce(size_bytes, 0) when status = 'running' then reserved_bytes else 0 end) stored;

-- Counted per chunk with the results, and added up for the run by a task.
alter table run_chunks add column result_bytes bigint not null default 0;
alter table runs add column result_bytes bigint not null default 0;
alter table runs add column results_settled boolean not null default false;
alter table runs add column storage_bytes bigint not null generated always as (
  case when deleted_at is null then result_bytes else 0 end) stored;
create index runs_results_to_settle on runs (id) where not results_settled and started_at is not null;
create index runs_paused_by_storage on runs (organization_id, id)
  where state = 'paused' and state_reason in ('storage_limit_reached', 'insufficient_storage');

create function count_storage() returns trigger language plpgsql as $$
declare
  difference bigint := 0;
begin
  if tg_op <> 'DELETE' then difference := new.storage_bytes; end if;
  if tg_op <> 'INSERT' then difference := difference - old.storage_bytes; end if;
  insert into storage_usage as u (organization_id, bytes)
    values (case when tg_op = 'DELETE' then old.organization_id else new.organization_id end, difference)
    on conflict (organization_id) do update set bytes = u.bytes + excluded.bytes;
  return null;
end $$;

do $$
declare
  counted text;
begin
  foreach counted in array '{dataset_uploads, datasets, exports, runs}'::text[] loop
    execute format('create trigger %I_stored after insert on %1$I for each row when (new.storage_bytes <> 0) execute function count_storage()', counted);
    execute format('create trigger %I_changed after update on %1$I for each row when (new.storage_bytes <> old.storage_bytes) execute function count_storage()', counted);
    execute format('create trigger %I_deleted after delete on %1$I for each row when (old.storage_bytes <> 0) execute function count_storage()', counted);
  end loop;
end $$;

alter table storage_usage enable row level security;
create policy of_the_organization on storage_usage
  using (organization_id = (select nullif(current_setting('app.organization_id', true), '')::uuid))
  with check (organization_id = (select nullif(current_setting('app.organization_id', true), '')::uuid));

-- Processes whose disk has little free space: while one of them says so, no run goes on.
create table low_space_reports (
  process_id uuid primary key,
  reported_at timestamptz not null
);
