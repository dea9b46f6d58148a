-- The model that a version of a job spec names first: usage is added up by it, and no statement reads a processor's configuration.
alter table job_spec_versions add column model text;
update job_spec_versions set model = processor::jsonb ->> 'model' where processor::jsonb ? 'model';
-- The version that was run or tested. A version is never deleted, a run may be: what it has used is still found by its model.
alter table usage_days add column job_spec_version int;
update usage_days u set job_spec_version = r.job_spec_version
from runs r where r.organization_id = u.organization_id and r.id = u.run_id;
