-- The key with which a key or an invitation was made; null for the admin's. Children are found by it when their maker is
-- revoked with them.
alter table api_keys
  add column created_by_key_id uuid,
  -- The key that a member got with the invitation: the only one that a change of role widens.
  add column is_role_key boolean not null default false,
  -- Limits of the keys it descends from, which it shares with them: [{keyId, perMinute}].
  add column shared_limits jsonb not null default '[]';
create index api_keys_by_maker on api_keys (organization_id, created_by_key_id) where created_by_key_id is not null;

alter table invitations add column created_by_key_id uuid;
create index invitations_pending_by_maker on invitations (organization_id, created_by_key_id)
  where state = 'pending' and created_by_key_id is not null;
