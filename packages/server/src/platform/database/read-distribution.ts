/** Whether the large tables are spread over several servers. A process asks once, at its start: `distribute.ts` lets none run meanwhile. */
import { largeTableNames } from "./large-tables.ts";

interface Asked {
  query(text: string): Promise<{ rows: Record<string, unknown>[] }>;
}

/** Throws a sentence where only some of them are: the others would be read as if nothing had changed. */
export async function readDistribution(database: Asked): Promise<boolean> {
  // Without the extension there is no such catalog.
  const { rows: installed } = await database.query("select extname from pg_extension where extname = 'citus'");
  if (installed.length === 0) return false;
  const found = await findDistributed(database);
  const missing = largeTableNames.filter((table) => !found.has(table));
  if (missing.length === largeTableNames.length) return false;
  if (missing.length === 0) return true;
  throw new Error(
    `The tables of the database are distributed in part: ${missing.join(", ")} are not. ` +
      "Repeat `rowmill database distribute`, and start the service after it.",
  );
}

export interface HowDistributed {
  column: string;
  /** Tables with the same one are on the same server, for each value of the column. */
  colocation: number;
}

/** By name. Tables that are whole on one server are not in it, nor those that are copied to each. */
export async function findDistributed(database: Asked): Promise<Map<string, HowDistributed>> {
  const { rows } = await database.query(
    `select logicalrelid::text as name, column_to_column_name(logicalrelid, partkey) as column, colocationid::int as colocation
     from pg_dist_partition where partmethod = 'h'`,
  );
  return new Map(
    rows.map(({ name, column, colocation }) => [
      String(name),
      { column: String(column), colocation: Number(colocation) },
    ]),
  );
}
