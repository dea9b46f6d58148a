-- As in 0045.
drop index bulk_actions_by_state;
create index bulk_actions_by_state on bulk_actions (resource, organization_id, state, id, (organization_id::text = 'resource, state'));
