-- What a list leaves out is not in its index, so that a page steps over nothing; and every combination of a list's filters is
-- a union of ranges of one of its indexes, each in the order of the list.
drop index runs_by_state, runs_by_dataset, runs_by_job_spec, runs_by_creation;
create index runs_listed on runs (organization_id, id) where deleted_at is null;
create index runs_by_state on runs (organization_id, state, id) where deleted_at is null;
create index runs_by_dataset on runs (organization_id, dataset_id, state, id) where deleted_at is null;
create index runs_by_job_spec on runs (organization_id, job_spec_id, state, id) where deleted_at is null;
create index runs_by_dataset_and_job_spec on runs (organization_id, dataset_id, job_spec_id, state, id) where deleted_at is null;

drop index exports_by_status, exports_by_type, exports_by_format;
create index exports_by_kind on exports (organization_id, status, type, format, id);
create index exports_of_run_by_kind on exports (organization_id, run_id, status, type, format, id);

create index datasets_listed on datasets (organization_id, id) where deleted_at is null;
create index webhook_endpoints_listed on webhook_endpoints (organization_id, id) where deleted_at is null;
create index alert_rules_listed on alert_rules (organization_id, id) where deleted_at is null;
create index events_of_run_by_type on events (run_id, type, sequence) where run_id is not null and sequence is not null;

-- Chunks without anything of what is looked for are not even stepped over.
create index run_chunks_with_successes on run_chunks (run_id, last_row) where succeeded > 0;
create index run_chunks_with_failures on run_chunks (run_id, last_row) where failed > 0;
create index run_chunks_unfinished on run_chunks (run_id, last_row) where row_count > succeeded + failed;

-- What an organization has of what is counted against its limits.
create index runs_unfinished_of_organization on runs (organization_id) where finished_at is null;
create index api_keys_active on api_keys (organization_id) where revoked_at is null;
