-- What runs, datasets and job specs are found by beside their columns: pairs of their metadata, and beginnings of their name.
-- One row for each, in the order of the lists, so that a page costs the same however many things there are. A label is a hash,
-- so that an entry of the index is small whatever the text; who finds a thing by one looks at the thing itself as well.
create function list_label(kind text, key text, value text) returns uuid immutable language sql as $$
  select encode(substring(sha256(convert_to(kind || chr(10) || key || chr(10) || value, 'UTF8')) from 1 for 16), 'hex')::uuid
$$;

-- Of each name, beginnings of these lengths: a longer one is found by the next shorter one of them. The case of A to Z does not
-- count; that of other letters would differ from database to database.
create function list_labels_of(kind text, name text, metadata jsonb) returns setof uuid immutable language sql as $$
  select list_label(kind, 'name', lower(left(name, length) collate "C"))
  from unnest(array[1, 2, 3, 4, 6, 8, 12, 16, 24, 32]) as length where name is not null and char_length(name) >= length
  union
  select list_label(kind, 'metadata.' || pair.key, pair.value) from jsonb_each_text(metadata) as pair
$$;

create table list_labels (
  organization_id uuid not null,
  label uuid not null,
  -- Of the thing: ids are unique over the kinds.
  id uuid not null,
  primary key (organization_id, label, id)
);
create index list_labels_of_thing on list_labels (organization_id, id);
alter table list_labels enable row level security;
create policy of_the_organization on list_labels
  using (organization_id = (select nullif(current_setting('app.organization_id', true), '')::uuid))
  with check (organization_id = (select nullif(current_setting('app.organization_id', true), '')::uuid));

create function write_list_labels() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    delete from list_labels where organization_id = old.organization_id and id = old.id;
  end if;
  insert into list_labels (organization_id, label, id)
  select new.organization_id, label, new.id from list_labels_of(tg_argv[0], new.name, new.metadata) as label;
  return null;
end $$;

create function delete_list_labels() returns trigger language plpgsql as $$
begin
  delete from list_labels where organization_id = old.organization_id and id = old.id;
  return null;
end $$;

do $$
declare
  listed record;
begin
  for listed in values ('runs', 'run', 'deleted_at'), ('datasets', 'dataset', 'deleted_at'), ('job_specs', 'job_spec', 'archived_at') loop
    execute format(
      'create trigger labels_of_new after insert on %I for each row
         when (new.name is not null or new.metadata <> ''{}'') execute function write_list_labels(%L)',
      listed.column1, listed.column2);
    execute format(
      'create trigger labels_of_changed after update of name, metadata on %I for each row
         when (new.%I is null and (new.name is distinct from old.name or new.metadata <> old.metadata))
         execute function write_list_labels(%L)',
      listed.column1, listed.column3, listed.column2);
    -- What the list leaves out is not found.
    execute format(
      'create trigger labels_of_hidden after update of %I on %I for each row
         when (new.%I is not null and old.%I is null) execute function delete_list_labels()',
      listed.column3, listed.column1, listed.column3, listed.column3);
    execute format(
      'create trigger labels_of_deleted after delete on %I for each row
         when (old.%I is null) execute function delete_list_labels()',
      listed.column1, listed.column3);
    execute format(
      'insert into list_labels (organization_id, label, id)
         select t.organization_id, label, t.id from %I t cross join lateral list_labels_of(%L, t.name, t.metadata) as label
         where t.%I is null',
      listed.column1, listed.column2, listed.column3);
  end loop;
end $$;
