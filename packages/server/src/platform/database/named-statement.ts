/**
 * A prepared statement whose parameters have names. Kysely is for queries that are composed, the `sql` tag for statements that are read
 * beside their rule; this is for the few large ones that run for every chunk: the text is made once, planned once for a connection, and a
 * parameter may be used in many places.
 */
import type { QueryConfig } from "pg";

/** `:name`, but not the cast `::type`. */
const PARAMETER = /(?<![:\w]):([a-zA-Z]\w*)/g;

/** The names in `text` are those of `Values`: a name without a value is an error of the first use. */
export function namedStatement<Values extends object>(
  name: string,
  text: string,
): (values: Values) => QueryConfig & { name: string; values: unknown[] } {
  const names: string[] = [];
  const numbered = text.replace(PARAMETER, (_found, parameter: string) => {
    if (!names.includes(parameter)) names.push(parameter);
    return `$${names.indexOf(parameter) + 1}`;
  });
  return (values) => {
    const given = new Map<string, unknown>(Object.entries(values));
    const missing = names.find((parameter) => !given.has(parameter));
    if (missing !== undefined) throw new Error(`the statement ${name} has no value for :${missing}`);
    return { name, text: numbered, values: names.map((parameter) => given.get(parameter)) };
  };
}
