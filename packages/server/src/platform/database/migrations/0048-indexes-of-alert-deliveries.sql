-- As in 0045.
drop index alert_deliveries_by_rule;
create index alert_deliveries_by_rule on alert_deliveries
  (alert_rule_id, organization_id, status, id, (organization_id::text = 'alert_rule_id, status'));
drop index alert_deliveries_by_status;
create index alert_deliveries_by_status on alert_deliveries (status, organization_id, id, (organization_id::text = 'status'));
