-- A worker leases a rule while it evaluates events for it; another worker may once this has passed. Workers of the version before
-- log an error at each look for rules until they are replaced; candidates wait meanwhile, and none is lost.
alter table alert_rules rename column judged_until to leased_until;
