-- The front of a line is also where the jobs are that are worked on. The first job that is due may wait for a place of its organization, and stands
-- at its old place meanwhile: counted from there alone, whoever has few jobs would come before those who have many, turn after turn.
create or replace function front_of_line(queue text) returns integer language plpgsql stable security definer set search_path = pg_temp as $$
begin
  return greatest(
    coalesce((
      select -j.priority from pgboss.job j
      where j.name = queue and j.state < 'active' and not j.blocked and j.start_after <= clock_timestamp()
      order by j.priority desc, j.created_on limit 1), 0),
    coalesce((
      select max(-j.priority) from pgboss.job j
      where j.name = queue and j.state = 'active' and j.group_id is not null), 0));
end $$;
