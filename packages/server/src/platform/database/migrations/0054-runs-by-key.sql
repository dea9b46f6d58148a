-- Runs that one key has started, alone and with each other filter of the list (see 0038): who finds a key in wrong hands looks for them,
-- however many others there are.
create index runs_by_key on runs (organization_id, api_key_id, state, id, (organization_id::text = 'api_key_id, state'))
  where deleted_at is null and api_key_id is not null;
create index runs_by_key_and_dataset
  on runs (organization_id, api_key_id, dataset_id, state, id, (organization_id::text = 'api_key_id, dataset_id, state'))
  where deleted_at is null and api_key_id is not null;
create index runs_by_key_and_job_spec
  on runs (organization_id, api_key_id, job_spec_id, state, id, (organization_id::text = 'api_key_id, job_spec_id, state'))
  where deleted_at is null and api_key_id is not null;
create index runs_by_key_dataset_and_job_spec on runs
  (organization_id, api_key_id, dataset_id, job_spec_id, state, id, (organization_id::text = 'api_key_id, dataset_id, job_spec_id, state'))
  where deleted_at is null and api_key_id is not null;
