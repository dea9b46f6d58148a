-- A statement that names a row by the equality of organization and id could use any index that begins with the organization. With
-- statistics of before the organization had anything, one entry is expected in each, and PostgreSQL may take another index than the primary
-- key, and read all of the organization's entries. Such an index begins with another column now, or has the id behind the organization.
-- The order of lists is the same: they have one value for each column before the id.
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

-- Not by the status first, which statements that name an export by its id have, too.
drop index exports_by_run;
create index exports_by_run on exports (run_id, organization_id, id, (organization_id::text = 'run_id'));
drop index exports_by_kind;
create index exports_by_kind on exports (type, organization_id, status, format, id, (organization_id::text = 'status, type, format'));
drop index exports_of_run_by_kind;
create index exports_of_run_by_kind
  on exports (run_id, organization_id, status, type, format, id, (organization_id::text = 'run_id, status, type, format'));

drop index webhook_deliveries_by_endpoint;
create index webhook_deliveries_by_endpoint on webhook_deliveries
  (webhook_endpoint_id, organization_id, event_type, status, id, (organization_id::text = 'webhook_endpoint_id, event_type, status'));
drop index webhook_deliveries_by_type;
create index webhook_deliveries_by_type on webhook_deliveries
  (event_type, organization_id, status, id, (organization_id::text = 'event_type, status'));
drop index webhook_deliveries_by_status;
create index webhook_deliveries_by_status on webhook_deliveries (status, organization_id, id, (organization_id::text = 'status'));

drop index alert_deliveries_by_rule;
create index alert_deliveries_by_rule on alert_deliveries
  (alert_rule_id, organization_id, status, id, (organization_id::text = 'alert_rule_id, status'));
drop index alert_deliveries_by_status;
create index alert_deliveries_by_status on alert_deliveries (status, organization_id, id, (organization_id::text = 'status'));

drop index audit_events_by_type;
create index audit_events_by_type on audit_events (type, organization_id, actor_type, id, (organization_id::text = 'type, actor_type'));
drop index audit_events_by_actor_type;
create index audit_events_by_actor_type on audit_events (actor_type, organization_id, id, (organization_id::text = 'actor_type'));
drop index audit_events_by_api_key;
create index audit_events_by_api_key on audit_events
  (api_key_id, organization_id, type, actor_type, id, (organization_id::text = 'api_key_id, type, actor_type'))
  where api_key_id is not null;

drop index invitations_by_state;
create index invitations_by_state on invitations (state, organization_id, id, (organization_id::text = 'state'));
drop index bulk_actions_by_state;
create index bulk_actions_by_state on bulk_actions (resource, organization_id, state, id, (organization_id::text = 'resource, state'));

drop index dataset_uploads_processing;
create index dataset_uploads_processing on dataset_uploads (organization_id, id) where state = 'processing';
drop index api_keys_active;
create index api_keys_active on api_keys (organization_id, id) where revoked_at is null;
drop index webhook_endpoints_listening;
create index webhook_endpoints_listening on webhook_endpoints (organization_id, id) where enabled and deleted_at is null;
drop index alert_rules_listening;
-- An organization has few of them: with the id in the index, no more than these entries are read.
create index alert_rules_listening on alert_rules (organization_id, event_type, id) where enabled and deleted_at is null;
