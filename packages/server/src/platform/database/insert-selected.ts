import { isDistributed } from "./distribution-marks.ts";

/**
 * The end of an `insert … select` into a large table that returns nothing by itself. On a cluster Citus would copy the rows, which
 * PostgreSQL refuses under row-level security; what returns something takes another way.
 */
export const toInsertSelected = (db: object): string => (isDistributed(db) ? "returning 1" : "");
