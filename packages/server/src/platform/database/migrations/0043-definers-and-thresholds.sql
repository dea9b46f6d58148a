-- A function that works with its owner's rights looks for tables in the caller's temporary schema last: by default that comes first, before
-- pg_catalog, and a caller could have it read a table or a view of its own.
do $$ begin
  execute format('alter function declared_bytes_of_all() set search_path = %s, pg_temp', current_setting('search_path'));
end $$;
alter function front_of_line(text) set search_path = pg_temp;

-- A large table is analyzed when twenty thousand rows and a fiftieth of it have changed: until then, statements that name a row by its id
-- may read all the entries that a new organization has in another index. Never one that is vacuumed: PostgreSQL ends an autovacuum for
-- which another statement waits, and where that comes again and again, the space of dead rows is never used again.
create or replace function analyze_grown_table() returns text language plpgsql security definer as $$
declare
  grown text;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('analyze_grown_table', 0)) then return null; end if;
  select c.oid::regclass::text into grown
    from pg_class c join pg_stat_user_tables s on s.relid = c.oid
    where c.relkind = 'r' and pg_has_role(c.relowner, 'usage')
      and s.n_mod_since_analyze >= greatest(1000, least(c.reltuples, 20000 + c.reltuples / 50))
      and coalesce(greatest(s.last_analyze, s.last_autoanalyze), '-infinity') < now() - interval '1 minute'
      and not exists (
        select from pg_locks l
        where l.locktype = 'relation' and l.relation = c.oid and l.pid <> pg_backend_pid()
          and l.database = (select d.oid from pg_database d where d.datname = current_database())
          and l.mode in ('ShareUpdateExclusiveLock', 'ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock'))
    order by s.n_mod_since_analyze desc limit 1;
  if grown is not null then execute 'analyze (skip_locked) ' || grown; end if;
  return grown;
end $$;
do $$ begin
  execute format('alter function analyze_grown_table() set search_path = %s, pg_temp', current_setting('search_path'));
end $$;
