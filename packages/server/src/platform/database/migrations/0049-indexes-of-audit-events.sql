-- As in 0045.
drop index audit_events_by_type;
create index audit_events_by_type on audit_events (type, organization_id, actor_type, id, (organization_id::text = 'type, actor_type'));
drop index audit_events_by_actor_type;
create index audit_events_by_actor_type on audit_events (actor_type, organization_id, id, (organization_id::text = 'actor_type'));
drop index audit_events_by_api_key;
create index audit_events_by_api_key on audit_events
  (api_key_id, organization_id, type, actor_type, id, (organization_id::text = 'api_key_id, type, actor_type'))
  where api_key_id is not null;
