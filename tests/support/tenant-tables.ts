/** Tables whose rows belong to organizations: which they are, whose rows they hold, and rows for those that a test world leaves empty. */
import { pgCode, sql } from "@rowmill/server/platform/database/database";
import type { OrganizationDatabase } from "@rowmill/server/platform/database/database";
import type { TestService } from "@rowmill/server/testing/service";

/** What belongs to the installation and not to an organization. */
export const WITHOUT_OWNER = ["installation", "login_links", "low_space_reports", "schema_migrations"];

/** Requests of organizations have no business with these. */
export const OUT_OF_REACH = ["denied_attempts", "event_listeners", "rate_limit_buckets", "run_row_keys"];

/** Requests of organizations add no rows to these. */
export const NEVER_INSERTED = [
  "organizations",
  "dataset_counts",
  "run_failures",
  "run_segments",
  "alert_candidates",
  "provider_batches",
  "event_logs",
  "limiters",
  "row_cache",
  "sessions",
];

export interface Table {
  name: string;
  /** The column that says whose a row is. */
  owner: string;
}

/** Each owner once, or the code of the error that there was instead of rows. */
export const ownersOf = (rows: { owner: string }[] | string): string =>
  typeof rows === "string" ? rows : [...new Set(rows.map((row) => row.owner))].join();
export const countOf = (owners: readonly string[], owner: string): number =>
  owners.filter((one) => one === owner).length;

/** All tables but those of the installation. */
export async function readTenantTables(service: Pick<TestService, "query">): Promise<Table[]> {
  return service.query<Table>(
    `
      select c.relname as name,
        case c.relname when 'organizations' then 'id' when 'idempotency_keys' then 'scope_id' else 'organization_id' end as owner
      from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
        and c.relname <> all($1) order by 1`,
    [WITHOUT_OWNER],
  );
}

export async function fillRareTables(service: Pick<TestService, "query">): Promise<void> {
  // Events that wait for a rule, which would evaluate them before we look.
  await service.query("insert into alert_candidates select organization_id, id, gen_random_uuid() from job_specs");
  // What only runs with a price leave behind.
  await service.query("insert into run_budgets (organization_id, run_id) select organization_id, id from runs");
  await service.query(
    `insert into usage_days (organization_id, day, run_id, job_spec_id) select organization_id, current_date, id, job_spec_id from runs`,
  );
  await service.query(
    `insert into provider_batches (organization_id, id, run_id, connection_id, model, state, finished_at)
      select organization_id, gen_random_uuid(), id, gen_random_uuid(), 'small', 'ended', now() from runs`,
  );
  await service.query(
    "insert into limiters (organization_id, connection_id, model) select organization_id, id, 'small' from connections",
  );
  await service.query(
    `insert into row_cache (organization_id, key, output, expires_at)
      select organization_id, sha256(id::text::bytea), '1', now() + interval '1 day' from runs`,
  );
  // What only an action that has not ended has.
  await service.query(
    "insert into bulk_action_targets (organization_id, bulk_action_id, position, target_id) select organization_id, id, 1, id from bulk_actions",
  );
  await service.query(
    `insert into sessions (id, organization_id, api_key_id, digest, expires_at)
      select gen_random_uuid(), organization_id, id, sha256(id::text::bytea), now() + interval '1 hour' from api_keys`,
  );
}

/** Runs a statement in a bound transaction that is undone; returns its rows, or the code of the error. */
export async function undoneIn<Row>(bound: OrganizationDatabase, statement: string): Promise<Row[] | string> {
  const undo = new Error("undone");
  let rows: Row[] = [];
  try {
    await bound.transaction(async (tx) => {
      ({ rows } = await sql.raw<Row>(statement).execute(tx));
      throw undo;
    });
  } catch (error) {
    if (error !== undo) return pgCode(error) ?? String(error);
  }
  return rows;
}
