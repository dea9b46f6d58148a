-- Places in the line of a queue count from its front. A role sees the jobs of its own organization only, and learns nothing but the number
-- of the front from this. A job that waits for its time is not at the front, or everybody who comes would be put before those who wait.
-- pg-boss makes its tables after the migrations: the body is read at the first call.
create function front_of_line(queue text) returns integer language plpgsql stable security definer set search_path = '' as $$
begin
  return coalesce((
    select -j.priority from pgboss.job j
    where j.name = queue and j.state < 'active' and not j.blocked and j.start_after <= clock_timestamp()
    order by j.priority desc, j.created_on limit 1), 0);
end $$;

-- Runs that have lanes: a few of each organization, whatever waits for capacity beside them.
create index runs_in_progress on runs (organization_id, lane_kind, priority)
  where finished_at is null and (state_reason is null or state_reason <> 'waiting_for_capacity');
