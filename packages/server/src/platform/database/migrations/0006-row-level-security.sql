-- The second line of tenant isolation. The owner of the tables, as whom the service works, is not bound by it; requests of an
-- organization's key run under a role that is (see `tenant-role.ts`), with the organization in `app.organization_id`. Without
-- one nothing is to be seen. The setting reads back as an empty string once it was set, hence `nullif`; in parentheses it is
-- found out once for a statement, and not for each row.
do $$
declare
  of_organizations text[] := '{
    alert_candidates, alert_deliveries, alert_rules, api_keys, audit_events, dataset_chunks, dataset_uploads, datasets,
    denied_attempts, events, exports, invitations, job_spec_versions, job_specs, members, rate_limit_buckets, run_chunks,
    run_results, runs, webhook_deliveries, webhook_endpoints}';
  owned record;
begin
  for owned in
    select name, 'organization_id' as owner from unnest(of_organizations) name
    union all values ('organizations', 'id'), ('idempotency_keys', 'scope_id')
  loop
    execute format('alter table %I enable row level security', owned.name);
    execute format(
      'create policy of_the_organization on %1$I
        using (%2$I = (select nullif(current_setting(''app.organization_id'', true), '''')::uuid))
        with check (%2$I = (select nullif(current_setting(''app.organization_id'', true), '''')::uuid))',
      owned.name, owned.owner);
  end loop;
end $$;

-- A policy adds `organization_id = …` to statements that name a run or a dataset. That says nothing more, and the planner has
-- to know, or it expects a fraction of the rows.
create statistics run_results_owners (dependencies) on run_id, organization_id from run_results;
create statistics run_chunks_owners (dependencies) on run_id, organization_id from run_chunks;
create statistics dataset_chunks_owners (dependencies) on dataset_id, organization_id from dataset_chunks;
