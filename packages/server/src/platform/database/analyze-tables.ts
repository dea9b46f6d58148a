/**
 * Statistics for tables that have just been filled: without any, PostgreSQL takes a hundred thousand rows of an organization for six.
 * No list and no retry depends on them, whose plans are certain without; other statements of tasks are the faster for them.
 */
import { sql } from "./database.ts";
import type { Database } from "./database.ts";

/** Of one pass; a service has some forty tables. */
const MAX_TABLES = 100;

/** Each table in a transaction of its own, which holds a lock of that table only. Returns their names. */
export async function analyzeGrownTables({ db }: Pick<Database, "db">): Promise<string[]> {
  const analyzed: string[] = [];
  while (analyzed.length < MAX_TABLES) {
    const { rows } = await sql<{ name: string | null }>`select analyze_grown_table() as name`.execute(db);
    const name = rows[0]?.name ?? null;
    if (name === null || analyzed.includes(name)) break;
    analyzed.push(name);
  }
  return analyzed;
}
