-- Each index of a list ends with an expression that no other index has. It is always false; the list repeats it at the end of its
-- order, which is then the order of this index alone. With sorts disabled, the planner has one plan, whatever it estimates: without
-- statistics, or with old ones, it takes what an organization has for one row, and any index that has the order for as good.
drop index runs_listed, runs_by_state, runs_by_dataset, runs_by_job_spec, runs_by_dataset_and_job_spec;
create index runs_listed on runs (organization_id, id, (organization_id::text = 'listed')) where deleted_at is null;
create index runs_by_state on runs (organization_id, state, id, (organization_id::text = 'state')) where deleted_at is null;
create index runs_by_dataset on runs (organization_id, dataset_id, state, id, (organization_id::text = 'dataset_id, state'))
  where deleted_at is null;
create index runs_by_job_spec on runs (organization_id, job_spec_id, state, id, (organization_id::text = 'job_spec_id, state'))
  where deleted_at is null;
create index runs_by_dataset_and_job_spec
  on runs (organization_id, dataset_id, job_spec_id, state, id, (organization_id::text = 'dataset_id, job_spec_id, state'))
  where deleted_at is null;

-- Of the runs in progress, which are counted.
drop index runs_unfinished_of_organization;
create index runs_unfinished_of_organization on runs (organization_id, (organization_id::text = 'unfinished')) where finished_at is null;

drop index exports_by_run, exports_by_kind, exports_of_run_by_kind;
create index exports_by_run on exports (organization_id, run_id, id, (organization_id::text = 'run_id'));
create index exports_by_kind on exports (organization_id, status, type, format, id, (organization_id::text = 'status, type, format'));
create index exports_of_run_by_kind
  on exports (organization_id, run_id, status, type, format, id, (organization_id::text = 'run_id, status, type, format'));

drop index webhook_deliveries_by_endpoint, webhook_deliveries_by_type, webhook_deliveries_by_status;
create index webhook_deliveries_by_endpoint on webhook_deliveries
  (organization_id, webhook_endpoint_id, event_type, status, id, (organization_id::text = 'webhook_endpoint_id, event_type, status'));
create index webhook_deliveries_by_type on webhook_deliveries
  (organization_id, event_type, status, id, (organization_id::text = 'event_type, status'));
create index webhook_deliveries_by_status on webhook_deliveries (organization_id, status, id, (organization_id::text = 'status'));

drop index alert_deliveries_by_rule, alert_deliveries_by_status;
create index alert_deliveries_by_rule on alert_deliveries
  (organization_id, alert_rule_id, status, id, (organization_id::text = 'alert_rule_id, status'));
create index alert_deliveries_by_status on alert_deliveries (organization_id, status, id, (organization_id::text = 'status'));

drop index audit_events_by_type, audit_events_by_actor_type, audit_events_by_api_key;
create index audit_events_by_type on audit_events (organization_id, type, actor_type, id, (organization_id::text = 'type, actor_type'));
create index audit_events_by_actor_type on audit_events (organization_id, actor_type, id, (organization_id::text = 'actor_type'));
create index audit_events_by_api_key on audit_events
  (organization_id, api_key_id, type, actor_type, id, (organization_id::text = 'api_key_id, type, actor_type'))
  where api_key_id is not null;

drop index invitations_by_state, bulk_actions_by_state;
create index invitations_by_state on invitations (organization_id, state, id, (organization_id::text = 'state'));
create index bulk_actions_by_state on bulk_actions (organization_id, resource, state, id, (organization_id::text = 'resource, state'));

drop index datasets_listed, job_specs_listed, members_listed, webhook_endpoints_listed, alert_rules_listed, connections_listed;
create index datasets_listed on datasets (organization_id, id, (organization_id::text = 'listed')) where deleted_at is null;
create index job_specs_listed on job_specs (organization_id, id, (organization_id::text = 'listed')) where archived_at is null;
create index members_listed on members (organization_id, id, (organization_id::text = 'listed')) where removed_at is null;
create index webhook_endpoints_listed on webhook_endpoints (organization_id, id, (organization_id::text = 'listed'))
  where deleted_at is null;
create index alert_rules_listed on alert_rules (organization_id, id, (organization_id::text = 'listed')) where deleted_at is null;
create index connections_listed on connections (organization_id, id, (organization_id::text = 'listed')) where deleted_at is null;

drop index usage_days_by_run, usage_days_by_api_key, usage_days_by_job_spec;
create index usage_days_by_run on usage_days (organization_id, run_id, day, (organization_id::text = 'run_id'));
create index usage_days_by_api_key on usage_days (organization_id, api_key_id, day, (organization_id::text = 'api_key_id'));
create index usage_days_by_job_spec on usage_days (organization_id, job_spec_id, day, (organization_id::text = 'job_spec_id'));

-- Of a label, the primary key has the order of the list; this one has it not, since it puts nulls (there are none) first.
drop index list_labels_of_thing;
create index list_labels_of_thing on list_labels (organization_id, id nulls first);

-- These lists are of a run, in an order of their own.
drop index events_of_run_by_type, run_chunks_with_successes, run_chunks_with_failures, run_chunks_unfinished;
create index events_of_run_by_type on events (run_id, type, sequence, (run_id::text = 'type'))
  where run_id is not null and sequence is not null;
create index run_chunks_with_successes on run_chunks (run_id, last_row, (run_id::text = 'succeeded')) where succeeded > 0;
create index run_chunks_with_failures on run_chunks (run_id, last_row, (run_id::text = 'failed')) where failed > 0;
create index run_chunks_unfinished on run_chunks (run_id, last_row, (run_id::text = 'unfinished'))
  where row_count > succeeded + failed;
