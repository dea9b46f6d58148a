/**
 * Which ways to the database lead to one whose large tables are distributed. Statements that such a database refuses, or takes otherwise
 * than PostgreSQL does, ask here and have a second form; everything else is written once for both.
 */
const distributed = new WeakSet<object>();

/** Of a `Queryable`, a `Transaction`, or `Statements`. */
export const markDistributed = (db: object): void => void distributed.add(db);

export const isDistributed = (db: object): boolean => distributed.has(db);
