/**
 * Runs that have ended, as this process read them last: hardly anything changes in them any more. A page of such a run is read by what is
 * known of it, and its first statement takes a question along, whether that still holds, in the same round trip. Where it does not, what
 * was read is forgotten, and the page is read again: nobody gets a row of a run that was deleted.
 */
import { sql } from "kysely";
import type { QueryResultRow } from "pg";
import { statementsOf } from "../../platform/database/database.ts";
import type { Queryable, Statement, StatementResult, Statements } from "../../platform/database/database.ts";
import { prepared } from "../../platform/database/prepared.ts";
import { isRowOf } from "../../platform/database/row-key.ts";
import type { Owned } from "../../platform/database/row-key.ts";
import { notFound } from "../../platform/http/errors.ts";
import { runColumns } from "./runs.ts";
import type { RunRecord } from "./runs.ts";

interface KnownRun {
  run: RunRecord;
  version: string;
}

const MOST_RUNS = 1_000;
/** Characters of JSON: a scope may have ten thousand ids of rows. */
const MOST_CHARACTERS = 4_096;

/** PostgreSQL numbers the versions of a row by the transactions that wrote them. */
const VERSION = sql<string>`xmin::text`;

const selectVersioned = prepared("find_run_and_version", ["organizationId", "id"], (db, at) =>
  db
    .selectFrom("runs")
    .select([...runColumns, VERSION.as("version")])
    .where("organizationId", "=", at.organizationId)
    .where((w) => w.between("id", at.id, at.id))
    .where("deletedAt", "is", null)
    .orderBy("id")
    .limit(sql.lit(1)),
);

const selectCurrent = prepared("is_run_current", ["organizationId", "id", "version"], (db, at) =>
  db
    .selectFrom("runs")
    .select(sql.lit(1).as("one"))
    .where(isRowOf("runs", at, at.id))
    .where(VERSION, "=", at.version),
);

export class EndedRuns {
  readonly #runs = new Map<string, KnownRun>();

  /** What `read` returns for the run as it is; it is called a second time where what was known of the run no longer holds. */
  async read<T>(
    db: Queryable,
    { organizationId }: Owned,
    id: string,
    read: (client: Statements, run: RunRecord) => Promise<T>,
  ): Promise<T> {
    const key = `${organizationId}/${id}`;
    const known = this.#runs.get(key);
    const { queryAll } = statementsOf(db);
    // On a cluster, and within a transaction, the question would be a round trip of its own.
    if (known !== undefined && queryAll !== undefined) {
      const client = new CheckingStatements(statementsOf(db), queryAll, known);
      const [result] = await Promise.allSettled([read(client, known.run)]);
      if (await client.isCurrent()) {
        if (result.status === "rejected") throw result.reason;
        this.#remember(key, known);
        return result.value;
      }
      this.#runs.delete(key);
    }
    const [found] = await selectVersioned(db, { organizationId, id });
    if (found === undefined) throw notFound("run");
    const { version, ...run } = found;
    if (run.finishedAt !== null && sizeOf(run) <= MOST_CHARACTERS) this.#remember(key, { run, version });
    return read(statementsOf(db), run);
  }

  /** The one that was not asked for for longest is forgotten first. */
  #remember(key: string, known: KnownRun): void {
    this.#runs.delete(key);
    this.#runs.set(key, known);
    const [oldest] = this.#runs.keys();
    if (this.#runs.size > MOST_RUNS && oldest !== undefined) this.#runs.delete(oldest);
  }
}

/** Its first statement takes the question along. */
class CheckingStatements implements Statements {
  readonly #statements: Statements;
  readonly #queryAll: NonNullable<Statements["queryAll"]>;
  readonly #known: KnownRun;
  #isAsked = false;
  #isCurrent: boolean | undefined;

  constructor(statements: Statements, queryAll: NonNullable<Statements["queryAll"]>, known: KnownRun) {
    this.#statements = statements;
    this.#queryAll = queryAll;
    this.#known = known;
  }

  async query<R extends QueryResultRow>(statement: Statement): Promise<StatementResult<R>> {
    if (this.#isAsked) return this.#statements.query<R>(statement);
    this.#isAsked = true;
    const [current, result] = await this.#queryAll([selectCurrent.asked(this.#asked()), statement]);
    if (current === undefined || result === undefined) throw new Error("a statement has no result");
    this.#isCurrent = current.rows.length === 1;
    return { ...result, rows: result.rows as R[] }; // as the caller describes what it has asked for
  }

  /** Asks by itself where no statement has. */
  async isCurrent(): Promise<boolean> {
    return (this.#isCurrent ??= (await selectCurrent(this.#statements, this.#asked())).length === 1);
  }

  #asked() {
    const { run, version } = this.#known;
    return { organizationId: run.organizationId, id: run.id, version };
  }
}

/** Of what may be large. */
const sizeOf = ({ scope, selection, metadata, error, budget }: RunRecord): number =>
  JSON.stringify([scope, selection, metadata, error, budget]).length;
