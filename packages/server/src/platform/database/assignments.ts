import type { RawBuilder } from "kysely";
import { sql } from "./database.ts";

/** What stands behind `set`: members without a value are left out. */
export const assignments = (changes: object): RawBuilder<unknown> =>
  sql.join(
    Object.entries(changes).flatMap(([column, value]: [string, unknown]) =>
      value === undefined ? [] : [sql`${sql.ref(column)} = ${value}`],
    ),
  );
