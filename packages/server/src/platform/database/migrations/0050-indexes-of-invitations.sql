-- As in 0045.
drop index invitations_by_state;
create index invitations_by_state on invitations (state, organization_id, id, (organization_id::text = 'state'));
