-- As in 0045.
drop index alert_rules_listening;
-- An organization has few of them: with the id in the index, no more than these entries are read.
create index alert_rules_listening on alert_rules (organization_id, event_type, id) where enabled and deleted_at is null;
