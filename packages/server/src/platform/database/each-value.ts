/**
 * SQL, the inside of the recursive query `name`: each value of `column` once, in order, with what is `beside` it in a row that has it.
 * That is one step of an index for each value, however many rows have it; `distinct` would read them all.
 */
export const eachValueText = (
  name: string,
  {
    table,
    column,
    beside,
    where = "true",
  }: {
    table: string;
    /** The first one of an index on the rows that `where` leaves. */
    column: string;
    beside: string;
    where?: string;
  },
): string => `
    (select ${beside}, ${column} from ${table} where ${where} order by ${column} limit 1)
    union all
    select next.${beside}, next.${column} from ${name} cross join lateral (
      select ${beside}, ${column} from ${table}
      where ${where} and ${column} > ${name}.${column} order by ${column} limit 1) next`;
