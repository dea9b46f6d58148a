/** Sizes, ids and SQL of values in the tables that `many.ts` fills. */

/** Rows of each large table: enough that a statement that reads a whole table, or sorts what a filter leaves, is noticed. */
export const MANY = 40_000;
/** Of tables whose lists have no filter. */
export const FEWER = 10_000;
/** Rows from the oldest that a rare value has. */
export const RARE = 20;
/** As many rules as an organization may have, and more than it may have endpoints; the others are deleted. */
export const RULES = 200;
/** As many as an organization may have; the others are deleted. */
export const CONNECTIONS = 200;
export const CHUNK_ROWS = 100;
export const CHUNKS = 500;

/** Of usage: few a day, over many days, so that a range of days is a small part. */
export const USES_PER_DAY = 10;

/** The time of the oldest; every further one is a millisecond younger. */
export const OLDEST_MS = Date.UTC(2026, 0, 1);

/** The id of number `n` in every table. */
export function idOf(n: number): string {
  const ms = (OLDEST_MS + n).toString(16).padStart(12, "0");
  return `${ms.slice(0, 8)}-${ms.slice(8)}-7000-8000-000000000000`;
}

/** What filters by id look for: nearly everything has the common one. */
export const COMMON = idOf(1);
export const RARELY = idOf(2);
/** A run in which most rows succeeded, a row of every chunk failed, and the last chunks are not done. */
export const RUN = idOf(1);
/** A run in which the last row alone succeeded. */
export const FAILED_RUN = idOf(2);

/** SQL: all of the values but the last, one after the other; the last is the rare one. */
export const cycling = (values: readonly string[]): string => {
  const common = values.slice(0, -1);
  return `case when n <= ${RARE} then '${values.at(-1)}' else (array['${common.join("', '")}'])[1 + n % ${common.length}] end`;
};
export const ID = "n_id(n)";
export const TIME = `to_timestamp((${OLDEST_MS} + n) / 1000.0)`;
export const oneOf = `case when n <= ${RARE} then '${RARELY}'::uuid else '${COMMON}'::uuid end`;
/** The number of rows of the table. */
export const COUNT = ":count";
export const NEWEST_QUARTER = `case when n > 0.75 * ${COUNT} then now() end`;
export const text = (value: string): string => `'${value}'`;
export const json = (value: unknown): string => `'${JSON.stringify(value)}'`;
export const digest = "decode(md5(n::text || $1::text), 'hex')";
