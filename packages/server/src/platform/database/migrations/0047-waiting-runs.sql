-- Runs that wait for capacity, the next one first: whenever a run ends, the next one of its organization is looked for, however many wait.
create index runs_waiting on runs (organization_id, priority desc, id)
  where state = 'queued' and state_reason = 'waiting_for_capacity' and deleted_at is null;
