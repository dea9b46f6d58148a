/**
 * What the service's roles need of pg-boss's tables. Requests and tasks send jobs in their transactions: they may add rows of their
 * own organization, which each job names in the member `organizationId` of its data. pg-boss itself works as the owner.
 */
import type { RoleName } from "./role-rights.ts";

const onJobs: Record<RoleName, string> = {
  tenant: "insert, select (id, start_after)",
  // It counts the lanes of its run.
  task: "insert, select (id, name, state, data, start_after)",
  // What is sealed in a job is sealed with the newest key.
  service: "insert, select, update",
};

/** Statements, for the owner of pg-boss's tables. `role` is quoted. A queue's jobs are in a partition that it names itself. */
export const rightsOnQueue = (name: RoleName, role: string): string => `
  grant usage on schema pgboss to ${role};
  grant select on pgboss.queue to ${role};
  do $$
  declare
    jobs regclass;
  begin
    for jobs in
      select relid from pg_partition_tree('pgboss.job') union select 'pgboss.job'
    loop
      execute format('grant ${onJobs[name]} on %s to ${role}', jobs);
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
