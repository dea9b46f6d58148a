-- As in 0045.
drop index webhook_endpoints_listening;
create index webhook_endpoints_listening on webhook_endpoints (organization_id, id) where enabled and deleted_at is null;
