-- The second line of tenant isolation. The owner of the tables, as whom the service works, is not bound by it; requests of an
-- organization's key run under a role that is (see `tenant-role.ts`), with the organization in `app.organization_id`. Without
-- one nothing is to be seen. The setting reads back as an empty string once it was set, hence `nullif`; in parentheses it is
-- found out once for a statement, and not for each row.
do $$
declare
  own text := '%1$I = (select nullif(current_setting(''app.organization_id'', true), '''')::uuid)';
  of_organizations text[] := '{
    alert_deliveries, alert_rules, api_keys, audit_events, dataset_uploads, datasets, denied_attempts, exports, invitations,
    job_spec_versions, job_specs, members, rate_limit_buckets, runs, webhook_deliveries, webhook_endpoints}';
  -- Read by their run, dataset or rule.
  of_their_things text[] := '{alert_candidates, dataset_chunks, events, run_chunks, run_results}';
  owned record;
begin
  for owned in
    select name, 'organization_id' as owner, own as visible from unnest(of_organizations) name
    union all values ('organizations', 'id', own), ('idempotency_keys', 'scope_id', own)
    -- What a run's rows say of their organization follows from the run. Told so in a form that it does not see through, the
    -- planner counts on all of them, and not on the few that an average organization would have among them.
    union all select name, 'organization_id', format('coalesce(%s, false)', own) from unnest(of_their_things) name
  loop
    execute format('alter table %I enable row level security', owned.name);
    execute format(
      'create policy of_the_organization on %I using (%s) with check (%s)',
      owned.name, format(owned.visible, owned.owner), format(own, owned.owner));
  end loop;
end $$;
