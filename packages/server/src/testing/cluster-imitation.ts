/**
 * One PostgreSQL that says that its large tables are distributed (decision 0025): the service then sends the statements that it sends to a
 * Citus cluster. They are compared with the rules of `cluster-rules.ts`, which no PostgreSQL knows.
 */
import { Client } from "pg";
import { COMMIT_IN_TWO_PHASES } from "../platform/database/bind-servers.ts";
import { largeTableNames, largeTables, namesLargeTable } from "../platform/database/large-tables.ts";
import { simplifyPolicies } from "../platform/database/distribute.ts";
import { cleanUpLater } from "./cleanup.ts";
import { faultsOnCluster } from "./cluster-rules.ts";
import { createMigratedDatabase } from "./test-database.ts";

/** What `read-distribution.ts` looks for. */
const CATALOGS = `
  insert into pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion)
    select max(oid::bigint) + 1, 'citus', 10, 'pg_catalog'::regnamespace, false, '13.2-1' from pg_extension;
  create table pg_dist_partition (logicalrelid regclass, partmethod char, partkey text, colocationid int);
  create function column_to_column_name(regclass, text) returns text language sql as 'select $2';
  grant select on pg_dist_partition to public;`;

export interface ImitatedCluster {
  url: string;
  /** Sent to it by the service so far. */
  statements: ReadonlySet<string>;
  /** What a cluster would refuse of them, or take otherwise, each with its statement. */
  faults: readonly string[];
}

export async function imitateCluster(): Promise<ImitatedCluster> {
  const database = await createMigratedDatabase();
  cleanUpLater(() => database.drop());
  const client = new Client({ connectionString: database.url });
  await client.connect();
  await client.query(CATALOGS);
  for (const table of largeTableNames) {
    await simplifyPolicies(client, table);
    await client.query("insert into pg_dist_partition values ($1::text::regclass, 'h', $2, 1)", [
      table,
      largeTables[table],
    ]);
  }
  const { rows } = await client.query<{ name: string }>(
    `select case when relnamespace = current_schema()::regnamespace then relname else relnamespace::regnamespace || '.' || relname end as name
     from pg_class where relkind in ('r', 'p') and relnamespace::regnamespace::text !~ '^(pg_|information_schema)' and relname <> all($1)`,
    [largeTableNames],
  );
  await client.end();
  return watch(database.url, new Set(rows.map(({ name }) => name)));
}

/** A statement as `pg` takes it: a text, or something that has one. */
type Sent = string | { text?: string; constructor: { name: string } };

function watch(url: string, smallTables: ReadonlySet<string>): ImitatedCluster {
  const databaseName = new URL(url).pathname.slice(1);
  const statements = new Set<string>();
  const faults: string[] = [];
  const connections = new WeakMap<Client, Connection>();
  const send = Reflect.get(Client.prototype, "query") as (this: Client, ...sent: unknown[]) => unknown; // it is a method
  Client.prototype.query = function watched(this: Client, ...args: unknown[]): unknown {
    const sent = args[0] as Sent; // as `pg` describes it, in many forms
    const text = typeof sent === "string" ? sent : (sent.text ?? "");
    if (this.database === databaseName && isOfService(this)) {
      const connection = connections.get(this) ?? new Connection();
      connections.set(this, connection);
      const isBound = typeof sent !== "string" && sent.constructor.name === "GroupQuery";
      faults.push(...connection.follow(text, isBound).map((fault) => `${fault}: ${text}`));
      if (!statements.has(text)) faults.push(...faultsOnCluster(text, smallTables).map((fault) => `${fault}: ${text}`));
      statements.add(text);
    }
    return send.apply(this, args);
  } as typeof Client.prototype.query;
  cleanUpLater(async () => {
    Client.prototype.query = send as typeof Client.prototype.query;
  });
  return { url, statements, faults };
}

/** Tests and the queue have other names. */
function isOfService(client: Client): boolean {
  const { connectionParameters } = client as unknown as { connectionParameters: { application_name?: string } }; // `pg` keeps it there
  return connectionParameters.application_name === "rowmill";
}

/** What binds the statements of a connection: on the server that it leads to, and on those behind it. */
class Connection {
  #isInTransaction = false;
  #binds: "nobody" | "here" | "everywhere" = "nobody";
  #writes = new Set<"here" | "elsewhere" | "in two phases">();

  /** `isBound`: sent together with what binds it here. */
  follow(text: string, isBound: boolean): string[] {
    const namesLarge = namesLargeTable(text);
    if (isBound) return namesLarge ? ["it is bound on one server only"] : [];
    if (/^(?:begin|start transaction|commit|rollback)/i.test(text)) {
      const writes = this.#writes;
      this.#writes = new Set();
      this.#isInTransaction = /^[bs]/i.test(text);
      this.#binds = "nobody";
      if (/^commit/i.test(text) && writes.has("here") && writes.has("elsewhere") && !writes.has("in two phases"))
        return ["what is written on two servers is committed in one phase"];
    }
    if (/\b(?:insert into|update|delete from)\b(?! skip| of|\s*$)/i.test(text) && !/^select/i.test(text.trim()))
      this.#writes.add(text === COMMIT_IN_TWO_PHASES ? "in two phases" : namesLarge ? "elsewhere" : "here");
    if (this.#isInTransaction && /set local role|set_config\('role'/.test(text)) this.#binds = "here";
    else if (text.startsWith("set local app.organization_id = ")) this.#binds = "everywhere";
    return namesLarge && this.#binds === "here" ? ["it follows no `set local` that reaches other servers"] : [];
  }
}
