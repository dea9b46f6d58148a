/**
 * Statements of the hottest paths, built by Kysely once. Each time, building costs as much as running, and PostgreSQL would parse
 * and plan a statement without a name again.
 */
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from "kysely";
import type { Compilable, CompiledQuery } from "kysely";
import { named } from "./ask-together.ts";
import type { Asked } from "./ask-together.ts";
import { columnNames, directStatements, plugins } from "./database.ts";
import type { NamedQuery, Queryable, Statements, Transaction } from "./database.ts";
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

interface Prepared<Name extends string, Row> {
  (db: Queryable | Statements, values: Record<Name, string | Date | null>): Promise<Row[]>;
  /** Without a result: see `sendLater` in `database.ts`. */
  later(tx: Transaction, values: Record<Name, string | Date | null>): Promise<void>;
  /** To be sent with others: see `ask-together.ts`. */
  asked(values: Record<Name, string | Date | null>): Asked<Row>;
}

/**
 * On a database that is not bound to an organization, names reach PostgreSQL through its `statements` only.
 * `build` is called once, with a stand-in for each parameter, a text; the values are texts, times, or null.
 */
export function prepared<Name extends string, Row>(
  name: string,
  parameters: readonly Name[],
  build: (db: Queryable, at: Record<Name, string>) => Compilable<Row>,
): Prepared<Name, Row> {
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
  const fill = (values: Record<Name, string | Date | null>) => {
    compiled ??= compile();
    const { query, names } = compiled;
    return { query, parameters: names.map((at) => values[at]) };
  };
  const later = async (tx: Transaction, values: Record<Name, string | Date | null>): Promise<void> => {
    const { query, parameters } = fill(values);
    const statement: NamedQuery = { ...query, name, parameters, isSentLater: true };
    await tx.executeQuery(statement);
  };
  const asked = (values: Record<Name, string | Date | null>): Asked<Row> => {
    const { query, parameters } = fill(values);
    return { name, text: query.sql, values: parameters, nameColumn: columnNames.nameOf };
  };
  const execute = async (db: Queryable | Statements, values: Record<Name, string | Date | null>): Promise<Row[]> => {
    const statements = "query" in db ? db : directStatements(db);
    if (statements === undefined) {
      const { query, parameters } = fill(values);
      const statement: NamedQuery = { ...query, name, parameters };
      return (await (db as Queryable).executeQuery<Row>(statement)).rows;
    }
    const { rows, hasNames } = await statements.query<Record<string, unknown>>(asked(values));
    // Of this query.
    return (hasNames === true ? rows : rows.map(named)) as Row[];
  };
  return Object.assign(execute, { later, asked });
}
