/**
 * A row that is worked on by one worker at a time, without a lock that lasts as long as the work. Every claim counts up a number in the
 * row, and whatever its holder writes later proves in its own transaction that the number is still the last one:
 *
 *   take ──▶ update (heartbeat, progress) … ──▶ update (the end, or the release)
 *    └── take by another worker: the number is counted up, and nothing of the former holder is written any more
 *
 * When a claim may be taken over is the table's own rule. Chunks have a claim of this kind that is one statement with their results:
 * `engine/chunks/commit-chunk.ts`.
 */
import type { RawBuilder, Selectable, Updateable } from "kysely";
import { assignments } from "./assignments.ts";
import { sql } from "./database.ts";
import type { Queryable, Transaction } from "./database.ts";
import { isRowOf } from "./row-key.ts";
import type { RowKey } from "./row-key.ts";
import type { Tables } from "./tables.ts";

type ClaimedTable = "datasetUploads" | "exports" | "providerBatches";

/** Members without a value stay as they are. */
type Changes<T extends ClaimedTable> = {
  [C in keyof Updateable<Tables[T]>]?: Updateable<Tables[T]>[C] | RawBuilder<unknown> | undefined;
};

/** The number that the claim has given to the row. */
export interface ClaimKey extends RowKey {
  no: number;
}

export interface FencedClaims<T extends ClaimedTable> {
  /** Undefined: there is nothing to work on, or another worker has it. The row is as the claim has left it. */
  take: (
    db: Queryable,
    row: RowKey,
    mayTake: RawBuilder<unknown>,
    changes: Changes<T>,
  ) => Promise<Selectable<Tables[T]> | undefined>;
  /** Whether the claim holds; if so, nobody takes it over before the transaction has ended. */
  prove: (tx: Transaction, claim: ClaimKey) => Promise<boolean>;
  /** False: the claim was lost, and nothing was written. */
  update: (db: Queryable, claim: ClaimKey, changes: Changes<T>) => Promise<boolean>;
}

/** `isOpen`: of a row that is worked on; one that has ended or was canceled is nobody's. */
export function fencedClaims<T extends ClaimedTable>(
  table: T,
  { number, isOpen }: { number: "claimNo" | "turnNo"; isOpen: RawBuilder<unknown> },
): FencedClaims<T> {
  const isClaimed = (claim: ClaimKey) =>
    sql`${isRowOf(table, claim, claim.id)} and ${sql.ref(number)} = ${claim.no} and ${isOpen}`;
  return {
    async take(db, row, mayTake, changes) {
      const { rows } = await sql<Selectable<Tables[T]>>`
        update ${sql.table(table)} set ${assignments({ ...changes, [number]: sql`${sql.ref(number)} + 1` })}
        where ${isRowOf(table, row, row.id)} and ${mayTake} returning *`.execute(db);
      return rows[0];
    },
    async prove(tx, claim) {
      const { rows } = await sql`
        select 1 from ${sql.table(table)} where ${isClaimed(claim)} for no key update`.execute(tx);
      return rows.length > 0;
    },
    async update(db, claim, changes) {
      const { numAffectedRows } = await sql`
        update ${sql.table(table)} set ${assignments(changes)} where ${isClaimed(claim)}`.execute(db);
      return numAffectedRows === 1n;
    },
  };
}
