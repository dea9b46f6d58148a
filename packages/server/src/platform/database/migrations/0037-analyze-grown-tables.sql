-- Until a table has statistics, the planner takes what an organization has for a few rows, and sorts all of it for one page. Autovacuum
-- comes by once a minute. This analyzes one table that has doubled since its last statistics, and returns its name; null where there
-- is none. With the rights of the owner, which no process of the service has.
create function analyze_grown_table() returns text language plpgsql security definer set search_path from current as $$
declare
  grown text;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('analyze_grown_table', 0)) then return null; end if;
  select c.oid::regclass::text into grown
    from pg_class c join pg_stat_user_tables s on s.relid = c.oid
    where c.relkind = 'r' and pg_has_role(c.relowner, 'usage')
      and s.n_mod_since_analyze >= greatest(1000, c.reltuples)
      and coalesce(greatest(s.last_analyze, s.last_autoanalyze), '-infinity') < now() - interval '1 minute'
    order by s.n_mod_since_analyze desc limit 1;
  if grown is not null then execute 'analyze ' || grown; end if;
  return grown;
end $$;
