-- Stored responses that carry a secret: who may see it again, and until when. What everybody else sees stands beside it.
alter table idempotency_keys
  add column made_by_key_id uuid,
  add column made_by_member_id uuid,
  add column body_without_secrets text,
  -- The secret is deleted then; null: with the key.
  add column secret_until timestamptz;
create index idempotency_keys_secrets_to_purge on idempotency_keys (secret_until) where secret_until is not null;
