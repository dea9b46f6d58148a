/**
 * pg-boss's tables, for what works on all tables of the database: the rights of roles, the rotation of the encryption key, the backup.
 * Questions about jobs are in `jobs.ts`. No other folder names these tables (`tests/table-owners.test.ts`).
 */
import type { QueueTables } from "../database/roles.ts";
import type { RoleName } from "../database/role-rights.ts";

export const QUEUE_SCHEMA = "pgboss";
/** With these a backup has all work. Statistics and records of the queue's own upkeep stay behind. */
export const TABLES_WITH_WORK = ["queue", "schedule", "subscription", "job", "job_dependency"];

/** Where the jobs of one queue have their data: a table, a column of it, and a condition. */
export const dataOfJobs = (queue: string) =>
  ({ table: `${QUEUE_SCHEMA}.job`, column: "data", type: "jsonb", only: `name = '${queue}'` }) as const;

const JOBS_AND_PARTITIONS = `select relid from pg_partition_tree('${QUEUE_SCHEMA}.job') union select '${QUEUE_SCHEMA}.job'::regclass`;

/**
 * Requests and tasks send jobs in their transactions: they may add rows of their own organization, which each job names in the member
 * `organizationId` of its data. pg-boss itself works as the owner.
 */
const onJobs: Record<RoleName, string> = {
  tenant: "insert, select (id, start_after)",
  // It counts the lanes of its run, and lets those begin that were to wait.
  task: "insert, select (id, name, state, data, start_after), update (start_after)",
  // What is sealed in a job is sealed with the newest key.
  service: "insert, select, update",
};

/** Statements, for the owner of pg-boss's tables. `role` is quoted. A queue's jobs are in a partition that it names itself. */
const rightsOf = (name: RoleName, role: string): string => `
  grant usage on schema ${QUEUE_SCHEMA} to ${role};
  grant select on ${QUEUE_SCHEMA}.queue to ${role};
  do $$
  declare
    jobs regclass;
  begin
    for jobs in
      ${JOBS_AND_PARTITIONS}
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

export const queueTables: QueueTables = { rightsOf, tablesWithRowSecurity: JOBS_AND_PARTITIONS };
