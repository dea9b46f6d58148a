/**
 * Statements of the hottest paths, built by Kysely once. Each time, building costs as much as running, and PostgreSQL would parse
 * and plan a statement without a name again.
 */
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from "kysely";
import type { Compilable, CompiledQuery } from "kysely";
import { camelCase, plugins } from "./database.ts";
import type { NamedQuery, Queryable, Statements } from "./database.ts";
import type { Tables } from "./tables.ts";

/** Only compiles. */
const builder = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
  plugins,
});

/**
 * On a database that is not bound to an organization, names reach PostgreSQL through its `statements` only.
 * `build` is called once, with a stand-in for each parameter, which are texts such as ids.
 */
export function prepared<Name extends string, Row>(
  name: string,
  parameters: readonly Name[],
  build: (db: Queryable, at: Record<Name, string>) => Compilable<Row>,
): (db: Queryable | Statements, values: Record<Name, string>) => Promise<Row[]> {
  let compiled: { query: CompiledQuery<Row>; names: Name[] } | undefined;
  const compile = (): NonNullable<typeof compiled> => {
    const standIns = parameters.map((parameter) => [parameter, `:${parameter}`] as const);
    const query = build(builder, Object.fromEntries(standIns) as Record<Name, string>).compile(); // one for each name
    const names = query.parameters.map((value) => {
      const parameter = standIns.find(([, standIn]) => standIn === value)?.[0];
      if (parameter === undefined) throw new Error(`the statement ${name} has a value of its own`);
      return parameter;
    });
    return { query, names };
  };
  return async (db, values) => {
    compiled ??= compile();
    const { query, names } = compiled;
    const parameters = names.map((at) => values[at]);
    if (!("query" in db)) {
      const statement: NamedQuery = { ...query, name, parameters };
      return (await db.executeQuery<Row>(statement)).rows;
    }
    const { rows } = await db.query({ name, text: query.sql, values: parameters });
    return (await camelCase.transformResult({ result: { rows }, queryId: query.queryId })).rows as Row[]; // of this query
  };
}
