import type { RawBuilder } from "kysely";
import type { Queryable } from "./database.ts";

/**
 * Executes a statement that changes at most `rowsAtOnce` rows, until it finds fewer: a delete of millions of rows neither holds locks for
 * minutes nor loses everything when it is interrupted. Some may be left: what another process is changing just now is not counted.
 */
export const inGroups = (db: Queryable, rowsAtOnce: number, statement: RawBuilder<unknown>): Promise<void> =>
  repeatGroups(rowsAtOnce, async () => Number((await statement.execute(db)).numAffectedRows ?? 0n));

/** The same for work that needs a transaction for each group: it returns how many rows it has found, at most `rowsAtOnce`. */
export async function repeatGroups(rowsAtOnce: number, work: () => Promise<number>): Promise<void> {
  while ((await work()) >= rowsAtOnce);
}
