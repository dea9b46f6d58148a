/**
 * What a role needs in order to send jobs in its transactions: to add rows of its own organization, and nothing of the jobs that
 * are there. Every job that an organization's request sends says whose it is, in the member `organizationId` of its data.
 */

/** Statements, for the owner of pg-boss's tables. `role` is quoted. A queue's jobs are in a partition that it names itself. */
export const rightsToSend = (role: string): string => `
  grant usage on schema pgboss to ${role};
  grant select on pgboss.queue to ${role};
  do $$
  declare
    jobs regclass;
  begin
    for jobs in
      select relid from pg_partition_tree('pgboss.job') union select 'pgboss.job'
    loop
      execute format('grant insert, select (id, start_after) on %s to ${role}', jobs);
      -- Only where it is new: these statements wait for everybody who is at the jobs.
      if not (select relrowsecurity from pg_class where oid = jobs) then
        execute format('alter table %s enable row level security', jobs);
      end if;
      if not exists (select from pg_policy where polrelid = jobs and polname = 'own_organization') then
        execute format($policy$
          create policy own_organization on %s
            using (data ->> 'organizationId' = current_setting('app.organization_id', true))
            with check (data ->> 'organizationId' = current_setting('app.organization_id', true))$policy$, jobs);
      end if;
    end loop;
  end $$;`;
