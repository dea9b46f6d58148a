-- The failures of a run by their codes, each in the order of the rows.
create index run_results_failed_by_code on run_results (run_id, code, retryable, row_index) where code is not null;
