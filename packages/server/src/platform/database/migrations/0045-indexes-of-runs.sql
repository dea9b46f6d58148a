-- A statement that names a row by the equality of organization and id could use any index that begins with the organization. With
-- statistics of before the organization had anything, one entry is expected in each, and PostgreSQL may take another index than the primary
-- key, and read all of the organization's entries. Such an index begins with another column now, or has the id behind the organization.
-- The order of lists is the same: they have one value for each column before the id.
-- One table for each migration: a request or a worker of the version before that holds one of these tables and waits for another would
-- otherwise wait in a circle with the migration, which PostgreSQL would then end.
drop index runs_by_state;
create index runs_by_state on runs (state, organization_id, id, (organization_id::text = 'state')) where deleted_at is null;
drop index runs_by_dataset;
create index runs_by_dataset on runs (dataset_id, organization_id, state, id, (organization_id::text = 'dataset_id, state'))
  where deleted_at is null;
drop index runs_by_job_spec;
create index runs_by_job_spec on runs (job_spec_id, organization_id, state, id, (organization_id::text = 'job_spec_id, state'))
  where deleted_at is null;
drop index runs_by_dataset_and_job_spec;
create index runs_by_dataset_and_job_spec
  on runs (dataset_id, job_spec_id, organization_id, state, id, (organization_id::text = 'dataset_id, job_spec_id, state'))
  where deleted_at is null;
drop index runs_by_family;
create index runs_by_family on runs (root_run_id, organization_id, retry_number);
drop index runs_unfinished_of_organization;
create index runs_unfinished_of_organization on runs (organization_id, id, (organization_id::text = 'unfinished'))
  where finished_at is null;
