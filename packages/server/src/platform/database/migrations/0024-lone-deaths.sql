-- Deaths of workers count against a row only if it was the only thing in the process' hands. What fails without a death waits.
alter table run_chunks
  drop column suspect_deaths,
  -- Rows that were named when a worker died: how often it had nothing else in hand then.
  add suspects jsonb,
  -- The suspect row is the only one in the process.
  add is_trial boolean not null default false,
  -- Tries in a row that ended with an error, and not with a death.
  add failures smallint not null default 0,
  -- Nobody claims the chunk before.
  add not_before timestamptz;
