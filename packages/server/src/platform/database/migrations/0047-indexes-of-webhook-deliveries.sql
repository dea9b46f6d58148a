-- As in 0045.
drop index webhook_deliveries_by_endpoint;
create index webhook_deliveries_by_endpoint on webhook_deliveries
  (webhook_endpoint_id, organization_id, event_type, status, id, (organization_id::text = 'webhook_endpoint_id, event_type, status'));
drop index webhook_deliveries_by_type;
create index webhook_deliveries_by_type on webhook_deliveries
  (event_type, organization_id, status, id, (organization_id::text = 'event_type, status'));
drop index webhook_deliveries_by_status;
create index webhook_deliveries_by_status on webhook_deliveries (status, organization_id, id, (organization_id::text = 'status'));
