/** What a role needs in order to send jobs in its transactions: to add rows, and nothing of the jobs that are there. */

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
    end loop;
  end $$;`;
