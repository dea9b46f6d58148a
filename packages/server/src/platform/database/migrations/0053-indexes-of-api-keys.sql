-- As in 0045.
drop index api_keys_active;
create index api_keys_active on api_keys (organization_id, id) where revoked_at is null;
