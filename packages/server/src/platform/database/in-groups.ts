import type { RawBuilder } from "kysely";
import type { Queryable } from "./database.ts";

/**
 * Executes a statement that changes at most `rowsAtOnce` rows, until it finds fewer: a delete of millions of rows neither holds locks for
 * minutes nor loses everything when it is interrupted.
 */
export async function inGroups(db: Queryable, rowsAtOnce: number, statement: RawBuilder<unknown>): Promise<void> {
  for (;;) {
    const { numAffectedRows = 0n } = await statement.execute(db);
    if (numAffectedRows < BigInt(rowsAtOnce)) return;
  }
}
