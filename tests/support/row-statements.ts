/** One row by its id as transactions of requests and tasks ask for it: to read, to lock and to change it, in every table that has such ids. */
import { openDatabase, sql } from "@rowmill/server/platform/database/database";
import type { OrganizationDatabase } from "@rowmill/server/platform/database/database";
import { prepareRoles } from "@rowmill/server/platform/database/roles";
import { isRowOf } from "@rowmill/server/platform/database/row-key";
import type { Tables } from "@rowmill/server/platform/database/tables";
import { createTenants } from "@rowmill/server/platform/database/tenants";
import { createLog } from "@rowmill/server/platform/log";
import { queueTables } from "@rowmill/server/platform/queue/queue-tables";
import { cleanUpLater } from "@rowmill/server/testing/cleanup";
import type { TestService } from "@rowmill/server/testing/service";
import { readsOf } from "./plans.ts";
import type { TableRead } from "./plans.ts";

type KeyedTable = keyof Tables;

export interface RowReads {
  table: string;
  /** By whom it was asked, and how. */
  title: string;
  reads: TableRead[];
}

export interface RowStatements {
  tables: readonly string[];
  /** Of the row with this id, in each table and in each way to ask, where the asker may. */
  ask: (id: string) => Promise<RowReads[]>;
}

export async function prepareRowStatements(service: TestService, organizationId: string): Promise<RowStatements> {
  const tables = await service.query<{ name: string }>(
    `select c.relname as name from pg_class c join pg_index i on i.indrelid = c.oid and i.indisprimary
     where c.relnamespace = 'public'::regnamespace and array(
       select a.attname::text from unnest(i.indkey) with ordinality k (no, at)
       join pg_attribute a on a.attrelid = c.oid and a.attnum = k.no order by k.at) = array['organization_id', 'id']
     order by 1`,
  );
  const database = openDatabase(service.settings["ROWMILL_DATABASE_URL"] ?? "", { max: 1, onError: () => undefined });
  cleanUpLater(() => database.close());
  const { tenant } = await prepareRoles(database.pool, queueTables, "required", createLog("silent"));
  const askers = {
    "with row-level security": createTenants(database, tenant)(organizationId),
    "without a role": createTenants(database, undefined)(organizationId),
  };
  const names = tables.map(({ name }) => name);
  return {
    tables: names,
    async ask(id) {
      const asked: RowReads[] = [];
      for (const table of names)
        for (const [who, asker] of Object.entries(askers))
          for (const planning of ["force_custom_plan", "force_generic_plan"])
            asked.push({
              table,
              title: `${table} ${who}, ${planning}`,
              reads: await readsOf(
                () => askFor(asker, { table, organizationId, id, planning }),
                (name) => name === table,
              ),
            });
      return asked.filter(({ reads }) => reads.length > 0);
    },
  };
}

/** A trigger refuses changes of it. */
const APPENDED = "audit_events";

interface Asked {
  table: string;
  organizationId: string;
  id: string;
  planning: string;
}

const camelCased = (name: string): string => name.replace(/_(\w)/g, (_whole, letter: string) => letter.toUpperCase());

async function askFor(asker: OrganizationDatabase, { table, organizationId, id, planning }: Asked): Promise<void> {
  await asker.transaction(async (tx) => {
    await sql`select set_config('plan_cache_mode', ${planning}, true)`.execute(tx);
    const where = isRowOf(camelCased(table) as KeyedTable, { organizationId }, id); // by the naming of all tables
    const { rows } = await sql<{ mayRead: boolean; mayChange: boolean }>`
      select has_table_privilege(${table}, 'select') as may_read, has_table_privilege(${table}, 'update') as may_change`.execute(
      tx,
    );
    if (rows[0]?.mayRead === true) await sql`select * from ${sql.table(table)} where ${where}`.execute(tx);
    if (rows[0]?.mayChange !== true) return;
    await sql`select 1 from ${sql.table(table)} where ${where} for update`.execute(tx);
    if (table !== APPENDED) await sql`update ${sql.table(table)} set id = id where ${where}`.execute(tx);
  });
}
