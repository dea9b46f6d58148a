-- URLs whose path or query is a secret are sealed. Those of before are sealed by the first start (see `reseal.ts`).
alter table webhook_endpoints add column shown_url text not null default '';
update webhook_endpoints set shown_url = substring(url from '^https://[^/?]+') || '/…';
alter table webhook_endpoints alter column shown_url drop default;

alter table alert_rules add column sealed_url text;
update alert_rules set sealed_url = destination ->> 'url',
  destination = jsonb_set(destination, '{url}', to_jsonb(substring(destination ->> 'url' from '^https://[^/?]+') || '/…'))
where destination ? 'url';

update dataset_uploads set source = jsonb_build_object('sealedUrl', source ->> 'url') where source ? 'url';
