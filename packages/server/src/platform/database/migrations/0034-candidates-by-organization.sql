-- Organizations take turns before their rules do, and a table that is shared by tenants has a key that begins with them.
alter table alert_candidates drop constraint alert_candidates_pkey;
alter table alert_candidates add primary key (organization_id, alert_rule_id, event_id);
