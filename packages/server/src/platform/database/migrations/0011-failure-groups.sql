-- What a failure says of where in the row or the output the trouble is. Cut off: an index entry has a limit, and the text may
-- come from a row.
alter table run_results add column failure_path text
  generated always as (left(failure -> 'details' ->> 'path', 200)) stored;

-- Failures grouped by their cause are counted in it alone, without a look at the rows. It has few distinct entries, which are
-- stored once each. The organization is there for row-level security, which asks for it of every row.
create index run_results_by_cause on run_results (run_id, organization_id, code, retryable, failure_path) where code is not null;
