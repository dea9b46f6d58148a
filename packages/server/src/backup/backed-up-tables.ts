/** Which tables a backup has: all of the service, and of the queue those that hold work. */
import type { ClientBase } from "pg";
import { escapeIdentifier } from "pg";
import { QUEUE_SCHEMA, TABLES_WITH_WORK } from "../platform/queue/queue-tables.ts";
import type { TableOfBackup } from "./manifest.ts";

/** Each start migrates by its own. */
const NOT_OF_SERVICE = ["schema_migrations"];

/** In an order in which each table stands behind those that its foreign keys lead to. */
export async function readTables(client: ClientBase): Promise<Omit<TableOfBackup, "rows">[]> {
  const { rows } = await client.query<{ id: string; schema: string; name: string; columns: string[] }>(
    `select c.oid::text as id, case when n.nspname = $1 then 'queue' else 'service' end as schema, c.relname as name,
       array(select a.attname::text from pg_attribute a
         where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' order by a.attnum) as columns
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'p') and not c.relispartition
       and (n.nspname = current_schema() and not c.relname = any($2) or n.nspname = $1 and c.relname = any($3))
     order by n.nspname = $1, c.relname`,
    [QUEUE_SCHEMA, NOT_OF_SERVICE, TABLES_WITH_WORK],
  );
  const { rows: references } = await client.query<{ from: string; to: string }>(
    // The key of a partition is that of its table.
    `select coalesce(i.inhparent, k.conrelid)::text as from, k.confrelid::text as to
     from pg_constraint k left join pg_inherits i on i.inhrelid = k.conrelid where k.contype = 'f'`,
  );
  const tables = rows.map(({ id, schema, ...table }) => ({
    id,
    table: { ...table, schema: schema === "queue" ? ("queue" as const) : ("service" as const) },
  }));
  const sorted: (typeof tables)[number][] = [];
  const add = (next: (typeof tables)[number], path: readonly string[]): void => {
    if (sorted.includes(next)) return;
    for (const { from, to } of references) {
      if (from !== next.id || to === next.id) continue;
      if (path.includes(to)) throw new Error(`foreign keys lead from ${next.table.name} back to itself`);
      const before = tables.find(({ id }) => id === to);
      if (before !== undefined) add(before, [...path, next.id]);
    }
    sorted.push(next);
  };
  for (const each of tables) add(each, []);
  return sorted.map(({ table }) => table);
}

export async function readSequences(client: ClientBase): Promise<{ name: string; value: string; isCalled: boolean }[]> {
  const { rows } = await client.query<{ name: string }>(
    "select sequencename as name from pg_sequences where schemaname = current_schema() order by 1",
  );
  const sequences: { name: string; value: string; isCalled: boolean }[] = [];
  for (const { name } of rows) {
    const found = await client.query<{ value: string; isCalled: boolean }>(
      `select last_value::text as value, is_called as "isCalled" from ${escapeIdentifier(name)}`,
    );
    if (found.rows[0] !== undefined) sequences.push({ name, ...found.rows[0] });
  }
  return sequences;
}

export const sqlNameOf = ({ schema, name }: Pick<TableOfBackup, "schema" | "name">): string =>
  schema === "queue" ? `${QUEUE_SCHEMA}.${escapeIdentifier(name)}` : escapeIdentifier(name);

export const columnList = (columns: readonly string[]): string =>
  columns.map((each) => escapeIdentifier(each)).join(", ");
