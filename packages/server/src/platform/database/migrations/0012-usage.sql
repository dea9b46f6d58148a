-- Usage of one run, key or job spec, over days. The counters of a run of today change with every commit, and the indexed columns
-- never: room on the page keeps such changes out of the indexes.
alter table usage_days set (fillfactor = 70);
create index usage_days_by_run on usage_days (organization_id, run_id, day);
create index usage_days_by_api_key on usage_days (organization_id, api_key_id, day);
create index usage_days_by_job_spec on usage_days (organization_id, job_spec_id, day);
